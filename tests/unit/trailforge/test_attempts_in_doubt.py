"""Whatever cannot be told stays UNKNOWN and holds the run until a trusted host decides."""

import pytest

from tests.unit.trailforge.goals import make_goal
from trailforge.errors import CommandRefusedError
from trailforge.harness import Decision, RunStatus


def raises(error: BaseException):
    def call(request):
        raise error

    return call


class _UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError


DOUBTS = {
    "an exception": (raises(ValueError("boom")), "ADAPTER_RAISED", "ValueError: boom"),
    "an exception that cannot be printed": (
        raises(_UnprintableError()),
        "ADAPTER_RAISED",
        "_UnprintableError: (no text)",
    ),
    "an exception with a lone surrogate": (raises(ValueError("\ud800")), "ADAPTER_RAISED", "ValueError: \\ud800"),
    "NaN": (lambda request: {"x": float("nan")}, "OUTPUT_INVALID", "output.x: is nan, expected a finite number"),
    "a set": (lambda request: {1, 2}, "OUTPUT_INVALID", "output: is a set, which has no canonical form"),
    "2**64": (
        lambda request: 2**64,
        "OUTPUT_INVALID",
        "output: is 18446744073709551616, expected an integer within +-(2**53 - 1)",
    ),
    "one byte too many": (
        lambda request: "x" * 99,
        "OUTPUT_OVERSIZED",
        "output is 101 bytes in canonical form, expected at most 100",
    ),
    "ten times too many bytes": (
        lambda request: "x" * 998,
        "OUTPUT_OVERSIZED",
        "output is 1000 bytes in canonical form, expected at most 100",
    ),
    "text that grows when escaped": (
        lambda request: "\u0001" * 20,
        "OUTPUT_OVERSIZED",
        "output is 122 bytes in canonical form, expected at most 100",
    ),
}


@pytest.mark.parametrize(("call", "reason", "detail"), DOUBTS.values(), ids=DOUBTS)
def test_unusable_outcome_holds_the_run(make_harness, call, reason, detail):
    """Row 18: size is checked on canonical bytes before the receipt; the attempt stays counted, nothing retries it."""
    goal = make_goal(max_output_bytes=100)

    view = make_harness(call).run(goal)

    assert view.status is RunStatus.UNKNOWN
    assert (view.hold.task, view.hold.reason, view.hold.detail) == ("work-1", reason, detail)
    assert (view.attempts_total, view.units_used, view.done) == (1, 1, 0)
    assert make_harness(call).resume(goal).attempts_total == 1


def test_output_of_exactly_the_limit_is_accepted(make_harness):
    """Row 18: 98 characters and two quotes are 100 bytes."""
    assert make_harness(lambda request: "x" * 98).run(make_goal(max_output_bytes=100)).status is RunStatus.COMPLETED


@pytest.mark.parametrize("verdict", [None, "pass", 1, "APPROVED"])
def test_verify_adapter_without_a_verdict_holds_the_run(make_harness, verdict):
    view = make_harness(verdict=verdict).run(make_goal())

    assert (view.status, view.hold.reason) == (RunStatus.UNKNOWN, "OUTPUT_INVALID")


def test_interrupt_is_recorded_and_goes_on(make_harness):
    harness = make_harness(raises(KeyboardInterrupt()))

    with pytest.raises(KeyboardInterrupt):
        harness.run(make_goal(), "run-1")

    assert harness.status("run-1").hold.reason == "INTERRUPTED"


def test_retry_charges_a_new_numbered_attempt_and_resets_nothing(make_harness):
    attempts = []

    def fail_once(request):
        attempts.append(request.attempt)
        if request.attempt == 1:
            raise ValueError
        return {}

    harness, goal = make_harness(fail_once), make_goal()
    held = harness.run(goal)
    assert held.legal == ("resolve work-1 retry", "resolve work-1 cancel", "cancel")

    ready = harness.resolve(held.run_id, "work-1", Decision.RETRY, by="operator", note="provider was down")
    assert (ready.status, ready.units_used) == (RunStatus.READY, 1)
    done = harness.resume(goal)

    assert (done.status, attempts, done.attempts_total, done.units_used) == (RunStatus.COMPLETED, [1, 2], 3, 3)


def test_retry_is_refused_when_attempts_are_used_up(make_harness):
    harness, goal = make_harness(raises(ValueError())), make_goal(max_attempts_per_task=1)
    held = harness.run(goal)
    assert held.legal == ("resolve work-1 cancel", "cancel")

    with pytest.raises(CommandRefusedError, match="has used 1 of 1 attempts of 'work-1'; legal now: resolve work-1 c"):
        harness.resolve(held.run_id, "work-1", Decision.RETRY, by="operator")


def test_only_the_held_task_can_be_resolved(make_harness):
    harness = make_harness(raises(ValueError()))
    held = harness.run(make_goal())

    with pytest.raises(CommandRefusedError, match="holds task 'work-1', not 'verify'"):
        harness.resolve(held.run_id, "verify", Decision.RETRY, by="operator")


def test_cancel_ends_a_held_run_and_settles_its_units(make_harness, authority):
    harness = make_harness(raises(ValueError()))
    held = harness.run(make_goal(units=3))
    assert (authority.units("acme").reserved, authority.units("acme").spent) == (3, 0)

    view = harness.resolve(held.run_id, "work-1", Decision.CANCEL, by="operator")

    assert view.status is RunStatus.CANCELLED
    assert (authority.units("acme").reserved, authority.units("acme").spent) == (0, 3)


def test_each_hold_is_announced_once(make_harness, authority):
    """Row 29: one durable notice per entry into a hold, however often the run is looked at or resumed."""
    harness, goal = make_harness(raises(ValueError())), make_goal()
    held = harness.run(goal)
    harness.resume(goal)
    harness.status(held.run_id)
    assert [notice.reason for notice in authority.notices(held.run_id)] == ["ADAPTER_RAISED"]

    harness.resolve(held.run_id, "work-1", Decision.RETRY, by="operator")
    harness.resume(goal)

    assert [notice.kind for notice in authority.notices(held.run_id)] == ["UNKNOWN", "UNKNOWN"]
