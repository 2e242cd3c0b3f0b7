"""The rules refuse every event that does not follow, so that a journal nobody could have written is caught."""

from dataclasses import replace

import pytest

from tests.unit.trailforge.goals import make_goal
from trailforge.errors import TransitionError
from trailforge.harness.events import (
    AttemptAbandoned,
    AttemptBegan,
    AttemptDoubted,
    AttemptSucceeded,
    HoldResolved,
    LeaseRenewed,
    RunAdmitted,
    RunCancelled,
    RunExhausted,
    UnitsDenied,
    events_from_text,
    journal_text,
)
from trailforge.harness.state import RunState, RunStatus
from trailforge.harness.transitions import Announce, ReserveUnits, SettleUnits, step

GOAL = make_goal(works=1, units=2, max_units=5, lease_seconds=10, deadline_seconds=100)
BEGAN = AttemptBegan(at=1_000, task="work-1", attempt=1, epoch=1, holder="h", units=2, expires_at=11_000)
SUCCEEDED = AttemptSucceeded(at=2_000, task="work-1", attempt=1, epoch=1, receipt="ab" * 32)
DOUBTED = AttemptDoubted(at=2_000, task="work-1", attempt=1, epoch=1, reason="FENCED")


def after(*events) -> RunState:
    state = RunState(goal=GOAL)
    for event in (RunAdmitted(at=0, binding="b"), *events):
        state, _ = step(state, event)
    return state


READY, RUNNING, HELD = after(), after(BEGAN), after(BEGAN, DOUBTED)
CANCELLED = after(RunCancelled(at=1, by="operator"))


def test_begin_reserves_and_takes_the_lease():
    state, effects = step(READY, BEGAN)

    assert effects == (ReserveUnits(2),)
    assert (state.status, state.units_used, state.attempts, state.lease.expires_at) == (RunStatus.RUNNING, 2, 1, 11_000)


def test_success_settles_and_moves_on():
    state, effects = step(RUNNING, SUCCEEDED)

    assert effects == (SettleUnits(2),)
    assert (state.status, state.position, state.attempts, state.lease) == (RunStatus.READY, 1, 0, None)


def test_doubt_keeps_the_units_reserved_and_announces():
    state, effects = step(RUNNING, DOUBTED)

    assert effects == (Announce(RunStatus.UNKNOWN, "work-1", "FENCED"),)
    assert (state.epoch, state.units_used) == (2, 2)


REFUSED = {
    "a run begins with its admission": (RunState(goal=GOAL), BEGAN, "cannot be event 1"),
    "a run is admitted once": (READY, RunAdmitted(at=5, binding="b"), "cannot be event 2"),
    "time does not go back": (RUNNING, replace(SUCCEEDED, at=999), "earlier than the run's clock 1000"),
    "one attempt at a time": (RUNNING, replace(BEGAN, attempt=2, epoch=2), "run is RUNNING"),
    "attempts are numbered": (READY, replace(BEGAN, attempt=2), "attempt is 2, expected 1"),
    "epochs rise by one": (READY, replace(BEGAN, epoch=3), "epoch is 3, expected 1"),
    "only the task whose turn it is": (READY, replace(BEGAN, task="verify"), "task is 'verify', expected 'work-1'"),
    "units are the task's": (READY, replace(BEGAN, units=1), "units are 1, expected 2"),
    "a lease has the goal's length": (READY, replace(BEGAN, expires_at=99), "lease ends at 99, expected 11000"),
    "a deadline that has passed": (READY, replace(BEGAN, at=100_000, expires_at=110_000), "deadline has passed"),
    "a result needs a lease": (READY, SUCCEEDED, "met a run that is READY"),
    "a result of another epoch": (RUNNING, replace(SUCCEEDED, epoch=2), "epoch is 2, the lease is of epoch 1"),
    "a result of another attempt": (RUNNING, replace(SUCCEEDED, attempt=2), "attempt is 2, expected 1"),
    "a result of another task": (RUNNING, replace(SUCCEEDED, task="verify"), "task is 'verify', expected 'work-1'"),
    "a result at the end of the lease": (RUNNING, replace(SUCCEEDED, at=11_000), "lease ended at 11000"),
    "a renewal at the end of the lease": (
        RUNNING,
        LeaseRenewed(at=11_000, task="work-1", epoch=1, expires_at=21_000),
        "lease ended at 11000",
    ),
    "a renewal of another length": (
        RUNNING,
        LeaseRenewed(at=2_000, task="work-1", epoch=1, expires_at=99_000),
        "lease ends at 99000, expected 12000",
    ),
    "abandoning needs the policy": (
        RUNNING,
        AttemptAbandoned(at=2_000, task="work-1", attempt=1, epoch=1, reason="FENCED"),
        "recovery is HOLD, effect PURE",
    ),
    "only a held run is resolved": (
        READY,
        HoldResolved(at=5, task="work-1", decision="RETRY", by="operator"),
        "run is READY",
    ),
    "only the held task is resolved": (
        HELD,
        HoldResolved(at=3_000, task="verify", decision="RETRY", by="operator"),
        "task is 'verify', expected 'work-1'",
    ),
    "there are two decisions": (
        HELD,
        HoldResolved(at=3_000, task="work-1", decision="SKIP", by="operator"),
        "decision is 'SKIP'",
    ),
    "units are denied before an attempt": (
        RUNNING,
        UnitsDenied(at=2_000, task="work-1", scope="tenant", limit="total", needed=2, available=1),
        "run is RUNNING",
    ),
    "a running run is not exhausted": (
        RUNNING,
        RunExhausted(at=2_000, task="work-1", limit="units", used=5, maximum=5),
        "run is RUNNING",
    ),
    "nothing follows the end": (CANCELLED, replace(BEGAN, at=2_000), "follows the end of the run, CANCELLED"),
}


@pytest.mark.parametrize(("state", "event", "text"), REFUSED.values(), ids=REFUSED)
def test_event_that_does_not_follow_is_refused(state, event, text):
    with pytest.raises(TransitionError, match=text):
        step(state, event)


def test_units_of_the_goal_are_never_exceeded():
    """5 units allow two attempts of 2."""
    second = replace(BEGAN, at=3_000, attempt=2, epoch=3, expires_at=13_000)
    state = after(BEGAN, DOUBTED, HoldResolved(at=3_000, task="work-1", decision="RETRY", by="operator"), second)
    state, _ = step(state, replace(DOUBTED, at=3_000, attempt=2, epoch=3))
    with pytest.raises(TransitionError, match="attempts are used up"):
        step(
            step(state, HoldResolved(at=3_000, task="work-1", decision="RETRY", by="operator"))[0],
            replace(BEGAN, at=3_000, attempt=3, epoch=5, expires_at=13_000),
        )


def test_journal_text_reads_back_as_the_same_events():
    events = [BEGAN, SUCCEEDED, DOUBTED, HoldResolved(at=1, task="t", decision="RETRY", by="é\u0000", note="n")]

    assert events_from_text(journal_text(events)) == events
