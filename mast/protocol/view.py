"""What one organization knows: its local view, and nothing else.

The functions of the protocol take a view as their first argument. Each checks everything before it changes
anything: a `Rejection` means that the view is as it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mast.ids import ClaimId, ClaimName, OrganizationName, PacketId
from mast.protocol.graph import ClaimGraph
from mast.protocol.journal import Journal
from mast.protocol.notary import Notary
from mast.protocol.packets import Bundle, Claim, Handoff, HandoffReceipt
from trustrail.foundation import SignedEnvelope


@dataclass(slots=True)
class SentHandoff:
    """A handoff registered before it was sent."""

    bundle: Bundle
    recipient: OrganizationName
    targets: tuple[ClaimId, ...]
    receipt: SignedEnvelope | None = None
    status: str | None = None
    """What the receipt says: ``accepted`` or ``blocked``."""


@dataclass(slots=True)
class ReceivedHandoff:
    """A handoff accepted here, as it was signed, with the receipt given for it."""

    handoff: Handoff
    signature: bytes
    receipt: HandoffReceipt
    receipt_envelope: SignedEnvelope


@dataclass(slots=True)
class SentNotice:
    """A notice in the outbox until its receipt arrives."""

    bundle: Bundle
    recipient: OrganizationName
    receipt: SignedEnvelope | None = None


@dataclass(slots=True, kw_only=True)
class LocalView:
    """The protocol state of one organization."""

    notary: Notary
    authorities: Mapping[str, OrganizationName]
    """Who may issue root claims of a predicate, as configured here."""
    fact_authority: OrganizationName | None = None
    """Whose word about amounts is trusted here."""
    journal: Journal = field(default_factory=Journal)
    graph: ClaimGraph[ClaimId] = field(default_factory=ClaimGraph)
    claims: dict[ClaimId, Claim] = field(default_factory=dict)
    envelopes: dict[ClaimId, SignedEnvelope] = field(default_factory=dict)
    """The signed bytes of each held claim, as they came."""
    latest: dict[ClaimName, ClaimId] = field(default_factory=dict)
    """Newest held claim of each name: highest revision, then last held. A name belongs to whoever was first with it."""
    revocations: dict[ClaimId, SignedEnvelope] = field(default_factory=dict)
    disputes: dict[ClaimId, Bundle] = field(default_factory=dict)
    """The contradicting reply for each disputed claim, with its query beside it."""
    sent: dict[PacketId, SentHandoff] = field(default_factory=dict)
    sent_by_target: dict[ClaimId, list[PacketId]] = field(default_factory=dict)
    delivered: dict[OrganizationName, set[ClaimId]] = field(default_factory=dict)
    """Claims each recipient has acknowledged; closed under ancestors."""
    received: dict[PacketId, ReceivedHandoff] = field(default_factory=dict)
    notices: dict[PacketId, SentNotice] = field(default_factory=dict)
    notice_receipts: dict[PacketId, SignedEnvelope] = field(default_factory=dict)
    """Receipts given, by the notice they answer."""
    heads: dict[OrganizationName, dict[int, bytes]] = field(default_factory=dict)
    """Journal heads that others have countersigned, by length."""
    owner: OrganizationName = field(init=False)
    """The organization whose view this is: the notary's owner."""
    workflow: str = field(init=False)
    """The workflow it takes part in: the notary's."""

    def __post_init__(self) -> None:
        self.owner = self.notary.owner
        self.workflow = self.notary.workflow

    def hold(self, claim_id: ClaimId, claim: Claim, envelope: SignedEnvelope) -> None:
        """Store a checked claim whose parents are held."""
        self.graph.add(claim_id, claim.parents)
        self.claims[claim_id] = claim
        self.envelopes[claim_id] = envelope
        current = self.latest.get(claim.name)
        known = None if current is None else self.claims[current]
        if known is None or (known.issuer == claim.issuer and known.revision <= claim.revision):
            self.latest[claim.name] = claim_id
