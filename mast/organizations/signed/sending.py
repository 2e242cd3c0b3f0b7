"""Issuing statements, handing claims on, and knowing when they have arrived."""

from collections.abc import Sequence
from typing import Any

from mast.errors import DependencyRejection
from mast.ids import ClaimId, ClaimName, OrganizationName, PacketId
from mast.organizations import records
from mast.organizations.messages import Effect, Message, Parcel, ParcelKind, Send, Statement, Woken
from mast.organizations.state import SignedState
from mast.protocol import claims, handoffs
from mast.protocol.graph import shown
from mast.protocol.packets import Bundle, Refusal
from mast.protocol.view import LocalView
from trustrail.foundation import SignedEnvelope


class Delivery:
    """A handoff on its way, until its recipient has answered or the time for that is over."""

    __slots__ = ("handoff_id", "recipient")

    def __init__(
        self, state: SignedState, targets: Sequence[ClaimId], recipient: OrganizationName, out: list[Effect]
    ) -> None:
        bundle = handoffs.prepare(state.view, targets, recipient)
        self.handoff_id = PacketId(bundle.packet.id)
        self.recipient = recipient
        send(state, ParcelKind.HANDOFF, recipient, bundle, out)

    def result(self, state: SignedState, message: Message) -> str | None:
        """Return ``accepted``, ``blocked``, ``refused`` or ``unanswered`` once that is known, else None."""
        if isinstance(message, Woken):
            return "unanswered"
        if not isinstance(message, Parcel) or not isinstance(message.packet, SignedEnvelope):
            return None
        if message.kind is ParcelKind.HANDOFF_RECEIPT and message.sender == self.recipient:
            sent = state.view.sent[self.handoff_id]
            if sent.receipt is not None and sent.receipt.id == message.packet.id:
                return sent.status
        if message.kind is ParcelKind.REFUSAL and is_refusal(state, message.packet, self.handoff_id, self.recipient):
            return "refused"
        return None


def is_refusal(state: SignedState, answer: SignedEnvelope, packet: bytes, by: OrganizationName) -> bool:
    """Whether *answer* is the refusal of *packet* by the organization it went to; nobody else can refuse it.

    Raises:
        Rejection: if it is no signed refusal at all.
    """
    refusal = state.view.notary.read(answer, Refusal)
    return (refusal.packet, refusal.issuer) == (packet, by)


def send(state: SignedState, kind: ParcelKind, recipient: OrganizationName, bundle: Bundle, out: list[Effect]) -> None:
    """Give *bundle* to the network, as part of the current stage of work."""
    state.asked_at = state.now
    out.append(Send(Parcel(kind, state.settings.name, recipient, bundle.packet, bundle.attached, state.turn)))


def issue(state: SignedState, statement: Statement, out: list[Effect]) -> ClaimId:
    """Sign a statement on the newest held claims of its parents' names.

    Raises:
        DependencyRejection: if a parent is not held under that name.
        Rejection: as `mast.protocol.claims.issue`.
    """
    claim_id = claims.issue(
        state.view,
        name=statement.name,
        parents=[held(state.view, parent) for parent in statement.parents],
        rule=statement.rule,
        predicate=statement.predicate,
        value=statement.value,
        revision=statement.revision,
    )
    claim = state.view.claims[claim_id]
    content = {"predicate": claim.predicate, "value": claim.value}
    out.append(records.issued(claim.name, claim.revision, content, state.turn, claim_id))
    return claim_id


def held(view: LocalView, name: ClaimName) -> ClaimId:
    """Return the newest held claim of that name.

    Raises:
        DependencyRejection: if none is held.
    """
    claim_id = view.latest.get(name)
    if claim_id is None:
        raise DependencyRejection(f"{view.owner} holds no claim called {name!r}")
    return claim_id


def name_of(view: LocalView, claim_id: ClaimId) -> str:
    """Return the name of a claim, or the start of its id when it is not held."""
    claim = view.claims.get(claim_id)
    return claim.name if claim is not None else shown(claim_id)


def shown_claim(view: LocalView, claim_id: ClaimId) -> dict[str, Any]:
    """Return a held claim as events show it: name, revision, value."""
    claim = view.claims[claim_id]
    return {"name": claim.name, "predicate": claim.predicate, "revision": claim.revision, "value": claim.value}
