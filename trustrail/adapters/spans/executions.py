"""Which execution answers which request, and what an execution or an unanswered request becomes.

An execution span without an id is matched to a request by its tool and arguments; where a bridge drops the name of
the only argument, the request's name is taken if its value is the same.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from trustrail.adapters.spans.facts import ToolFact
from trustrail.adapters.spans.messages import Answer, Request
from trustrail.adapters.spans.outcome import status_of_payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call as it will be written: what the model asked for, joined with what was executed."""

    tool: str
    request: Request | None
    execution: ToolFact | None

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


def with_told_results(facts: list[ToolFact], answers: list[Answer]) -> list[ToolFact]:
    """Return the executions whose lost result a history still tells, with it in place.

    Only where one execution has the id, and all answers with it say the same: with reused ids it could be
    another call's.
    """
    executions = Counter(fact.call_id for fact in facts)
    told: dict[str | None, list[Answer]] = {}
    for answer in answers:
        known = told.setdefault(answer.call_id, [])
        if not known or known[-1] != answer:
            known.append(answer)
    lost = [fact for fact in facts if fact.status == "unknown" and fact.call_id is not None]
    return [
        _answered(fact, told[fact.call_id][0])
        for fact in lost
        if executions[fact.call_id] == 1 and len(told.get(fact.call_id, ())) == 1
    ]


def _answered(fact: ToolFact, answer: Answer) -> ToolFact:
    words = answer.result if answer.is_error and isinstance(answer.result, str) else None
    outcome = status_of_payload(answer.result, is_error=answer.is_error)
    return replace(fact, result=answer.result, status=outcome.status, error=words, missing_result=None)
