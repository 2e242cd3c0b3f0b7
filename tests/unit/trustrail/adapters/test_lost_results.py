"""Results that say less than the tool did: JSON that was cut off, or that cannot be read exactly."""

import json

import pytest

from tests.unit.trustrail.adapters.conftest import span
from trustrail.adapters.payload import lost_result, read_result

WHOLE = '{"status": "BLOCKED", "n": -1.5e+3, "x": [true, false, null, {"u": "\\u00e9\\n"}]}'

CUT = '{"status": "BLOC'


@pytest.mark.parametrize("length", range(1, len(WHOLE)))
def test_json_that_ends_anywhere_before_its_end_is_kept_as_text_and_lost(length):
    text = WHOLE[:length]

    assert read_result(text) == text
    assert lost_result(read_result(text)) == "the result is JSON that is cut off"


@pytest.mark.parametrize("mark", ["...", "…", "... (truncated)"])
def test_the_mark_of_the_cutter_is_no_content(mark):
    assert lost_result(f'{{"status": "BLOCKED", {mark}') is not None


@pytest.mark.parametrize(
    "whole",
    [WHOLE, "[]", "Blocked.", "[INFO] card blocked", "{no JSON}", '{"a": 1} and words', "{'status': 'BLOCKED'}", ""],
)
def test_what_ends_where_it_should_is_not_lost(whole):
    assert lost_result(read_result(whole)) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"status": "FAILED", "status": "BLOCKED"}', "repeats the key 'status'"),
        ('{"limit": NaN}', "the number NaN"),
    ],
)
def test_json_that_two_readers_read_differently_is_lost(text, words):
    assert words in lost_result(read_result(text))


def test_json_behind_spaces_is_json():
    assert read_result('\n {"status": "BLOCKED"}') == {"status": "BLOCKED"}


ASSISTANT = {"role": "assistant", "content": None}
CALL = {"id": "1", "function": {"name": "block", "arguments": "{}"}}

RECORDINGS = {
    "openai-messages": [
        {"role": "user", "content": "x"},
        {**ASSISTANT, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "1", "content": CUT},
    ],
    "tau2": {
        "messages": [
            {"role": "user", "content": "x", "turn_idx": 0},
            {**ASSISTANT, "tool_calls": [{"id": "1", "name": "block", "arguments": {}}]},
            {"role": "tool", "id": "1", "content": CUT},
        ]
    },
    "langchain-booking": [
        {"type": "meta"},
        {"type": "agent_tool_call", "name": "block", "args": {}},
        {"type": "tool_result", "name": "block", "content": CUT},
    ],
    "langchain-messages": [
        {"type": "human", "content": "x"},
        {"type": "ai", "content": "", "tool_calls": [{"id": "1", "name": "block", "args": {}}]},
        {"type": "tool", "tool_call_id": "1", "content": CUT},
    ],
    "text-only": {"messages_display": f"user: block it\nassistant: None\ntool: {CUT}\n"},
    "mcp-stdio": [
        {"direction": "to-server", "message": {"id": 1, "method": "tools/call", "params": {"name": "block"}}},
        {"direction": "to-client", "message": {"id": 1, "result": {"content": [{"type": "text", "text": CUT}]}}},
    ],
    "adk-session": [
        {
            "author": "agent",
            "invocation_id": "i",
            "id": "e",
            "content": {"role": "user", "parts": [{"function_response": {"id": "1", "name": "b", "response": CUT}}]},
        },
    ],
    "spans": [
        span(
            "execute_tool block",
            1,
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__call__arguments="{}",
            gen_ai__tool__call__result=CUT,
        )
    ],
}


@pytest.mark.parametrize("adapter", RECORDINGS)
def test_every_adapter_says_that_the_result_is_lost(read, adapter):
    (run,) = read(RECORDINGS[adapter], adapter)

    (result,) = [event.body for event in run.events if event.body.type == "tool_result"]
    assert (result.status, result.result) == ("unknown", CUT)
    assert result.missing


def test_a_result_that_only_a_later_history_tells_is_lost_as_well(read):
    """The call left no span of its own; the next model call was given its cut-off result."""
    history = [
        {"role": "user", "content": "block it"},
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "1", "content": CUT},
    ]
    attributes = {"gen_ai__operation__name": "chat", "gen_ai__input__messages": json.dumps(history)}

    (run,) = read([span("chat m", 1, **attributes)])

    (result,) = [event.body for event in run.events if event.body.type == "tool_result"]
    assert (result.status, result.missing) == ("unknown", "the result is JSON that is cut off")
