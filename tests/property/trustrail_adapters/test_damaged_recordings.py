"""However a recording is damaged, it is read or refused with a typed error, and what is read can be written down."""

import copy
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trustrail.adapters import adapters
from trustrail.adapters.document import Document, parse_document
from trustrail.adapters.registry import recognise
from trustrail.errors import SourceError
from trustrail.events import from_lines, to_lines

RECORDING = Path(__file__).parents[2] / "unit/trustrail/adapters/recordings/langsmith-langgraph.json"

ADK = {
    "spans": [
        {
            "name": "call_llm",
            "context": {"trace_id": "0x01", "span_id": "0x02"},
            "parent_id": None,
            "start_time": "2026-01-01T00:00:00.000001Z",
            "end_time": None,
            "status": {"status_code": "UNSET"},
            "attributes": {
                "gcp.vertex.agent.llm_request": '{"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}',
                "gcp.vertex.agent.llm_response": '{"content": {"role": "model", "parts": [{"text": "hello"}]}}',
                "llm.input_messages.0.message.role": "user",
                "openinference.span.kind": "LLM",
            },
            "events": [{"name": "exception", "attributes": {"exception.type": "E", "exception.message": "m"}}],
        },
    ],
    "adk_events": [
        {
            "id": "1",
            "author": "user",
            "invocation_id": "i",
            "content": {"role": "user", "parts": [{"function_response": {"id": "a", "name": "f", "response": {}}}]},
        }
    ],
}
CHAT = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{'a': 1}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": '{"ok": true}'},
]
TAU2 = {"messages": [{"role": "tool", "id": "1", "content": "x", "error": True, "turn_idx": 0}]}
OTLP = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "01" * 16,
                            "spanId": "02" * 8,
                            "name": "execute_tool f",
                            "startTimeUnixNano": "1",
                            "endTimeUnixNano": "2",
                            "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}}],
                        }
                    ]
                }
            ]
        }
    ]
}
SOURCES = [json.loads(RECORDING.read_text()), ADK, CHAT, TAU2, OTLP, [{"type": "human", "content": "x"}]]

WRONG: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 3.5, 10**30, "", "x", "{", "[1,2]", '{"a": 1}', [], [1], [None], {}, {"a": None}, [["a"]]]
)


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """Return one of the sources with up to four of its parts deleted or replaced."""
    value = copy.deepcopy(draw(st.sampled_from(SOURCES)))
    for _ in range(draw(st.integers(1, 4))):
        parent, key = draw(place_in(value))
        if parent is None:
            continue
        if draw(st.booleans()):
            parent[key] = copy.deepcopy(draw(WRONG))
        else:
            del parent[key]
    return value


@st.composite
def place_in(draw: st.DrawFn, value: Any) -> tuple[Any, Any]:
    """Return a container inside *value* and one of its keys."""
    parent, key = None, None
    node = value
    while isinstance(node, (dict, list)) and node:
        parent = node
        key = draw(st.sampled_from(sorted(node))) if isinstance(node, dict) else draw(st.integers(0, len(node) - 1))
        node = node[key]
        if draw(st.integers(0, 4)) == 0:
            break
    return parent, key


def value_or_refusal(read: Callable[[], Any]) -> Any:
    """Return what *read* returns, or the typed error it raises; any other error fails the test."""
    try:
        return read()
    except SourceError as error:
        return error


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=damaged())
def test_damaged_recording_is_read_or_refused(value: Any) -> None:
    document = Document(name="recording.json", value=value)
    recognised = value_or_refusal(lambda: recognise(document))
    readers = [*adapters().values(), *([] if isinstance(recognised, SourceError) else [recognised])]
    for adapter in readers:
        runs = value_or_refusal(functools.partial(adapter.read, document, "run"))
        if isinstance(runs, SourceError):
            assert "\n" not in str(runs)
            continue
        for run in runs:
            assert list(from_lines(to_lines(run.events))) == list(run.events)


@settings(max_examples=150, deadline=None)
@given(data=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))))
def test_any_bytes_are_parsed_or_refused(data: bytes) -> None:
    parsed = value_or_refusal(lambda: parse_document(data, name="recording.json"))

    assert isinstance(parsed, Document) or "recording.json" in str(parsed)
