"""The wire form of an event stream."""

import json

import pytest

from trustrail.errors import EventFormatError
from trustrail.events import (
    EVENT_TYPES,
    FIELDS,
    AgentHandoff,
    ConfirmationEvent,
    CustomerMessage,
    Event,
    EventLog,
    ToolResult,
    from_line,
    from_lines,
    message_index,
    stream_digest,
    to_line,
    to_lines,
)

BODIES = {
    "customer_message": {"text": "I've lost my card", "missing": None},
    "agent_message": {"text": "Which one?", "partial": False, "model_turn": "m1", "missing": None},
    "agent_invocation": {"name": "triage", "detail": {"level": 1}},
    "agent_handoff": {"to_agent_id": "cards", "lineage": ["triage"], "detail": {}},
    "model_call": {"model": "scripted", "prompt_ref": None, "cost": 0.5, "latency": 1.25, "detail": {}},
    "tool_call": {"call_id": "c1", "tool": "get_cards", "arguments": {"n": 1}, "model_turn": None, "missing": None},
    "tool_result": {
        "call_id": "c1",
        "tool": "get_cards",
        "status": "ok",
        "result": [1],
        "error": None,
        "retries": None,
        "missing": None,
    },
    "confirmation_event": {
        "confirmed": True,
        "proposal_seq": 3,
        "answer_seq": 4,
        "call_id": None,
        "covers": [{"tool": "block_card", "arguments": {"card_id": "CARD-001"}}],
        "reason": "yes",
    },
    "evaluation_result": {
        "control_id": "TR-AUTH-001",
        "verdict": "PASS",
        "reason": "r",
        "events": [0, 1],
        "detail": {},
    },
}


def record(kind: str = "customer_message", **changes: object) -> dict[str, object]:
    values: dict[str, object] = dict.fromkeys(FIELDS)
    values |= {"schema_version": "trustrail.events.v0.1", "type": kind, "seq": 0, "test_run_id": "r", "source": "test"}
    return values | {"body": BODIES[kind]} | changes


def line(**changes: object) -> bytes:
    return json.dumps(record(**changes)).encode()


def test_there_are_the_nine_published_types():
    assert set(BODIES) == set(EVENT_TYPES)


@pytest.mark.parametrize("kind", BODIES)
def test_an_event_of_each_type_survives_reading_and_writing(kind):
    event = from_line(json.dumps(record(kind)).encode())

    assert event.body.type == kind
    assert json.loads(to_line(event)) == record(kind)


def test_a_line_is_canonical_and_its_body_does_not_repeat_the_type():
    event = Event(seq=0, test_run_id="r", source="s", body=CustomerMessage(text="é"))

    expected = (
        '{"agent_id":null,"body":{"missing":null,"text":"é"},"conversation_id":null,"parent_agent_id":null,"provenance":null,'
        '"schema_version":"trustrail.events.v0.1","seq":0,"source":"s","test_run_id":"r","turn_id":null,'
        '"type":"customer_message"}'
    )
    assert to_line(event) == expected.encode()


REFUSED = {
    "an unknown field": (line(colour="red"), "has the unknown field 'colour'"),
    "an unknown field of the body": (line(body={"text": "a", "mood": "b"}), "body.mood: extra inputs"),
    "a missing field": (json.dumps({"seq": 0}).encode(), "lacks the field 'schema_version'"),
    "a repeated key": (b'{"seq":0,"seq":1}', "repeats the key 'seq'"),
    "an unknown type": (line(type="shout"), "type is 'shout'"),
    "a type inside the body": (line(body={"text": "a", "type": "x"}), "does not repeat the type"),
    "a body that is no object": (line(body=[]), "body must be an object"),
    "a number as text": (line(seq="0"), "seq: input should be a valid integer"),
    "a negative position": (line(seq=-1), "seq: input should be greater"),
    "another schema": (line(schema_version="trustrail.events.v9"), "schema_version"),
    "a list": (b"[]", "is a JSON list"),
    "truncated JSON": (b'{"seq":', "is not JSON"),
    "another encoding": ('{"é":1}'.encode("latin-1"), "is not UTF-8"),
    "a lone surrogate": (b'{"a":"\\ud800"}', "lone surrogate"),
    "an infinite number": (b'{"a":Infinity}', "expected a finite number"),
    "a huge integer": (b'{"a":99999999999999999999}', "integer"),
    "deep nesting": (b'{"a":' * 90 + b"1" + b"}" * 90, "nested deeper"),
}


@pytest.mark.parametrize(("data", "words"), REFUSED.values(), ids=REFUSED)
def test_a_line_is_refused_for(data, words):
    with pytest.raises(EventFormatError, match="event line 7: ") as caught:
        from_line(data, number=7)

    assert words in str(caught.value)
    assert caught.value.line == 7


def stream(*seqs: int, run: str = "r") -> bytes:
    return b"".join(line(seq=seq, test_run_id=run) + b"\n" for seq in seqs)


def test_a_stream_is_read_in_order():
    assert [event.seq for event in from_lines(stream(0, 1, 2))] == [0, 1, 2]


def test_an_empty_stream_has_no_events():
    assert from_lines(b"") == ()


GAPS = {
    "a gap": (stream(0, 2), "event line 2: seq is 2, expected 1"),
    "a repeated position": (stream(0, 0), "event line 2: seq is 0, expected 1"),
    "a stream that starts late": (stream(1), "event line 1: seq is 1, expected 0"),
    "two runs": (stream(0) + stream(1, run="other"), "test_run_id is 'other', expected 'r'"),
    "a last line that is cut off": (stream(0, 1)[:-1], "event line 2: is cut off"),
    "an empty line": (stream(0) + b"\n", "event line 2: "),
}


@pytest.mark.parametrize(("data", "words"), GAPS.values(), ids=GAPS)
def test_a_stream_is_refused_for(data, words):
    with pytest.raises(EventFormatError) as caught:
        from_lines(data)

    assert words in str(caught.value)


def test_a_log_writes_lines_the_reader_accepts_and_its_digest_is_the_streams():
    log = EventLog(test_run_id="r", source="mast")
    log.append("agent_handoff", {"to_agent_id": "b", "lineage": ["a"]})
    log.append("tool_result", {"call_id": None, "tool": None, "status": "unknown"})

    handed, lost = from_lines(log.to_bytes())

    assert handed.body == AgentHandoff(to_agent_id="b", lineage=("a",))
    assert lost.body == ToolResult(call_id=None, tool=None, status="unknown")
    assert stream_digest(log.to_bytes()) == log.digest


def test_writing_what_was_read_gives_the_same_bytes():
    log = EventLog(test_run_id="r", source="mast")
    for kind, body in BODIES.items():
        log.append(kind, body)

    assert to_lines(from_lines(log.to_bytes())) == log.to_bytes()


NUMBERS = {500.0: 500, -0.0: 0, 2.5: 2.5, 1e300: 1e300}


@pytest.mark.parametrize(("given", "expected"), NUMBERS.items())
def test_a_payload_reads_the_same_before_it_is_stored_and_after(given, expected):
    body = ToolResult(call_id="1", tool="t", status="ok", result={"amounts": [given]})

    [found] = body.result["amounts"]
    assert (found, type(found)) == (expected, type(expected))


def test_the_digest_commits_to_the_order():
    first, second = line(seq=0) + b"\n", line(seq=1) + b"\n"

    assert stream_digest(first + second) != stream_digest(second + first)


def test_a_refusal_can_be_recorded_without_a_conversation():
    body = ConfirmationEvent(
        confirmed=False, proposal_seq=None, answer_seq=None, call_id="c1", covers=(), reason="recorded"
    )
    event = Event(seq=0, test_run_id="r", source="s", body=body)

    assert from_line(to_line(event)) == event


PLACES = {
    "messages[24]": 24,
    "messages[3].tool_calls[1]": 3,
    "lines[7]": 7,
    "span 0123456789abcdef": None,
    None: None,
}


@pytest.mark.parametrize(("provenance", "expected"), PLACES.items())
def test_the_message_an_event_came_from_is_read_from_its_provenance(provenance, expected):
    event = Event(seq=0, test_run_id="r", source="s", provenance=provenance, body=CustomerMessage(text=None))

    assert message_index(event) == expected
