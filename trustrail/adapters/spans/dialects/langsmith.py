"""LangSmith's OpenTelemetry export of LangChain and LangGraph runs.

Inputs and outputs stand whole under ``gen_ai.prompt`` and ``gen_ai.completion``. Environment variables are copied
into every span's metadata; nothing of the metadata but the LangGraph namespace is read.
"""

from typing import Any, Final

from trustrail.adapters.payload import read_result
from trustrail.adapters.spans.dialects.genai import last_user_message
from trustrail.adapters.spans.facts import Dialect, EntryFact, Fact, ModelFact, ToolFact
from trustrail.adapters.spans.langgraph import agent_of
from trustrail.adapters.spans.messages import (
    Message,
    arguments_or_none,
    call_identifier,
    read_messages,
    tool_message_answer,
)
from trustrail.adapters.spans.outcome import outcome_of, spoken
from trustrail.adapters.spans.span import Span

_KIND: Final = "langsmith.span.kind"
_INPUT: Final = "gen_ai.prompt"
_OUTPUT: Final = "gen_ai.completion"
_NAMESPACE: Final = "langsmith.metadata.langgraph_checkpoint_ns"


def read(span: Span) -> list[Fact]:
    """Return the facts on *span*."""
    kind = span.text(_KIND)
    if kind == "llm":
        return [_model_fact(span)]
    if kind == "tool":
        return [_tool_fact(span)]
    if span.parent_id is None:
        return [EntryFact(span=span, message=_entry_message(span.value(_INPUT)))]
    return []


def _model_fact(span: Span) -> ModelFact:
    said = _generations(span.value(_OUTPUT))
    return ModelFact(
        span=span,
        model=span.text("gen_ai.request.model", "gen_ai.response.model"),
        given=read_messages(span.value(_INPUT)),
        said=said,
        agent=_agent(span),
        missing=None if said else f"{_OUTPUT} is absent; unset LANGSMITH_HIDE_OUTPUTS to record it",
    )


def _tool_fact(span: Span) -> ToolFact:
    raw_input = span.value(_INPUT)
    raw_output = span.value(_OUTPUT)
    has_result = raw_output not in (None, {})
    output = raw_output.get("output", raw_output) if isinstance(raw_output, dict) else raw_output
    answer = tool_message_answer(output)
    result = answer.result if answer is not None else read_result(output)
    outcome = outcome_of(span, result, has_result=has_result, is_error=answer is not None and answer.is_error)
    arguments = _arguments(raw_input)
    call_id = call_identifier(span.attributes.get("gen_ai.tool.call.id"))
    return ToolFact(
        span=span,
        tool=span.text("gen_ai.tool.name", "langsmith.trace.name") or span.name,
        call_id=call_id or (answer.call_id if answer is not None else None),
        arguments=arguments,
        result=result if has_result else None,
        status=outcome.status,
        error=outcome.error,
        asked=outcome.asked,
        agent=_agent(span),
        missing_arguments=None if arguments is not None else f"{_INPUT} is absent",
        missing_result=None if has_result else f"{_OUTPUT} is absent",
    )


def _arguments(raw: Any) -> dict[str, Any] | None:  # noqa: ANN401 - attribute value
    """Return the tool's arguments: given by name, or as text or JSON under ``input``."""
    if isinstance(raw, dict) and set(raw) == {"input"}:
        inner = arguments_or_none(raw["input"])
        return inner if inner is not None else arguments_or_none(raw)
    return arguments_or_none(raw)


def _generations(value: Any) -> tuple[Message, ...] | None:  # noqa: ANN401 - attribute value
    try:
        return read_messages([value["generations"][0][0]["message"]])
    except (TypeError, KeyError, IndexError):
        return read_messages(value)


def _entry_message(value: Any) -> Message | None:  # noqa: ANN401 - attribute value
    command = value.get("input") if isinstance(value, dict) else None
    if isinstance(command, dict) and command.get("resume") is not None:
        return Message(role="user", text=spoken(command["resume"]))
    return last_user_message(value)


def _agent(span: Span) -> str | None:
    return agent_of(span.text(_NAMESPACE))


DIALECT = Dialect(
    name="langsmith",
    priority=30,
    matches=lambda span: _KIND in span.attributes,
    read=read,
)
