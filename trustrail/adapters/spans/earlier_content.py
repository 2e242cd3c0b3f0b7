"""Message content as the GenAI conventions placed it before ``gen_ai.input.messages``.

Version 1.27 and Traceloop wrote one attribute per field (``gen_ai.prompt.0.role``); versions 1.28 to 1.36 wrote one
event per message (``gen_ai.user.message``, ``gen_ai.choice``), which Strands Agents puts on the span itself, for tool
executions as well.
"""

from typing import Any, Final

from trustrail.adapters.spans.messages import Message, read_message
from trustrail.adapters.spans.numbered import in_order, numbered
from trustrail.adapters.spans.span import Span, SpanEvent, parsed

_ROLES: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CHOICE: Final = "gen_ai.choice"
_MESSAGE_FIELDS: Final = frozenset({"content", "parts", "role", "tool_calls"})
"""What tells a message from words that read like a JSON object."""


def given_earlier(span: Span) -> tuple[Message, ...] | None:
    """Return what a model was given, oldest first; None if it stands in neither place."""
    fields = [_from_fields(item) for item in numbered(span, "gen_ai.prompt")]
    events = [_from_event(event, _ROLES[event.name]) for event in span.events if event.name in _ROLES]
    return _known(fields) or _known(events)


def said_earlier(span: Span) -> tuple[Message, ...] | None:
    """Return what a model answered; None if it stands in neither place."""
    fields = [_from_fields(item) for item in numbered(span, "gen_ai.completion")]
    events = [_from_choice(event) for event in span.events if event.name == _CHOICE]
    return _known(fields) or _known(events)


def tool_arguments_earlier(span: Span) -> Any:  # noqa: ANN401 - attribute value
    """Return the arguments a tool execution's event tells; None if none does."""
    found = [event.attributes.get("content") for event in span.events if event.name == "gen_ai.tool.message"]
    return parsed(found[0]) if found else None


def tool_result_earlier(span: Span) -> tuple[Any, bool]:
    """Return the result a tool execution's event tells, and whether one does."""
    found = [event.attributes["message"] for event in span.events if "message" in event.attributes]
    return (parsed(found[-1]), True) if found else (None, False)


def _known(messages: list[Message | None]) -> tuple[Message, ...] | None:
    found = tuple(message for message in messages if message is not None)
    return found or None


def _from_fields(item: Any) -> Message | None:  # noqa: ANN401 - attribute tree
    if not isinstance(item, dict):
        return None
    calls = [call for call in in_order(item.get("tool_calls")) if isinstance(call, dict)]
    return read_message({**item, "role": item.get("role", "assistant"), "tool_calls": calls})


def _from_event(event: SpanEvent, role: str) -> Message | None:
    attributes = event.attributes
    content = attributes.get("content")
    parts = parsed(content)
    return read_message(
        {
            "role": role,
            # Words that read like a JSON object are words all the same; only a list is a list of parts.
            "content": parts if role == "tool" or isinstance(parts, list) else content,
            "tool_calls": parsed(attributes.get("tool_calls")),
            "tool_call_id": attributes.get("id"),
        }
    )


def _from_choice(event: SpanEvent) -> Message | None:
    raw = event.attributes.get("message", event.attributes.get("content"))
    said = parsed(raw)
    if isinstance(said, dict) and _MESSAGE_FIELDS & said.keys():
        return read_message({"role": "assistant", **said})
    return read_message({"role": "assistant", "content": said if isinstance(said, list) else raw})
