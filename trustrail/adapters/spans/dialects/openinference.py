"""OpenInference spans (Arize), as its instrumentors for ADK, LangChain, OpenAI Agents and others write them.

``input.value`` of a LangChain tool with one argument is the bare value, without the argument's name; the name is
only found in the model's request. Messages stand flattened below ``llm.input_messages.N.message``.
"""

import json
import re
from typing import Any, Final

from trustrail.adapters.payload import read_result
from trustrail.adapters.spans.dialects.genai import last_user_message
from trustrail.adapters.spans.facts import AgentFact, Dialect, EntryFact, Fact, ModelFact, ToolFact
from trustrail.adapters.spans.langgraph import agent_of
from trustrail.adapters.spans.messages import (
    Message,
    arguments_or_none,
    call_identifier,
    read_message,
    read_messages,
    tool_message_answer,
)
from trustrail.adapters.spans.numbered import in_order, numbered
from trustrail.adapters.spans.outcome import outcome_of, spoken
from trustrail.adapters.spans.span import Span

_KIND: Final = "openinference.span.kind"
_ADK_AGENT: Final = re.compile(r"^(?:agent_run|invoke_agent) \[?([^\]]+)\]?$")


def read(span: Span) -> list[Fact]:
    """Return the facts on *span*."""
    kind = str(span.attributes.get(_KIND)).upper()
    if kind == "LLM":
        return [_model_fact(span)]
    if kind == "TOOL":
        return [_tool_fact(span)]
    facts: list[Fact] = []
    if kind == "AGENT":
        named = _ADK_AGENT.match(span.name)
        name = span.text("agent.name", "graph.node.id") or (named.group(1) if named is not None else None)
        if name is not None:
            facts.append(AgentFact(span=span, name=name))
        if "llm.output_messages.0.message.role" in span.attributes:
            facts.append(_model_fact(span))
    if span.parent_id is None:
        facts.append(EntryFact(span=span, message=_entry_message(span)))
    return facts


def _model_fact(span: Span) -> ModelFact:
    value = span.value("input.value")
    request = value.get("contents") if isinstance(value, dict) else None
    given = read_messages(request) or _flattened(span, "llm.input_messages") or read_messages(value)
    said = _generations(span.value("output.value")) or _adk_response(span.value("output.value"))
    said = said or _flattened(span, "llm.output_messages")
    return ModelFact(
        span=span,
        model=span.text("llm.model_name"),
        given=given,
        said=said,
        agent=_agent(span),
        missing=None if said else "llm.output_messages is absent; unset OPENINFERENCE_HIDE_OUTPUTS to record it",
    )


def _tool_fact(span: Span) -> ToolFact:
    raw_input = span.value("input.value", "tool.parameters")
    has_result = "output.value" in span.attributes
    raw_output = span.value("output.value")
    answer = tool_message_answer(raw_output)
    result = answer.result if answer is not None else read_result(_adk_tool_response(raw_output))
    outcome = outcome_of(span, result, has_result=has_result, is_error=answer is not None and answer.is_error)
    call_id = call_identifier(span.text("tool.id", "gen_ai.tool.call.id", "tool_call.id"))
    is_bare = raw_input is not None and not isinstance(raw_input, dict)
    return ToolFact(
        span=span,
        tool=span.text("tool.name", "gen_ai.tool.name") or span.name,
        call_id=call_id or (answer.call_id if answer is not None else None),
        arguments=None if is_bare else arguments_or_none(raw_input),
        bare_input=str(span.attributes.get("input.value")) if is_bare else None,
        result=result,
        status=outcome.status,
        error=outcome.error,
        asked=outcome.asked,
        agent=_agent(span),
        missing_arguments=_missing_arguments(raw_input, is_bare=is_bare),
        missing_result=None if has_result else "output.value is absent",
    )


def _missing_arguments(raw_input: Any, *, is_bare: bool) -> str | None:  # noqa: ANN401 - attribute value
    if is_bare:
        return "input.value is one bare value without the argument's name"
    return "input.value is absent" if raw_input is None else None


def _flattened(span: Span, prefix: str) -> tuple[Message, ...] | None:
    """Return the messages whose fields stand in one attribute each."""
    items = [item.get("message") for item in numbered(span, prefix) if isinstance(item, dict)]
    messages = [read_message(_message(item)) for item in items]
    found = tuple(message for message in messages if message is not None)
    return found or None


def _message(raw: Any) -> dict[str, Any] | None:  # noqa: ANN401 - attribute tree
    if not isinstance(raw, dict):
        return None
    content = raw.get("content")
    if isinstance(content, dict):
        content = "\n".join(str(text) for text in in_order(content))
    parts = [item.get("message_content") for item in in_order(raw.get("contents")) if isinstance(item, dict)]
    calls = [item.get("tool_call") for item in in_order(raw.get("tool_calls")) if isinstance(item, dict)]
    return {
        "role": raw.get("role"),
        "content": parts or content,
        "name": raw.get("name"),
        "tool_call_id": raw.get("tool_call_id"),
        "tool_calls": [_call(call) for call in calls if isinstance(call, dict)],
    }


def _call(raw: dict[str, Any]) -> dict[str, Any]:
    function = raw.get("function")
    named = function if isinstance(function, dict) else {}
    return {"id": raw.get("id"), "name": named.get("name"), "arguments": named.get("arguments")}


def _generations(value: Any) -> tuple[Message, ...] | None:  # noqa: ANN401 - attribute value
    """Return LangChain's generations, which keep empty arguments that the flattened form drops."""
    try:
        return read_messages([value["generations"][0][0]["message"]])
    except (TypeError, KeyError, IndexError):
        return None


def _adk_response(value: Any) -> tuple[Message, ...] | None:  # noqa: ANN401 - attribute value
    content = value.get("content") if isinstance(value, dict) else None
    return read_messages([content]) if isinstance(content, dict) and "parts" in content else None


def _adk_tool_response(value: Any) -> Any:  # noqa: ANN401 - attribute value
    return value["response"] if isinstance(value, dict) and {"id", "name", "response"} == set(value) else value


def _entry_message(span: Span) -> Message | None:
    value = span.value("input.value")
    if isinstance(value, dict):
        if value.get("resume") is not None:
            return Message(role="user", text=spoken(value["resume"]))
        if isinstance(value.get("new_message"), dict):
            return last_user_message([value["new_message"]])
    if isinstance(value, str):
        return Message(role="user", text=value)
    return last_user_message(value)


def _agent(span: Span) -> str | None:
    """Return the agent from ADK's attribute, or the subgraph from LangGraph's checkpoint namespace."""
    name = span.text("gen_ai.agent.name")
    if name is not None:
        return name
    try:
        metadata = json.loads(str(span.attributes.get("metadata", "{}")))
    except ValueError:
        return None
    namespace = metadata.get("langgraph_checkpoint_ns") if isinstance(metadata, dict) else None
    return agent_of(namespace) if isinstance(namespace, str) else None


DIALECT = Dialect(
    name="openinference",
    priority=10,
    matches=lambda span: _KIND in span.attributes,
    read=read,
)
