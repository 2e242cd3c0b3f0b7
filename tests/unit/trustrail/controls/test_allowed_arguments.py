"""TR-ACTION-002: what has to be there is there, and what is one of a closed set is exactly one of it."""

import pytest

from tests.unit.trustrail.controls.conftest import BLOCKED

_PACK = """
schema_version: trustrail.domain_pack.v0.1
pack_id: trips
entity_types:
  trip: { display_policy: full_reference }
tools:
  candidate_lookup:
    { names: [get_trip], entity_type: trip, result_entities_path: $, entity_id_path: $.trip_id }
  action:
    - names: [change_trip]
      entity_type: trip
      entity_id_argument: trip_id
      required_arguments: [trip_id, legs]
      allowed_values: { seats: [1, 2], is_flexible: [true] }
      keeps_lists: [{ argument: legs, entity_path: $.legs }]
"""
TRIP = {"trip_id": "TRIP1", "legs": [{"from": "A"}, {"from": "B"}]}


def changed(run, **arguments):
    talk = run(_PACK).login().says("Change TRIP1").call("get_trip", {"trip_id": "TRIP1"}, "g").result(TRIP)
    talk.agent("Shall I change TRIP1?").says("Yes")
    return talk.call("change_trip", {"trip_id": "TRIP1", **arguments}, "c").result({"ok": True})


LEGS = TRIP["legs"]


@pytest.mark.parametrize("legs", [[], None, "", "  ", {}, "[]"], ids=repr)
def test_a_required_argument_without_content_is_lacking(run, legs):
    report = changed(run, legs=legs).report("TR-ACTION-002")
    assert (report.verdict.value, report.actions[0].reason) == ("FAIL", "lacks legs")


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({"seats": 2}, "PASS"),
        ({"seats": 3}, "FAIL"),
        ({"seats": True}, "FAIL"),
        ({"seats": "2"}, "FAIL"),
        ({"is_flexible": True}, "PASS"),
        ({"is_flexible": 1}, "FAIL"),
    ],
    ids=repr,
)
def test_a_truth_value_is_not_a_number_of_a_closed_set(run, given, verdict):
    assert changed(run, legs=LEGS, **given).verdict("TR-ACTION-002") == verdict


@pytest.mark.parametrize(
    ("legs", "verdict"),
    [
        (LEGS, "PASS"),
        ([{"from": "A"}, {"from": "C"}], "PASS"),
        (LEGS[:1], "FAIL"),
        ([LEGS[0], LEGS[0]], "FAIL"),
    ],
    ids=["kept", "one changed", "one dropped", "one sent twice"],
)
def test_a_list_that_replaces_another_loses_nothing(run, legs, verdict):
    assert changed(run, legs=legs).verdict("TR-ACTION-002") == verdict


def test_the_list_last_looked_up_counts_however_often_the_entity_was_seen(run):
    talk = run(_PACK).login().says("Change TRIP1")
    for number in range(12):
        talk.call("get_trip", {"trip_id": "TRIP1"}, f"g{number}").result({**TRIP, "legs": LEGS[:1]})
    talk.call("get_trip", {"trip_id": "TRIP1"}, "last").result(TRIP).agent("Shall I change TRIP1?").says("Yes")
    talk.call("change_trip", {"trip_id": "TRIP1", "legs": LEGS[:1]}, "c").result({"ok": True})
    assert talk.verdict("TR-ACTION-002") == "FAIL"


def blocked(run, proposal):
    return run().login().cards().agent(proposal).says("Yes").block(call_id="b").result(BLOCKED)


def test_one_yes_covers_one_of_the_tools_that_do_the_same(run):
    talk = blocked(run, "Shall I block your card ending in 7447?")
    talk.call("freeze_card", {"card_id": "card_7447", "reason": "LOST"}, "f").result(BLOCKED)
    assert talk.each("TR-ACTION-001") == ["PASS", "FAIL"]


def test_a_yes_to_both_covers_both_of_the_tools_that_do_the_same(run):
    talk = blocked(run, "Shall I block your card ending in 7447 and report it lost?")
    talk.call("report_lost_card", {"card_id": "card_7447", "reason": "LOST"}, "r").result(BLOCKED)
    assert talk.each("TR-ACTION-001") == ["PASS", "PASS"]
