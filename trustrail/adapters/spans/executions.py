"""Which execution answers which request, and what an execution or an unanswered request becomes.

An execution span without an id is matched to a request by its tool and arguments; where a bridge drops the name of
the only argument, the request's name is taken if its value is the same.
"""

from dataclasses import dataclass, replace
from typing import Any

from trustrail.adapters.payload import canonical_text
from trustrail.adapters.spans.facts import Status, ToolFact
from trustrail.adapters.spans.messages import Answer, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call as it will be written: what the model asked for, joined with what was executed."""

    request: Request | None
    execution: ToolFact | None

    @property
    def tool(self) -> str:
        """Name of the tool."""
        return self.execution.tool if self.execution is not None else self._request.tool

    @property
    def call_id(self) -> str | None:
        """The call's id, from the execution first."""
        own = self.execution.call_id if self.execution is not None else None
        return own or (self.request.call_id if self.request is not None else None)

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The call's arguments, from the execution first."""
        if self.execution is not None and self.execution.arguments is not None:
            return self.execution.arguments
        return self.request.arguments if self.request is not None else None

    @property
    def _request(self) -> Request:
        if self.request is None:
            raise ValueError("a call needs a request or an execution")
        return self.request


def is_execution_of(fact: ToolFact, request: Request) -> bool:
    """Whether *fact* can be an execution of *request*."""
    if fact.tool != request.tool:
        return False
    if fact.call_id is not None and request.call_id is not None:
        return fact.call_id == request.call_id
    values = list((request.arguments or {}).values())
    is_bare_value = len(values) == 1 and fact.bare_input == str(values[0])
    has_none = fact.arguments is None and fact.bare_input is None
    has_same = fact.arguments is not None and fact.arguments == request.arguments
    return has_same or is_bare_value or has_none


def fill_results(facts: list[ToolFact], answers: list[Answer]) -> dict[str, ToolFact]:
    """Return, by call id, the executions whose lost result a history still tells.

    Only where one execution and one answer share the id: with reused ids it could be another call's.
    """
    filled = {}
    for fact in facts:
        same_facts = [other for other in facts if other.call_id == fact.call_id]
        told = [answer for answer in answers if answer.call_id == fact.call_id]
        results = {repr(answer.result) for answer in told}
        if fact.status == "unknown" and fact.call_id and len(same_facts) == 1 and len(results) == 1:
            answer = told[0]
            text = canonical_text(answer.result) if isinstance(answer.result, str) and answer.is_error else None
            status: Status = "error" if answer.is_error else "ok"
            filled[fact.call_id] = replace(fact, result=answer.result, status=status, error=text, missing_result=None)
    return filled
