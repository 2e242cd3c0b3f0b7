"""What organizations are told and what they tell: two closed unions.

A `Parcel` is what travels between organizations; everything else comes from an organization's own business
(`Instruction`), from its agent (`Decision`) or from its clock (`Woken`). What is made for every message is a msgspec
struct, which costs an eighth of a frozen dataclass to make; none of them can be part of a cycle, so the cycle collector
is not told of them (``gc=False``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct

from mast.ids import ClaimId, ClaimName, OrganizationName, TaskName
from mast.protocol.packets import NAME_FIELD, VALUE_FIELD, Bundle
from trustrail.foundation import SignedEnvelope, canonical_msgpack, parse_msgpack


class ParcelKind(StrEnum):
    """What a parcel is for; the network gives each kind its latency."""

    # NOTE: an enum member hashes its name in Python; kinds are looked up for every parcel.
    __hash__ = str.__hash__

    HANDOFF = "handoff"
    HANDOFF_RECEIPT = "handoff_receipt"
    REFUSAL = "refusal"  #: the answer to a packet that was refused
    STATUS_QUERY = "status_query"
    STATUS_REPLY = "status_reply"
    FACT_QUERY = "fact_query"
    FACT_REPLY = "fact_reply"
    REVOCATION = "revocation"  #: a bare revocation, broadcast by the revoker
    NOTICE = "notice"
    NOTICE_RECEIPT = "notice_receipt"
    REBUILD = "rebuild"  #: a recovery envelope with what its frontier needs; answered by a handoff or a refusal


class PlainClaim(Struct, frozen=True, gc=False):
    """A statement as ordinary messages carry it: no signature, no parents."""

    name: ClaimName
    sender: OrganizationName
    predicate: str
    value: Mapping[str, Any]
    revision: int = 1


class PlainNote(Struct, frozen=True, gc=False):
    """A question or answer between organizations that sign nothing."""

    subject: ClaimName
    value: Mapping[str, Any]


class Parcel(Struct, frozen=True, gc=False):
    """One message between two organizations: a main packet and the packets that travel with it."""

    kind: ParcelKind
    sender: OrganizationName
    recipient: OrganizationName
    packet: SignedEnvelope | PlainNote
    attached: tuple[SignedEnvelope | PlainClaim, ...] = ()
    turn: str = ""
    """The stage of work the parcel belongs to; correlates events, decides nothing."""

    def size(self) -> int:
        """Return the bytes on the wire, as far as packets are signed."""
        size = len(self.packet) if isinstance(self.packet, SignedEnvelope) else 0
        return size + sum(len(item) for item in self.attached if isinstance(item, SignedEnvelope))


def claim_name_of(item: SignedEnvelope | PlainClaim) -> str | None:
    """Return the name of the claim in *item*, or None when it holds something else."""
    if isinstance(item, PlainClaim):
        return item.name
    content = parse_msgpack(item.payload)
    return content[NAME_FIELD] if content[0] == "claim" else None


def altered_claim(item: SignedEnvelope | PlainClaim, changes: Mapping[str, Any]) -> SignedEnvelope | PlainClaim:
    """Return *item* with *changes* made to its fact's value and the signature left as it was."""
    if isinstance(item, PlainClaim):
        return PlainClaim(item.name, item.sender, item.predicate, {**item.value, **changes}, item.revision)
    content = list(parse_msgpack(item.payload))
    content[VALUE_FIELD] = {**content[VALUE_FIELD], **changes}
    return SignedEnvelope(canonical_msgpack(content), item.issuer, item.signature)


# --- instructions: what an organization's own business asks of it -------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A claim an organization is to issue: its content, with parents by name."""

    name: ClaimName
    parents: tuple[ClaimName, ...]
    rule: str
    predicate: str
    value: Mapping[str, Any]
    revision: int = 1


class Provide(Struct, frozen=True, gc=False, kw_only=True):
    """Issue the statements not yet issued and hand all the named claims to *recipient* in one handoff."""

    statements: tuple[Statement, ...]
    claims: tuple[ClaimName, ...]
    recipient: OrganizationName
    stage: str = "seed"


class Act(Struct, frozen=True, gc=False, kw_only=True):
    """Ask the agent whether to perform an operation, and perform it if every check passes."""

    stage: str
    """Key of the decision, unique in a run: ``forward/3``, ``task/A_a``, ``repaired/A_a``."""
    phase: str
    """``forward``, ``initial`` or ``repaired``."""
    operation: str
    claims: tuple[ClaimName, ...]
    recipient: OrganizationName | None = None
    """Whom a forward goes to."""
    task: TaskName | None = None
    order: str | None = None


class Revoke(Struct, frozen=True, gc=False, kw_only=True):
    """Revoke one's own claim."""

    claim: ClaimName
    stage: str = "revoke"


class Revise(Struct, frozen=True, gc=False, kw_only=True):
    """A corrected fact for one's own claim is known; publish it as the mechanisms allow."""

    claim: ClaimName
    value: Mapping[str, Any]
    stage: str


class Republish(Struct, frozen=True, gc=False, kw_only=True):
    """Derive the named claims again from the newest revision of their parents and hand them on."""

    statements: tuple[Statement, ...]
    recipient: OrganizationName
    stage: str


class Recover(Struct, frozen=True, gc=False, kw_only=True):
    """Use confirmed offers to have what a refused task needs rebuilt, then try the task again."""

    offers: tuple[Bundle, ...]
    act: Act
    """The task as it is tried again."""
    stage: str


Instruction = Provide | Act | Revoke | Revise | Republish | Recover


# --- decisions ----------------------------------------------------------------------------------------------


class Question(Struct, frozen=True, gc=False, kw_only=True):
    """What an agent is asked, with the local view it may look at."""

    organization: OrganizationName
    stage: str
    operation: str
    claims: tuple[ClaimId, ...]
    """The claims at hand, in order; ``task[0]`` names the first."""
    allowed: tuple[str, ...]
    view: "View"
    last_result: str | None = None
    """Result of the previous try of this stage (``VERIFIED``, ``REQUEST_EVIDENCE``, …)."""
    round: int = 0
    """How often this stage has been asked before: 1 after a ``verify``."""


class View(Struct, frozen=True, gc=False, kw_only=True):
    """The local view: nothing an organization was not told."""

    facts: Mapping[ClaimId, Mapping[str, Any]]
    """Claims at hand and what they depend on: issuer, predicate, value, parents."""
    blocked: frozenset[ClaimId]


class Decision(Struct, frozen=True, gc=False, kw_only=True):
    """An agent's answer.

    ``origin`` tells a model's own choice from a stop made for it; the two are never merged.
    """

    stage: str
    action: str
    """``proceed``, ``verify`` or ``hold``."""
    claim_refs: tuple[str, ...] | None = None
    """Claims the agent bases the action on, as ``task[i]`` or hex ids; None stands for all of them."""
    reason: str = ""
    origin: str = "agent"
    """``agent``, ``tape``, ``invalid``, ``provider`` or ``budget``."""


class Woken(Struct, frozen=True, gc=False):
    """The clock reached a tick the organization had asked for, or (``UNANSWERED``) what it waits for is overdue."""

    token: str


UNANSWERED: Final = "unanswered"
"""Token of the clock that watches over whatever an activity waits for."""


Message = Parcel | Instruction | Decision | Woken


# --- effects ------------------------------------------------------------------------------------------------


class Send(Struct, frozen=True, gc=False):
    """Give a parcel to the network."""

    parcel: Parcel


class Consult(Struct, frozen=True, gc=False):
    """Ask the agent; its `Decision` comes back as a message."""

    question: Question


class WakeAfter(Struct, frozen=True, gc=False):
    """Ask to be woken in some ticks."""

    ticks: int
    token: str


class Record(Struct, frozen=True, gc=False):
    """Something happened that the observer writes down as a canonical event."""

    kind: str
    """One of the nine event types."""
    body: dict[str, Any]
    turn: str
    provenance: bytes | None = None
    """Id of the packet the event is about."""
    values: tuple[Any, ...] = ()
    """The values of claims that the body shows; they may be of any JSON form."""


class Report(Struct, frozen=True, gc=False):
    """Tell the workload that an instruction is finished."""

    stage: str
    result: str
    offers: tuple[Bundle, ...] = ()


Effect = Send | Consult | WakeAfter | Record | Report
