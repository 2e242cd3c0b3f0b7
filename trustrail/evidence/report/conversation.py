"""The conversation of one run, event by event, with the deciding ones marked."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from trustrail.events import (
    AgentHandoff,
    AgentInvocation,
    AgentMessage,
    ConfirmationEvent,
    CustomerMessage,
    Event,
    ModelCall,
    ToolCall,
    ToolResult,
)
from trustrail.evidence.document import Run
from trustrail.evidence.masking import Mask
from trustrail.evidence.report.markup import tag, text_of

MAX_SHOWN: Final = 1000
"""Most events shown of one run; the page stays readable, the rest is in ``events/``."""

MAX_TEXT: Final = 4000
"""Most characters shown of one event."""


def conversation_html(number: int, run: Run, stream: Sequence[Event], mask: Mask) -> str:
    """Return run *number* as a list of events; masked, with the controls each one decides."""
    marks = _marks(run)
    shown = [event for event in stream if type(event.body) in _WORDS]
    items = "".join(_item(number, event, marks.get(event.seq, {}), mask) for event in shown[:MAX_SHOWN])
    title = tag("h2", f"Run {number}: {text_of(run.test_run_id)}")
    rest = len(shown) - MAX_SHOWN
    more = tag("p", f"{rest} more events stand in {text_of(run.events)}.", css="meta") if rest > 0 else ""
    return tag("section", title + tag("ol", items, css="talk") + more)


def _marks(run: Run) -> dict[int, dict[str, str]]:
    """Return, by event, the verdict of each control that decided on it; passes decide nothing worth a mark."""
    marks: dict[int, dict[str, str]] = {}
    for name, given in run.controls.items():
        if given.verdict != "PASS":
            for seq in given.events:
                marks.setdefault(seq, {})[name] = given.verdict
    return marks


def _item(number: int, event: Event, marks: dict[str, str], mask: Mask) -> str:
    label, words = _WORDS[type(event.body)](event.body)
    kind = event.body.type
    decides = "fail" if "FAIL" in marks.values() else "inconclusive" if marks else ""
    badges = "".join(
        tag("span", f"{text_of(name)} {verdict}", css=f"badge {verdict.lower()}") for name, verdict in marks.items()
    )
    who = " · ".join(part for part in (event.agent_id, event.turn_id, event.provenance) if part)
    head = tag("span", f"<b>{event.seq}</b> {text_of(label)} · {text_of(who)}", css="meta")
    text = mask.text(words)[:MAX_TEXT] + ("…" if len(words) > MAX_TEXT else "")
    css = f"{kind} decides-{decides}" if decides else kind
    inner = (tag("span", badges, css="marks") if badges else "") + head + f'<pre dir="auto">{text_of(text)}</pre>'
    return f'<li id="run-{number}-event-{event.seq}" class="{css}">{inner}</li>\n'


def _message(who: str) -> Callable[[Any], tuple[str, str]]:
    return lambda body: (who, "(the recording does not hold the words)" if body.text is None else body.text)


def _call(body: ToolCall) -> tuple[str, str]:
    arguments = "(the recording does not hold the arguments)" if body.arguments is None else _json(body.arguments)
    return "tool call", f"{body.tool} {arguments}"


def _result(body: ToolResult) -> tuple[str, str]:
    words = body.error if body.result is None else _json(body.result)
    return f"tool result, {body.status}", words or "(the recording does not hold the result)"


def _confirmation(body: ConfirmationEvent) -> tuple[str, str]:
    kind = "confirmation" if body.confirmed else "refusal"
    covers = "".join(f"\ncovers {_json(call)}" for call in body.covers)
    return kind, f"{body.reason}{covers}"


def _handoff(body: AgentHandoff) -> tuple[str, str]:
    return "handoff", f"to {body.to_agent_id}" + (f", from {' → '.join(body.lineage)}" if body.lineage else "")


def _json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


_WORDS: Final[dict[type, Callable[[Any], tuple[str, str]]]] = {
    CustomerMessage: _message("customer"),
    AgentMessage: _message("agent"),
    AgentInvocation: lambda body: ("agent starts", " ".join([body.name, _json(body.detail) if body.detail else ""])),
    AgentHandoff: _handoff,
    ModelCall: lambda body: ("model call", body.model or "unknown model"),
    ToolCall: _call,
    ToolResult: _result,
    ConfirmationEvent: _confirmation,
}
"""How each kind of event reads; verdicts stand in the controls table instead."""
