"""Traceloop's OpenTelemetry instrumentation of LangChain and LangGraph (0.62).

Tool arguments stand in an envelope with the call's id; the result is a serialised LangChain message. An interrupt
and a handoff to the parent graph are reported as status ERROR.
"""

from dataclasses import replace
from typing import Any, Final

from trustrail.adapters.payload import read_result
from trustrail.adapters.spans.dialects import genai
from trustrail.adapters.spans.facts import AgentFact, Dialect, EntryFact, Fact, ModelFact, ToolFact
from trustrail.adapters.spans.langgraph import agent_of
from trustrail.adapters.spans.messages import Message, arguments_or_none, call_identifier, tool_message_answer
from trustrail.adapters.spans.outcome import outcome_of, spoken
from trustrail.adapters.spans.span import Span, parsed

_NAMESPACE: Final = "traceloop.association.properties.langgraph_checkpoint_ns"


def matches(span: Span) -> bool:
    """Whether Traceloop wrote *span*."""
    return any(key.startswith("traceloop.") for key in span.attributes)


def read(span: Span) -> list[Fact]:
    """Return the facts on *span*."""
    kind = span.text("traceloop.span.kind")
    agent = agent_of(span.text(_NAMESPACE))
    if kind == "workflow":
        return _workflow_facts(span)
    facts = genai.read(span) if kind != "tool" else [_tool_fact(span)]
    return [
        replace(fact, agent=agent or fact.agent) if isinstance(fact, (ModelFact, ToolFact)) else fact
        for fact in facts
        if fact is not None
    ]


def _workflow_facts(span: Span) -> list[Fact]:
    name = span.text("gen_ai.agent.name")
    facts: list[Fact] = [AgentFact(span=span, name=name)] if name is not None else []
    inputs = _inside(span.value("traceloop.entity.input"), "inputs")
    resumed = _inside(inputs, "resume")
    if resumed is not None:
        message: Message | None = Message(role="user", text=spoken(resumed))
    else:
        message = genai.last_user_message(inputs)
    return [*facts, EntryFact(span=span, message=message)]


def _tool_fact(span: Span) -> ToolFact | None:
    fact = genai.tool_fact(span)
    if fact is None:
        return None
    envelope = span.value("gen_ai.tool.call.arguments", "traceloop.entity.input")
    if _inside(envelope, "input_str") is not None:
        inputs = _inside(envelope, "inputs")
        arguments = arguments_or_none(inputs if inputs is not None else _inside(envelope, "input_str"))
        call_id = call_identifier(_inside(_inside(envelope, "kwargs"), "tool_call_id"))
        fact = replace(fact, arguments=arguments, call_id=fact.call_id or call_id, missing_arguments=None)
    returned = span.value("gen_ai.tool.call.result", "traceloop.entity.output")
    output = _inside(returned, "output")
    answer = tool_message_answer(output)
    if answer is None:
        is_wrapped = output is not None and _inside(returned, "kwargs") is not None
        return replace(fact, result=read_result(output)) if is_wrapped else fact
    outcome = outcome_of(span, answer.result, has_result=True, is_error=answer.is_error)
    return replace(
        fact,
        call_id=answer.call_id or fact.call_id,
        result=answer.result,
        status=outcome.status,
        error=outcome.error,
        missing_result=None,
    )


def _inside(value: Any, key: str) -> Any:  # noqa: ANN401 - attribute value
    value = parsed(value)
    return value.get(key) if isinstance(value, dict) else None


DIALECT = Dialect(name="traceloop", priority=20, matches=matches, read=read)
