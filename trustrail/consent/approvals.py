"""Approvals and refusals that a framework recorded itself, each good for one execution of the call it names."""

from dataclasses import dataclass
from typing import Any

from trustrail.events import ConfirmationEvent, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """What a recorded `confirmation_event` says about one call."""

    seq: int
    confirmed: bool
    reason: str
    covers: tuple[dict[str, Any], ...]


class Approvals:
    """The recorded approvals of a run, newest decides, each used once."""

    __slots__ = ("_recorded", "_used")

    def __init__(self) -> None:
        self._recorded: list[tuple[int, ConfirmationEvent]] = []
        self._used: set[tuple[int, int]] = set()

    def add(self, seq: int, body: ConfirmationEvent) -> None:
        """Take in the confirmation event *seq*."""
        self._recorded.append((seq, body))

    def find(self, call: ToolCall) -> Approval | None:
        """Return what the newest approval that names *call* says, and use it up; None when none names it."""
        for seq, body in reversed(self._recorded):
            place = _place(call, body)
            if place is None:
                continue
            words = f"recorded by the framework: {body.reason}"
            if not body.confirmed:
                return Approval(seq=seq, confirmed=False, reason=f"the customer declined; {words}", covers=())
            if (seq, place) in self._used:
                return Approval(
                    seq=seq,
                    confirmed=False,
                    reason=f"the one approval was used up by an earlier call; {words}",
                    covers=(),
                )
            self._used.add((seq, place))
            return Approval(seq=seq, confirmed=True, reason=words, covers=body.covers)
        return None


def _place(call: ToolCall, body: ConfirmationEvent) -> int | None:
    """Return which of the calls named by *body* is *call*; 0 when it is named by its id alone."""
    for number, named in enumerate(body.covers):
        if named.get("tool") != call.tool:
            continue
        agreed = named.get("arguments") or {}
        if all((call.arguments or {}).get(name) == value for name, value in agreed.items()):
            return number
    by_id = body.call_id is not None and body.call_id == call.call_id
    return 0 if by_id and not body.covers else None
