"""Which kinds of evidence a canonical stream carries. A kind is present only when the stream shows it."""

from collections.abc import Callable, Iterable
from typing import Final

from trustrail.events import AgentMessage, CustomerMessage, Event, ToolCall, ToolResult, is_login

_SHOWN_BY: Final[dict[str, Callable[[Event], bool]]] = {
    "trustrail_login_event": is_login,
    "otel_tool_spans": lambda event: (
        isinstance(event.body, ToolCall | ToolResult) and (event.provenance or "").startswith("span")
    ),
    "tool_call_logs": lambda event: isinstance(event.body, ToolCall) and event.body.arguments is not None,
    "tool_result_logs": lambda event: isinstance(event.body, ToolResult) and event.body.status != "unknown",
}


def evidence_kinds(events: Iterable[Event]) -> frozenset[str]:
    """Return the kinds of evidence (`trustrail.objects.Evidence`) that *events* carry.

    ``transcript`` needs the words of both sides. Kinds that no event can carry (source code, gateway logs) are
    never returned.
    """
    found: set[str] = set()
    customer = agent = False
    for event in events:
        body = event.body
        if type(body) is CustomerMessage:
            customer = customer or body.text is not None
        elif type(body) is AgentMessage:
            agent = agent or body.text is not None
        else:
            found.update(kind for kind, shows in _SHOWN_BY.items() if kind not in found and shows(event))
    return frozenset(found | {"transcript"}) if customer and agent else frozenset(found)
