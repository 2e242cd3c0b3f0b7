"""The observer: records become canonical events, in order, with tick, stage and provenance."""

import json
import math

import pytest
import rfc8785

from mast.organizations.messages import Record
from mast.runtime.observer import Observer
from trustrail.errors import CanonicalizationError
from trustrail.events import from_lines


def call(value: object) -> Record:
    arguments = {"claim": "root_A", "predicate": "p", "revision": 1, "value": value}
    body = {"call_id": None, "tool": "issue_claim", "arguments": arguments}
    return Record("tool_call", body, "seed/0", b"\x01" * 32, (value,))


def test_an_event_says_who_when_in_which_stage_and_from_which_packet():
    observer = Observer("run", "desk")
    observer.write([(7, "source", [call({"cents": 100})])])
    (event,) = from_lines(observer.log.to_bytes())
    assert (event.agent_id, event.turn_id, event.provenance) == ("source", "7/seed/0", "01" * 32)
    assert (event.test_run_id, event.conversation_id, event.source) == ("run", "desk", "mast")


@pytest.mark.parametrize("value", [{"ä": 0.5, "€": [1e21]}, {"x": "é😀"}, {"n": -0.0}, {"deep": [[{}]]}], ids=str)
def test_whatever_a_claim_says_is_written_in_canonical_form(value: dict):
    observer = Observer("run", "desk")
    observer.write([(7, "source", [call(value)])])
    (line,) = observer.log.lines
    assert line == rfc8785.dumps(json.loads(line))
    assert json.loads(line)["body"]["arguments"]["value"] == value


def test_a_value_without_a_canonical_form_leaves_the_log_as_it_was():
    observer = Observer("run", "desk")
    observer.write([(7, "source", [call({"cents": 100})])])
    digest = observer.log.digest
    for value in ({"a": math.nan}, {"a": 2**53}, {"a": "\ud800"}):
        with pytest.raises(CanonicalizationError):
            observer.write([(8, "source", [call(value)])])
    assert (observer.log.digest, len(observer.log.lines)) == (digest, 1)


def test_records_keep_their_order_and_are_numbered_through():
    observer = Observer("run", "desk")
    observer.write([(1, "b", [call({"n": 1}), call({"n": 2})])])
    observer.write([(1, "a", [call({"n": 3})])])
    events = [json.loads(line) for line in observer.log.lines]
    assert [event["seq"] for event in events] == [0, 1, 2]
    assert [event["body"]["arguments"]["value"]["n"] for event in events] == [1, 2, 3]
    assert [event["agent_id"] for event in events] == ["b", "b", "a"]
