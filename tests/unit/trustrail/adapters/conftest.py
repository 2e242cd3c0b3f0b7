"""Spans written by hand, in the flat form, so that each test shows the whole recording it is about."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trustrail.adapters import Run, read_events

Rows = list[dict[str, Any]]


def span(
    name: str,
    start: int,
    *,
    key: str | None = None,
    parent: str | None = None,
    trace: str = "t1",
    end: int | None = None,
    error: tuple[str, str] | None = None,
    status: str = "UNSET",
    **attributes: Any,
) -> dict[str, Any]:
    """Return a flat span; attribute names are written with ``__`` for the dots."""
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    events = []
    if error is not None:
        details = {"exception.type": error[0], "exception.message": error[1]}
        events = [{"name": "exception", "attributes": details}]
    return {
        "trace_id": trace,
        "span_id": key or f"{name}@{start}",
        "parent_span_id": parent,
        "name": name,
        "start_time": start,
        "end_time": end if end is not None else start + 1,
        "status": {"code": status},
        "attributes": named,
        "span_events": events,
    }


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "parts": [{"type": "text", "content": text}]}


def asked(*calls: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    parts = [{"type": "tool_call", "id": key, "name": name, "arguments": args} for key, name, args in calls]
    return {"role": "assistant", "parts": parts}


def told(key: str, response: Any) -> dict[str, Any]:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": key, "response": response}]}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"type": "text", "content": text}]}


def chat(start: int, given: Rows | None, answer: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if given is not None:
        content["gen_ai__input__messages"] = json.dumps(given)
    if answer is not None:
        content["gen_ai__output__messages"] = json.dumps([answer])
    return span("chat m", start, gen_ai__operation__name="chat", **content, **more)


def tool(
    name: str,
    start: int,
    arguments: dict[str, Any] | None = None,
    result: Any = None,
    *,
    call: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if arguments is not None:
        content["gen_ai__tool__call__arguments"] = json.dumps(arguments)
    if result is not None:
        content["gen_ai__tool__call__result"] = json.dumps(result)
    if call is not None:
        content["gen_ai__tool__call__id"] = call
    return span(
        f"execute_tool {name}",
        start,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name=name,
        **content,
        **more,
    )


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., list[Run]]:
    """Write a JSON value, or bytes, to a file and read it."""

    def write_and_read(value: Any, adapter: str = "auto", name: str = "recording.json") -> list[Run]:
        path = tmp_path / name
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return read_events(path, adapter)

    return write_and_read


@pytest.fixture
def outline(read: Callable[..., list[Run]]) -> Callable[..., list[tuple[Any, ...]]]:
    """Read a recording of one run and return what happened, without ids and times."""

    def read_outline(value: Any, adapter: str = "auto") -> list[tuple[Any, ...]]:
        (run,) = read(value, adapter)
        return [line for event in run.events if (line := _line(event)) is not None]

    return read_outline


def _line(event: Any) -> tuple[Any, ...] | None:
    body = event.body
    match body.type:
        case "customer_message":
            return ("customer", body.text)
        case "agent_message":
            return ("partial" if body.partial else "agent", body.text)
        case "tool_call":
            return ("call", body.tool, body.arguments)
        case "tool_result":
            return ("result", body.tool, body.status, body.result)
        case "agent_handoff":
            return ("handoff", body.to_agent_id)
        case "agent_invocation":
            return ("works", body.name, event.parent_agent_id)
        case "confirmation_event":
            return ("confirmation", body.confirmed, body.call_id)
    return None
