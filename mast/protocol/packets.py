"""The packets: every kind of statement that organizations sign.

A packet is a frozen value; on the wire it is the canonical MessagePack array ``[kind, issuer, workflow, …]`` in
the order of its fields, signed (`trustrail.foundation.envelope`). Its id is the SHA-256 of the signed bytes, so a
claim that names its parents by id commits to everything it derives from. No packet can be part of a cycle, so the
cycle collector is not told of them (``gc=False``).
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from mast.ids import ClaimId, ClaimName, OrganizationName
from trustrail.foundation import MAX_SAFE_INTEGER, SignedEnvelope

MAX_PARENTS: Final = 16
"""Most parents of one claim (behaviour of the earlier system, section 1.2)."""

MAX_PACKET_BYTES: Final = 65_536
"""Longest payload that is read; ours."""

NAME_FIELD: Final = 3
VALUE_FIELD: Final = 7
"""Places of a claim's name and value in its array."""

MAX_VALUE_DEPTH: Final = 32
"""Deepest nesting of a claim's value; ours, half of what canonical JSON allows, so that every event, table and report
that shows the value has room around it."""

MAX_NAME: Final = 200
"""Longest name of anything, in characters; ours."""

MAX_TARGETS: Final = 4_096
"""Most claims in one handoff, and most handoffs in one notice; ours."""

_Id = Annotated[bytes, Meta(min_length=32, max_length=32)]
_Claim = Annotated[ClaimId, Meta(min_length=32, max_length=32)]
_Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
_Organization = Annotated[OrganizationName, Meta(min_length=1, max_length=MAX_NAME)]
_ClaimName = Annotated[ClaimName, Meta(min_length=1, max_length=MAX_NAME)]
_Count = Annotated[int, Meta(ge=0, le=MAX_SAFE_INTEGER)]

Blocked = tuple[tuple[_Claim, tuple[_Claim, ...]], ...]
"""Which targets are blocked, each with the claims that block it."""


class Bundle(msgspec.Struct, frozen=True, gc=False):
    """A packet with the packets that travel beside it."""

    packet: SignedEnvelope
    attached: tuple[SignedEnvelope, ...] = ()


class Packet(msgspec.Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """What all packets say first: who speaks, in which workflow."""

    issuer: _Organization
    workflow: _Name


class Claim(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="claim"):
    """A statement, and what it derives from.

    Raises:
        msgspec.ValidationError: on reading, for more than 16 parents or a wrong type.
    """

    name: _ClaimName
    parents: Annotated[tuple[_Claim, ...], Meta(max_length=MAX_PARENTS)]
    rule: _Name
    predicate: _Name
    value: dict[str, Any]
    revision: Annotated[int, Meta(ge=1, le=MAX_SAFE_INTEGER)] = 1
    supersedes: _Claim | None = None
    """The claim this one replaces."""
    recovery: tuple[_Id, str] | None = None
    """Envelope and task a rebuilt claim is bound to."""


class Revocation(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="revocation"):
    """The issuer takes a claim back. Irreversible.

    It carries the claim's payload and signature, so that it can be checked by who never saw the claim.
    """

    claim: _Claim
    claim_payload: bytes
    claim_signature: bytes


class Handoff(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="handoff"):
    """The issuer hands claims to one recipient.

    The target ids commit to the whole closure; the packets of the closure travel beside the handoff, less those
    that the recipient has already acknowledged.
    """

    recipient: _Organization
    targets: Annotated[tuple[_Claim, ...], Meta(min_length=1, max_length=MAX_TARGETS)]


class HandoffReceipt(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="handoff_receipt"):
    """The recipient has verified and recorded a handoff. Authorizes nothing."""

    sender: _Organization
    handoff: _Id
    status: Literal["accepted", "blocked"]
    blocked: Blocked
    sequence: _Count
    """Length of the recipient's journal just after it recorded the handoff."""
    head: _Id
    """Head of that journal: countersigned here, so that two journals of one length prove a fork."""


class Refusal(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="refusal"):
    """A packet was refused; the refuser's state is unchanged."""

    packet: _Id
    reason: _Name


class StatusQuery(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="status_query"):
    """Is this claim of yours still good?"""

    authority: _Organization
    claim: _Claim
    challenge: _Id
    """Fresh per question: the answer cannot be an old one."""


class StatusReply(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="status_reply"):
    """The claim's issuer answers; revocations that make it inactive travel beside the reply."""

    query: _Id
    claim: _Claim
    status: Literal["active", "revoked", "unknown"]
    proofs: tuple[_Id, ...] = ()


class FactQuery(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="fact_query"):
    """Does the amount in this claim agree with your record? The claim travels beside the query."""

    authority: _Organization
    scope: _Name
    claim: _Claim
    purpose: _Id
    """What the answer is for: digest of the proposal, or of a revision's intent."""
    challenge: _Id


class FactReply(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="fact_reply"):
    """The authority's answer. It never contains the amount."""

    query: _Id
    scope: _Name
    claim: _Claim
    status: Literal["CONFIRMED", "CONTRADICTED", "UNKNOWN"]
    version: str | None
    """Version of the record; None when UNKNOWN."""
    issued_at: _Count
    expires_at: _Count
    """Ticks; the answer holds while ``issued_at <= now < expires_at``."""


class Notice(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="notice"):
    """A claim you received from me is revoked or disputed; the proof travels beside the notice."""

    recipient: _Organization
    about: Literal["revocation", "dispute"]
    claim: _Claim
    proof: _Id
    """Id of the revocation, or of the contradicting reply."""
    handoffs: Annotated[tuple[_Id, ...], Meta(min_length=1, max_length=MAX_TARGETS)]
    """The handoffs by which the recipient got it, sorted."""


class NoticeReceipt(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="notice_receipt"):
    """The recipient of a notice has applied it."""

    sender: _Organization
    notice: _Id
    claim: _Claim
    proof: _Id
    sequence: _Count
    head: _Id


class RevisionOffer(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="revision_offer"):
    """The issuer replaces one of its claims; replacement, revocation and resolution travel beside the offer."""

    old: _Claim
    new: _Claim
    revocation: _Id
    dispute: tuple[_Id, _Id] | None
    """Fact query and contradicting reply that the revision answers."""
    confirmation: tuple[_Id, _Id] | None
    """Fact query and confirming reply about the replacement."""
    checked_at: _Count
    """Tick at which the confirmation was checked."""


class Outcome(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="outcome"):
    """How one action ended: an entry of the actor's journal, signed."""

    sequence: _Count
    head: _Id
    """Head of the journal just before this entry."""
    stage: _Name
    task: str | None
    operation: _Name
    claims: tuple[_Claim, ...]
    result: _Name
    reason: str
    replies: tuple[_Id, ...]
    """Replies the decision rests on, in the order asked."""


class RecoveryEnvelope(Packet, frozen=True, array_like=True, forbid_unknown_fields=True, tag="recovery_envelope"):
    """What a refused receiver needs rebuilt before it may try again. Authorizes no action."""

    task: str
    outcome: _Id
    offers: Annotated[tuple[_Id, ...], Meta(min_length=1)]
    replaced: tuple[tuple[_Claim, _Claim], ...]
    """(old, new) for each revised claim the task depends on."""
    affected: tuple[tuple[_Claim, _Organization, tuple[_Claim, ...], _Name], ...]
    """(old id, issuer, parents, rule) of each derived claim to rebuild, parents first."""
    action_authorized: Literal[False] = False
    fresh_status_check_still_required: Literal[True] = True


AnyPacket = (
    Claim
    | Revocation
    | Handoff
    | HandoffReceipt
    | Refusal
    | StatusQuery
    | StatusReply
    | FactQuery
    | FactReply
    | Notice
    | NoticeReceipt
    | RevisionOffer
    | Outcome
    | RecoveryEnvelope
)
