"""The OpenTelemetry GenAI semantic conventions, and what Langfuse and Pydantic AI add to them.

Content stands in attributes, in the event ``gen_ai.client.inference.operation.details``, or nowhere: recording it
is opt-in (GenAI conventions, "Recording content on attributes").
"""

import re
from typing import Any, Final

from trustrail.adapters.payload import read_result
from trustrail.adapters.spans.earlier_content import (
    given_earlier,
    said_earlier,
    tool_arguments_earlier,
    tool_result_earlier,
)
from trustrail.adapters.spans.facts import AgentFact, Dialect, EntryFact, Fact, ModelFact, ToolFact
from trustrail.adapters.spans.messages import (
    Message,
    arguments_or_none,
    call_identifier,
    read_messages,
    tool_message_answer,
)
from trustrail.adapters.spans.outcome import outcome_of
from trustrail.adapters.spans.span import Span

MODEL_OPERATIONS: Final = {"chat", "generate_content", "text_completion", "completion"}
_SETTING: Final = "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY to record it"
_ARGUMENT_KEYS: Final = ("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args", "tool_arguments")
_RESULT_KEYS: Final = ("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "tool_response")
_TOOL_NAMES: Final = re.compile(r"^(?:execute_tool|running tool:?) (.+)$")


def operation(span: Span) -> str | None:
    """Return the operation a span states, or the one Pydantic AI's names stand for."""
    stated = span.text("gen_ai.operation.name")
    if stated is None and "gen_ai.tool.name" in span.attributes:
        return "execute_tool"
    if stated is None and "gen_ai.agent.name" in span.attributes and "gen_ai.request.model" not in span.attributes:
        return "invoke_agent"
    return stated


def read(span: Span) -> list[Fact]:
    """Return the facts on *span*."""
    kind = operation(span)
    if kind in MODEL_OPERATIONS:
        return [model_fact(span)]
    if kind == "execute_tool":
        return [fact for fact in (tool_fact(span),) if fact is not None]
    if kind in ("invoke_agent", "invoke_workflow"):
        return agent_facts(span)
    return []


def agent_facts(span: Span) -> list[Fact]:
    """Return that an agent worked and, at the top of a trace, that a run began."""
    facts: list[Fact] = []
    name = span.text("gen_ai.agent.name")
    if name is not None and operation(span) == "invoke_agent":
        facts.append(AgentFact(span=span, name=name))
    if span.parent_id is None:
        facts.append(EntryFact(span=span, message=last_user_message(content(span, "gen_ai.input.messages"))))
    return facts


def model_fact(span: Span) -> ModelFact:
    """Return what a model call's span says."""
    model = span.text("gen_ai.request.model", "gen_ai.response.model")
    said, partials = split_stream(content(span, "gen_ai.output.messages"))
    said = said or said_earlier(span)
    return ModelFact(
        span=span,
        model=None if model == "unknown" else model,
        given=read_messages(content(span, "gen_ai.input.messages")) or given_earlier(span),
        said=said,
        partials=partials,
        agent=span.text("gen_ai.agent.name"),
        missing=None if said else _missing_answer(span),
    )


def _missing_answer(span: Span) -> str:
    if span.exception is not None:
        return f"the model call failed with {span.exception[0].rpartition('.')[2]}"
    return f"gen_ai.output.messages is absent; {_SETTING}"


def tool_fact(span: Span) -> ToolFact | None:
    """Return what a tool execution's span says; None for the pseudo span that merges parallel ones."""
    named = _TOOL_NAMES.match(span.name)
    tool = span.text("gen_ai.tool.name") or (named.group(1) if named else None)
    if tool is None or tool.startswith("(merged"):
        return None
    arguments = span.value(*_ARGUMENT_KEYS)
    if arguments is None:
        arguments = tool_arguments_earlier(span)
    raw, has_result = _recorded_result(span)
    answer = tool_message_answer(raw)
    result = answer.result if answer is not None else read_result(raw)
    outcome = outcome_of(span, result, has_result=has_result, is_error=answer is not None and answer.is_error)
    call_id = call_identifier(span.attributes.get("gen_ai.tool.call.id"))
    return ToolFact(
        span=span,
        tool=tool,
        call_id=call_id or (answer.call_id if answer is not None else None),
        arguments=arguments_or_none(arguments),
        result=result,
        status=outcome.status,
        error=outcome.error,
        asked=outcome.asked,
        agent=span.text("gen_ai.agent.name"),
        missing_arguments=f"{_ARGUMENT_KEYS[0]} is absent; {_SETTING}" if arguments is None else None,
        missing_result=None if has_result else f"{_RESULT_KEYS[0]} is absent; {_SETTING}",
    )


def _recorded_result(span: Span) -> tuple[Any, bool]:
    """Return the result that was recorded, and whether one was."""
    for key in _RESULT_KEYS:
        if key in span.attributes and span.attributes[key] != "<not serializable>":
            return span.value(key), True
    return tool_result_earlier(span)


def content(span: Span, key: str) -> Any:  # noqa: ANN401 - attribute value
    """Return message content from the span's attributes or its details event."""
    if key in span.attributes:
        return span.value(key)
    for event in span.events:
        if key in event.attributes:
            return event.attributes[key]
    return None


def last_user_message(value: Any) -> Message | None:  # noqa: ANN401 - attribute value
    """Return the last message of a user in *value*."""
    messages = read_messages(value) or ()
    return next((message for message in reversed(messages) if message.role == "user" and message.text), None)


def split_stream(value: Any) -> tuple[tuple[Message, ...] | None, tuple[str, ...]]:  # noqa: ANN401
    """Return a model's answer and the pieces it was streamed in.

    Streaming writes every piece as a message of its own and then the whole; only then do the pieces, put
    together, say what the last message says, but for spaces at its ends.
    """
    messages = read_messages(value)
    if messages is None or len(messages) < 2 or not all(message.text for message in messages):
        return messages, ()
    pieces = tuple(message.text or "" for message in messages[:-1])
    is_whole = "".join(pieces).split() == (messages[-1].text or "").split()
    return (messages[-1:], pieces) if is_whole else (messages, ())


DIALECT = Dialect(
    name="genai",
    priority=90,
    matches=lambda span: operation(span) is not None,
    read=read,
)
