"""The harness's login, its clock, and what it refuses."""

import pytest

from trustrail.adapters import Run
from trustrail.demo.harness import TickingClock, load_target, with_login
from trustrail.demo.journey import load_journey
from trustrail.errors import DemoError
from trustrail.events import ConfirmationEvent, CustomerMessage, Event


def event(seq: int, body: object) -> Event:
    return Event(seq=seq, test_run_id="r", conversation_id="c", source="spans", body=body)


def test_login_is_the_first_event_and_says_who_signed_in() -> None:
    journey = load_journey("BLOCK_CARD-001")
    run = Run(test_run_id="r", adapter="spans", events=(event(0, CustomerMessage(text="hi")),))

    login, customer = with_login(run, journey).events

    assert (login.seq, login.source, login.body.name) == (0, "trustrail-harness", "trustrail_login")
    assert login.body.detail == {
        "customer_ref": "CUST-10027",
        "authentication_level": "STRONG",
        "surface": "customer_owned_app_or_web",
        "execution": "trustrail_controlled_browser_or_api_harness",
    }
    assert (customer.seq, customer.body.text) == (1, "hi")


def test_confirmation_still_points_at_its_answer_after_the_login() -> None:
    confirmed = ConfirmationEvent(proposal_seq=None, answer_seq=0, covers=(), reason="r")
    events = (event(0, CustomerMessage(text="yes")), event(1, confirmed))
    run = Run(test_run_id="r", adapter="spans", events=events)

    moved = with_login(run, load_journey("BLOCK_CARD-001")).events[2]

    assert (moved.seq, moved.body.answer_seq, moved.body.proposal_seq) == (2, 1, None)


def test_clock_moves_one_millisecond_a_reading() -> None:
    clock = TickingClock(10.0)

    assert [clock.now(), clock.now()] == [10.001, 10.002]


def test_unknown_framework_is_refused_with_those_there_are() -> None:
    with pytest.raises(DemoError, match="no demo runs on 'autogen'; expected one of adk, langgraph"):
        load_target("autogen")
