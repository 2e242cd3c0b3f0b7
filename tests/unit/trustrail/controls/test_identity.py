"""TR-AUTH-001 asks whether somebody said who the customer is; a check that says no, or nothing, is not that."""

import pytest

from tests.unit.trustrail.controls.conftest import Run
from trustrail.events import AgentInvocation
from trustrail.objects import parse_object

HOTEL = """
schema_version: trustrail.domain_pack.v0.1
pack_id: hotel
entity_types:
  booking: {{ display_policy: full_reference }}
tools:
  identity_check: {{ names: [verify_guest], {rule} }}
  candidate_lookup: {{ names: [get_bookings], result_entities_path: $.bookings, entity_id_path: $.id }}
  action: {{ names: [cancel_booking], entity_id_argument: booking_id }}
"""


class Hotel(Run):
    def __init__(self, rule="customer_id_path: $.guest_id"):
        super().__init__()
        self.pack = parse_object(HOTEL.format(rule=rule).encode(), file="hotel.yaml")

    def checked(self, result, status="ok"):
        self.says("Cancel my booking B-1").call("verify_guest", {"guest": "G-7", "pin": "0000"}, "v")
        return self.result(result, status)

    def cancelled(self):
        return self.call("cancel_booking", {"booking_id": "B-1"}, "c").verdict("TR-AUTH-001")


KNOWN = {
    "the id where the pack says": {"guest_id": "G-7"},
    "the id beside a yes": {"guest_id": "G-7", "verified": True, "status": "VERIFIED"},
    "a number": {"guest_id": 7},
}

REFUSED = {
    "not verified": {"verified": False, "reason": "wrong PIN"},
    "named but not verified": {"guest_id": "G-7", "verified": False},
    "no id, not verified": {"guest_id": None, "verified": False},
    "no success": {"success": False},
    "a status in capitals": {"status": "NOT_FOUND"},
    "failed in capitals": {"guest_id": "G-7", "status": "FAILED"},
    "an error": {"error": "no such guest"},
    "a remark": "Guest not found",
    "a longer remark": "Verification failed: wrong PIN",
    "false": False,
    "nothing": None,
    "an empty object": {},
}

UNTOLD = {
    "a list without anybody": {"guests": []},
    "another key": {"guest": "G-7"},
    "an object for an id": {"guest_id": {"id": "G-7"}},
    "words for an id": {"guest_id": "the guest"},
}


@pytest.mark.parametrize("result", KNOWN.values(), ids=KNOWN)
def test_a_result_that_names_the_customer_identifies_him(result):
    assert Hotel().checked(result).cancelled() == "PASS"


@pytest.mark.parametrize("result", REFUSED.values(), ids=REFUSED)
def test_a_check_that_says_no_identifies_nobody(result):
    assert Hotel().checked(result).cancelled() == "FAIL"


@pytest.mark.parametrize("result", UNTOLD.values(), ids=UNTOLD)
def test_a_result_that_does_not_say_who_the_customer_is_leaves_it_open(result):
    assert Hotel().checked(result).cancelled() == "INCONCLUSIVE"


def test_a_later_success_makes_up_for_a_refusal_and_a_later_refusal_takes_nothing_away():
    assert Hotel().checked({"verified": False}).checked({"guest_id": "G-7"}).cancelled() == "PASS"
    assert Hotel().checked({"guest_id": "G-7"}).checked({"verified": False}).cancelled() == "PASS"


RULE = "customer_id_argument: guest, success: { any_of: [{ path: $, equals: welcome }] }"


@pytest.mark.parametrize(("result", "verdict"), [("welcome", "PASS"), ("goodbye", "FAIL"), ({"any": 1}, "FAIL")])
def test_a_pack_may_say_what_its_check_answers(result, verdict):
    assert Hotel(RULE).checked(result).cancelled() == verdict


@pytest.mark.parametrize(("result", "verdict"), [({"name": "Ann"}, "PASS"), ("all right", "INCONCLUSIVE")])
def test_a_checks_argument_counts_when_an_object_comes_back_for_it(result, verdict):
    assert Hotel("customer_id_argument: guest").checked(result).cancelled() == verdict


LOGINS = {
    "an error": ({"customer_ref": "CUST-1", "error": "login failed"}, "FAIL"),
    "no authentication": ({"customer_ref": "CUST-1", "authentication_level": "NONE"}, "FAIL"),
    "nothing": ({}, "INCONCLUSIVE"),
    "a customer": ({"customer_ref": "CUST-1", "authentication_level": "WEAK"}, "PASS"),
}


@pytest.mark.parametrize(("detail", "verdict"), LOGINS.values(), ids=LOGINS)
def test_a_recorded_login_counts_for_what_it_says(run, detail, verdict):
    talk = run().add(AgentInvocation(name="trustrail_login", detail=detail), source="trustrail-harness")
    assert talk.cards().ask().yes().block().verdict("TR-AUTH-001") == verdict


def test_an_agent_that_is_called_like_the_login_logs_nobody_in(run):
    detail = {"customer_ref": "CUST-1", "authentication_level": "STRONG"}
    talk = run().add(AgentInvocation(name="trustrail_login", detail=detail), source="google-adk")
    assert talk.cards().ask().yes().block().verdict("TR-AUTH-001") == "INCONCLUSIVE"


def test_agents_of_one_name_in_two_conversations_are_not_linked(run):
    """Input 17: never PASS by merging on agent name."""
    talk = run().login().handoff("cards-agent").cards().ask().yes()
    talk.conversation = "elsewhere"
    talk.call("block_card", {"card_id": "card_7447", "reason": "LOST"}, "b", agent_id="cards-agent")
    assert talk.verdict("TR-AUTH-001") == "INCONCLUSIVE"


def test_a_conversation_that_an_agent_of_the_first_one_opened_is_linked(run):
    """Input 17: an agent called as a tool runs in a conversation of its own and names its caller."""
    talk = run().login().agent("One moment", agent_id="front").cards().ask().yes()
    talk.conversation = "inner"
    talk.call("block_card", {"card_id": "card_7447", "reason": "LOST"}, "b", agent_id="cards", parent_agent_id="front")
    assert talk.verdict("TR-AUTH-001") == "PASS"


def test_an_action_without_a_conversation_is_not_linked_to_one(run):
    talk = run().login().cards().ask().yes()
    talk.conversation = None
    assert talk.block().verdict("TR-AUTH-001") == "INCONCLUSIVE"
