"""Google ADK's own spans, 1.4 to 2.13.

Up to 1.39, and in later versions on request, payloads stand in ``gcp.vertex.agent.*``; afterwards in the GenAI
attributes. ``call_llm`` holds ``generate_content`` inside, where there are both; the outer one counts. A root
``invocation`` or ``invoke_workflow`` is one turn of the customer, whose words no root span carries.
"""

import re
from dataclasses import replace
from typing import Final

from trustrail.adapters.spans.dialects import genai
from trustrail.adapters.spans.facts import AgentFact, Dialect, EntryFact, Fact
from trustrail.adapters.spans.messages import Answer, Message, Request, read_message, read_messages
from trustrail.adapters.spans.span import Span

_AGENT_RUN: Final = re.compile(r"^agent_run \[(.+)\]$")
_ROOT_NAMES: Final = ("invocation", "invoke_workflow ")


def matches(span: Span) -> bool:
    """Whether ADK wrote *span* itself."""
    return (
        span.name in ("invocation", "call_llm")
        or span.name.startswith("invoke_workflow ")
        or _AGENT_RUN.match(span.name) is not None
        or any(key.startswith("gcp.vertex.agent.") for key in span.attributes)
    )


def read(span: Span) -> list[Fact]:
    """Return the facts on *span*."""
    named = _AGENT_RUN.match(span.name)
    if named is not None:
        return [AgentFact(span=span, name=named.group(1))]
    if span.name.startswith(_ROOT_NAMES):
        return [EntryFact(span=span)] if span.parent_id is None else []
    if span.name == "call_llm" or genai.operation(span) in genai.MODEL_OPERATIONS:
        return [_model_fact(span)]
    return genai.read(span)


def _model_fact(span: Span) -> Fact:
    fact = genai.model_fact(span)
    request = span.value("gcp.vertex.agent.llm_request")
    response = span.value("gcp.vertex.agent.llm_response")
    if fact.given is None and isinstance(request, dict):
        fact = replace(fact, given=read_messages(request.get("contents")))
    if fact.said is None and isinstance(response, dict):
        message = read_message(response.get("content"))
        fact = replace(fact, said=(message,), missing=None) if message is not None else fact
    return replace(fact, given=_without_made_up_ids(fact.given), said=_without_made_up_ids(fact.said))


def _without_made_up_ids(messages: tuple[Message, ...] | None) -> tuple[Message, ...] | None:
    """Return *messages* without the ids ADK 2.13 makes from a tool's name and a number for calls that had none."""
    if messages is None:
        return None
    return tuple(
        replace(
            message,
            requests=tuple(replace(request, call_id=_real_id(request)) for request in message.requests),
            answers=tuple(replace(answer, call_id=_real_id(answer)) for answer in message.answers),
        )
        for message in messages
    )


def _real_id(call: Request | Answer) -> str | None:
    name, _, number = (call.call_id or "").rpartition("_")
    is_made_up = number.isdigit() and name == (call.tool or name) and name.isidentifier() and name != "call"
    return None if is_made_up else call.call_id


DIALECT = Dialect(name="adk", priority=40, matches=matches, read=read)
