"""Recorded answers to a framework's own request to approve a call."""

from dataclasses import dataclass
from typing import Any

from trustrail.events import ConfirmationEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person answered when the framework asked to approve one call."""

    call_id: str
    tool: str
    arguments: dict[str, Any] | None
    confirmed: bool
    record: str
    """The record that holds the answer."""


def confirmation(decision: Decision, *, answer_seq: int | None) -> ConfirmationEvent:
    """Return *decision* as an event that answers for its one call."""
    verb = "approved" if decision.confirmed else "refused"
    return ConfirmationEvent(
        confirmed=decision.confirmed,
        call_id=decision.call_id,
        proposal_seq=None,
        answer_seq=answer_seq,
        covers=({"tool": decision.tool, "arguments": decision.arguments},),
        reason=f"the framework recorded that a person {verb} this call",
    )
