"""What came before what, where times are equal and where a tool did something itself."""

import itertools
from typing import Any

import pytest

from tests.unit.trustrail.adapters.conftest import asked, chat, said, span, told, tool, user

ASK = user("block card 1")
LOOK = asked(("a", "look", {}))
BLOCK = asked(("b", "block", {"card": "1"}))

EXPECTED = [
    ("customer", "block card 1"),
    ("call", "look", {}),
    ("result", "look", "ok", {"cards": ["1"]}),
    ("call", "block", {"card": "1"}),
    ("result", "block", "ok", {"status": "BLOCKED"}),
    ("agent", "Blocked."),
]


def without_ids(message: dict[str, Any]) -> dict[str, Any]:
    parts = [{key: value for key, value in part.items() if key != "id"} for part in message["parts"]]
    return {**message, "parts": parts}


def recording(*, ids: bool) -> list[dict[str, Any]]:
    """Three model calls and two executions, all stamped with the same time, in the order in which they happened."""
    keep = (lambda message: message) if ids else without_ids
    history = [ASK, keep(LOOK), keep(told("a", {"cards": ["1"]})), keep(BLOCK), keep(told("b", {"status": "BLOCKED"}))]
    keys = ("a", "b") if ids else (None, None)
    return [
        chat(5, [ASK], keep(LOOK), key="m1", end=5),
        tool("look", 5, {}, {"cards": ["1"]}, call=keys[0], end=5),
        chat(5, history[:3], keep(BLOCK), key="m2", end=5),
        tool("block", 5, {"card": "1"}, {"status": "BLOCKED"}, call=keys[1], end=5),
        chat(5, history, said("Blocked."), key="m3", end=5),
    ]


@pytest.mark.parametrize("ids", [True, False])
def test_equal_times_in_any_order_of_recording_give_each_call_once(outline, ids):
    for rows in itertools.permutations(recording(ids=ids)):
        assert outline(list(rows)) == EXPECTED


@pytest.mark.parametrize("equal", range(2, 6))
def test_some_equal_times_give_each_call_once(outline, equal):
    """A coarse clock: the first spans share their start, and are recorded in order of their end."""
    rows = recording(ids=False)
    for place, row in enumerate(rows):
        row["start_time"] = 5 if place < equal else 5 + place
        row["end_time"] = 6 + place
    rows = [rows[1], rows[0], *rows[2:]]

    assert outline(rows) == EXPECTED


def test_equal_times_at_different_depths_follow_the_tree(outline):
    """The exporter writes children before parents; agent 2 works after agent 1 although all times are equal."""
    root = span("invoke_agent root", 1, key="r", gen_ai__operation__name="invoke_agent")
    one = span("invoke_agent one", 1, key="1", parent="r", gen_ai__operation__name="invoke_agent")
    rows = [
        tool("look", 1, {}, {"cards": ["1"]}, call="a", parent="1", end=1),
        chat(1, [ASK], LOOK, key="m1", parent="1", end=1),
        one,
        chat(1, [ASK, LOOK, told("a", {"cards": ["1"]})], BLOCK, key="m2", parent="r", end=1),
        tool("block", 1, {"card": "1"}, {"status": "BLOCKED"}, call="b", parent="r", end=1),
        root,
    ]

    assert outline(rows) == EXPECTED[:-1]


def test_a_retry_of_the_same_call_at_the_same_time_is_two_executions(outline):
    rows = [
        chat(1, [ASK], BLOCK, key="m1"),
        tool("block", 1, {"card": "1"}, "Error: timeout", call="b", key="t1"),
        tool("block", 1, {"card": "1"}, {"status": "BLOCKED"}, call="b", key="t2"),
    ]

    for order in itertools.permutations(rows):
        calls = [line for line in outline(list(order)) if line[0] == "call"]
        assert calls == [("call", "block", {"card": "1"})] * 2


def worker(start: int, given: str, answer: dict[str, Any], **more: Any) -> dict[str, Any]:
    return chat(start, [user(given)], answer, gen_ai__agent__name="worker", **more)


CALL_WORKER = asked(("w", "ask_worker", {"query": "price"}))


@pytest.mark.parametrize("parent", ["outer", "r", None], ids=["inside", "beside", "without a parent"])
def test_the_result_of_a_tool_stands_behind_what_the_tool_did(outline, parent):
    rows = [
        span("invoke_agent boss", 1, key="r", end=99, gen_ai__operation__name="invoke_agent"),
        chat(2, [user("price?")], CALL_WORKER, key="m1", parent="r", gen_ai__agent__name="boss"),
        tool(
            "ask_worker", 10, {"query": "price"}, "240", call="w", key="outer", parent="r", end=50,
            gen_ai__agent__name="boss",
        ),
        worker(11, "price", asked(("l", "look_up", {})), key="m2", parent=parent, end=12),
        tool("look_up", 13, {}, "240.98", call="l", key="inner", parent=parent, end=14, gen_ai__agent__name="worker"),
        worker(15, "price", said("240"), key="m3", parent=parent, end=16),
    ]  # fmt: skip

    told_of_tools = [line[:2] for line in outline(rows) if line[0] in ("call", "result")]
    assert told_of_tools == [
        ("call", "ask_worker"),
        ("call", "look_up"),
        ("result", "look_up"),
        ("result", "ask_worker"),
    ]
    assert not any(line[0] == "agent" for line in outline(rows))


def test_what_runs_at_the_same_time_is_not_inside(outline):
    """Two calls of one response, of two agents: the shorter one is no part of the longer one."""
    both = asked(("a", "slow", {}), ("b", "fast", {}))
    rows = [
        chat(1, [ASK], both, key="m1", gen_ai__agent__name="boss"),
        tool("slow", 10, {}, "s", call="a", end=50, gen_ai__agent__name="boss"),
        tool("fast", 11, {}, "f", call="b", end=20, gen_ai__agent__name="other"),
    ]

    assert [line[:2] for line in outline(rows) if line[0] == "result"] == [("result", "slow"), ("result", "fast")]


def test_a_tool_that_calls_itself_is_two_executions(outline):
    rows = [
        tool("transfer", 1, {"amount": 100}, {"is": "done"}, key="outer", end=9),
        tool("transfer", 2, {"amount": 5}, {"is": "taken"}, key="inner", parent="outer", end=3),
    ]

    assert outline(rows) == [
        ("call", "transfer", {"amount": 100}),
        ("call", "transfer", {"amount": 5}),
        ("result", "transfer", "ok", {"is": "taken"}),
        ("result", "transfer", "ok", {"is": "done"}),
    ]


def test_two_records_of_one_execution_are_one(outline):
    """Two instrumentations at once: one span inside the other, nothing that both tell differs."""
    rows = [
        tool("transfer", 1, {"amount": 100}, {"is": "done"}, key="outer", end=9),
        tool("transfer", 2, None, {"is": "done"}, key="inner", parent="outer", end=3),
    ]

    assert [line[0] for line in outline(rows)] == ["call", "result"]


def test_words_that_read_like_json_are_words(outline):
    """The conventions of 1.28 wrote one event per message; an agent may answer in JSON."""
    row = chat(1, None, None)
    row["span_events"] = [
        {"name": "gen_ai.user.message", "attributes": {"content": '{"card": "1"}'}},
        {"name": "gen_ai.choice", "attributes": {"message": '{"number": "4000123412347447"}'}},
    ]

    assert outline([row]) == [("customer", '{"card": "1"}'), ("agent", '{"number": "4000123412347447"}')]
