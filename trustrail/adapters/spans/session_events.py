"""ADK session events: what they add to spans.

Spans of ADK 2.13 carry no content by default, and never the approval of a call; session events do. A model span
and the event of its answer share ``gcp.vertex.agent.event_id``. Partial events repeat the id of the final one.
Event times are no order: a request to approve is emitted before the event it is stamped after.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any, Final

from trustrail.adapters.payload import read_result
from trustrail.adapters.spans.approvals import Decision
from trustrail.adapters.spans.facts import ModelFact, ToolFact
from trustrail.adapters.spans.messages import Answer, Message, read_message
from trustrail.adapters.spans.outcome import outcome_of
from trustrail.adapters.spans.reading import Trace

APPROVAL_TOOL: Final = "adk_request_confirmation"
_EVENT_ID: Final = "gcp.vertex.agent.event_id"


@dataclass(slots=True)
class SessionEvents:
    """What the events of one session say, by event and by call."""

    answers: dict[str, Message] = field(default_factory=dict)
    """The final message of a model, by event id."""
    partials: dict[str, tuple[str, ...]] = field(default_factory=dict)
    results: dict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    """Results in order, by call id."""
    arguments: dict[str, dict[str, Any]] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)


def is_session_event(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether *value* is an event of an ADK session."""
    return isinstance(value, dict) and "author" in value and ("invocation_id" in value or "invocationId" in value)


def read_session_events(raw_events: Any) -> SessionEvents:  # noqa: ANN401 - source value
    """Return what the session events say; events of another shape are passed over."""
    found = SessionEvents()
    asked: dict[str, dict[str, Any]] = {}
    for raw in raw_events if isinstance(raw_events, list) else ():
        message = read_message(raw.get("content")) if is_session_event(raw) else None
        if message is None:
            continue
        event_id = str(raw.get("id"))
        for request in message.requests:
            if request.tool == APPROVAL_TOOL and request.call_id is not None:
                asked[request.call_id] = (request.arguments or {}).get("originalFunctionCall") or {}
            elif request.call_id is not None and request.arguments is not None:
                found.arguments[request.call_id] = request.arguments
        for answer in message.answers:
            if answer.tool == APPROVAL_TOOL:
                _note_decision(answer, asked, f"event {event_id}", found)
            elif answer.call_id is not None:
                found.results[answer.call_id].append(answer)
        if message.role == "assistant" and not _is_approval_request(message):
            _note_answer(raw, event_id, message, found)
    return found


def enrich(trace: Trace, session: SessionEvents) -> None:
    """Fill in what the spans of *trace* lack."""
    trace.top = [_enriched(fact, session) for fact in trace.top]
    trace.inside = {key: [_enriched(fact, session) for fact in facts] for key, facts in trace.inside.items()}


def _note_answer(raw: dict[str, Any], event_id: str, message: Message, found: SessionEvents) -> None:
    if raw.get("partial"):
        found.partials[event_id] = (*found.partials.get(event_id, ()), message.text or "")
    else:
        found.answers[event_id] = message


def _note_decision(answer: Answer, asked: dict[str, dict[str, Any]], record: str, found: SessionEvents) -> None:
    original = asked.get(answer.call_id or "", {})
    response = read_result(answer.result)
    if isinstance(response, dict) and isinstance(response.get("response"), str):
        response = read_result(response["response"])
    confirmed = response.get("confirmed") if isinstance(response, dict) else None
    if isinstance(original.get("id"), str) and isinstance(confirmed, bool):
        found.decisions[original["id"]] = Decision(
            call_id=original["id"],
            tool=str(original.get("name")),
            arguments=original.get("args") if isinstance(original.get("args"), dict) else None,
            confirmed=confirmed,
            record=record,
        )


def _is_approval_request(message: Message) -> bool:
    return any(request.tool == APPROVAL_TOOL for request in message.requests)


def _enriched(fact: ModelFact | ToolFact, session: SessionEvents) -> ModelFact | ToolFact:
    event_id = str(fact.span.attributes.get(_EVENT_ID))
    if isinstance(fact, ModelFact):
        said = session.answers.get(event_id)
        partials = session.partials.get(event_id, fact.partials)
        return fact if said is None else replace(fact, said=(said,), partials=partials, missing=None)
    call_id = fact.call_id or ""
    if fact.arguments is None and call_id in session.arguments:
        fact = replace(fact, arguments=session.arguments[call_id], missing_arguments=None)
    results = session.results.get(call_id, [])
    if fact.missing_result is None or fact.status == "error" or not results:
        return fact
    answer = results.pop(0)
    outcome = outcome_of(fact.span, answer.result, has_result=True, is_error=answer.is_error)
    return replace(fact, result=answer.result, status=outcome.status, error=outcome.error, missing_result=None)
