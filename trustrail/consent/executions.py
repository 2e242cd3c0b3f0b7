"""Which result answers which call.

A result answers the nearest open call with its id; without an id, the oldest open call of its tool. Ids are
reused by real recorders, so a call is closed by its result and never looked up by id over the whole run. Where
more than one open call could be meant, the pair is marked ambiguous.
"""

from dataclasses import dataclass
from typing import Final

from trustrail.events import Event, ToolCall, ToolResult

_MOST_OPEN: Final = 256
"""Open calls remembered; ours, far above any parallel batch."""


@dataclass(slots=True, eq=False)
class Execution:
    """A call, and the result that answers it."""

    seq: int
    event: Event
    call: ToolCall
    result_seq: int | None = None
    result: ToolResult | None = None
    is_ambiguous: bool = False
    """True when another call or another result could belong here as well."""
    shares_id: bool = False
    """True when another open call had the same id and said something else."""


class Pairing:
    """Pairs calls and results as they come."""

    __slots__ = ("_by_id", "_open")

    def __init__(self) -> None:
        self._open: dict[int, Execution] = {}
        self._by_id: dict[str, list[Execution]] = {}

    def call(self, event: Event, body: ToolCall) -> Execution:
        """Take in a call and return its execution, still open."""
        execution = Execution(event.seq, event, body)
        if body.call_id is not None:
            known = self._by_id.setdefault(body.call_id, [])
            known[:] = [other for other in known if other.result is None]
            for other in known:
                if other.call.arguments != body.arguments or other.call.tool != body.tool:
                    other.is_ambiguous = execution.is_ambiguous = True
                    other.shares_id = execution.shares_id = True
            known.append(execution)
        self._open[event.seq] = execution
        if len(self._open) > _MOST_OPEN:
            del self._open[next(iter(self._open))]
        return execution

    def result(self, event: Event, body: ToolResult) -> Execution | None:
        """Take in a result and return the execution it closes; None when it answers no open call."""
        found = self._match(body)
        if found is None:
            return None
        found.result_seq, found.result = event.seq, body
        self._open.pop(found.seq, None)
        return found

    def _match(self, body: ToolResult) -> Execution | None:
        if body.call_id is not None and body.call_id in self._by_id:
            known = self._by_id[body.call_id]
            still_open = [execution for execution in known if execution.result is None]
            if still_open:
                return still_open[0]
            known[-1].is_ambiguous = True
            return None
        candidates = [
            execution
            for execution in self._open.values()
            if body.tool in (None, execution.call.tool) and (body.call_id is None or execution.call.call_id is None)
        ]
        if len(candidates) > 1:
            twins = [other for other in candidates[1:] if other.call.tool == candidates[0].call.tool]
            for execution in (candidates[0], *twins) if twins else ():
                execution.is_ambiguous = True
        return candidates[0] if candidates else None
