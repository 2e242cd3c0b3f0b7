"""An operation: the pure state machine of one publication, folded from its trail.

::

    (none) -- DISPATCH_BEGAN --> SENDING -- ACKNOWLEDGED --> ACCEPTED
                                    |                            ^
                                  DOUBTED                        | INSPECTED, FOUND
                                    v                            |
                                 UNKNOWN ------------------------+
                                    ^ |
                                    +-+ INSPECTED otherwise, ANSWERED_LATE

Nothing leads back to SENDING: an operation is dispatched once. Nothing but an acknowledgement in time or an
inspection that found this very payload leads to ACCEPTED.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from trailforge.errors import OperationRefusedError
from trailforge.publishing.adapter import Finding


class OperationState(StrEnum):
    """Where an operation stands."""

    SENDING = "SENDING"  #: intent to send is on disk; whether it was sent is not known before the deadline
    ACCEPTED = "ACCEPTED"  #: the external system has it
    UNKNOWN = "UNKNOWN"  #: it may have it or not


class TrailKind(StrEnum):
    """What one entry of a trail records."""

    DISPATCH_BEGAN = "DISPATCH_BEGAN"
    ACKNOWLEDGED = "ACKNOWLEDGED"
    DOUBTED = "DOUBTED"
    INSPECTED = "INSPECTED"
    ANSWERED_LATE = "ANSWERED_LATE"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailEntry:
    """One thing that happened to an operation."""

    kind: TrailKind
    at: int
    """Milliseconds since 1970 on the store's clock."""
    facts: dict[str, Any]

    def to_record(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        return {"at": self.at, "facts": self.facts, "kind": self.kind.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One publication as it stands."""

    operation_id: str
    intent_digest: str
    approval: str
    """Approval that was consumed for it."""
    state: OperationState
    deadline: int
    """Milliseconds since 1970 after which SENDING means UNKNOWN."""
    reason: str
    """Why the state is UNKNOWN; empty otherwise."""
    evidence: dict[str, Any]
    """Receipt or last evidence."""
    finding: Finding | None
    """What the last inspection showed; None before one."""
    version: int
    """Entries of the trail."""


def began(operation_id: str, *, at: int, intent_digest: str, approval: str, deadline: int, by: str) -> TrailEntry:
    """Return the entry that opens the trail of *operation_id*."""
    facts = {
        "approval": approval,
        "by": by,
        "deadline": deadline,
        "intent": intent_digest,
        "operation": operation_id,
    }
    return TrailEntry(kind=TrailKind.DISPATCH_BEGAN, at=at, facts=facts)


def doubted(at: int, reason: str) -> TrailEntry:
    """Return the entry that makes an operation UNKNOWN because of *reason*."""
    return TrailEntry(kind=TrailKind.DOUBTED, at=at, facts={"reason": reason[:500]})


def apply(operation: Operation | None, entry: TrailEntry) -> Operation:
    """Return *operation* after *entry*.

    Raises:
        OperationRefusedError: if *entry* does not follow from the state.
    """
    if operation is None:
        if entry.kind is not TrailKind.DISPATCH_BEGAN:
            raise OperationRefusedError(f"a trail begins with {entry.kind}, expected DISPATCH_BEGAN")
        return Operation(
            operation_id=entry.facts["operation"],
            intent_digest=entry.facts["intent"],
            approval=entry.facts["approval"],
            state=OperationState.SENDING,
            deadline=entry.facts["deadline"],
            reason="",
            evidence={},
            finding=None,
            version=1,
        )
    later = replace(operation, version=operation.version + 1)
    match operation.state, entry.kind:
        case OperationState.SENDING, TrailKind.ACKNOWLEDGED if entry.at < operation.deadline:
            return replace(later, state=OperationState.ACCEPTED, evidence=entry.facts["receipt"])
        case OperationState.SENDING, TrailKind.DOUBTED:
            return replace(later, state=OperationState.UNKNOWN, reason=entry.facts["reason"])
        case OperationState.UNKNOWN, TrailKind.ANSWERED_LATE:
            return replace(later, evidence=entry.facts["answer"])
        case OperationState.UNKNOWN, TrailKind.INSPECTED:
            return _inspected(later, entry.facts)
        case _:
            raise OperationRefusedError(
                f"operation {operation.operation_id} is {operation.state} at version {operation.version}, "
                f"which {entry.kind} does not follow"
            )


def _inspected(operation: Operation, facts: dict[str, Any]) -> Operation:
    finding = Finding(facts["finding"])
    found = replace(operation, finding=finding, evidence=facts["evidence"])
    if finding is Finding.FOUND:
        return replace(found, state=OperationState.ACCEPTED, reason="")
    return found
