"""Units are reserved before work, charged once, and freed only by settling; limits hold over every process life."""

import pytest

from tests.unit.trailforge.goals import make_goal
from trailforge.authority import Units
from trailforge.harness import Decision, RunStatus
from trailforge.work import Recovery


def fails(request):
    raise ValueError


def test_held_attempt_keeps_its_units_until_it_is_settled(make_harness, capped):
    """Row 7: charged once and visible; another run waits; settling frees both ledgers in one transaction."""
    store = capped(tenant_in_flight=1, global_in_flight=1)
    held = make_harness(fails, store=store).run(make_goal())
    assert (store.units("acme"), store.units()) == (Units(reserved=1, spent=0),) * 2

    other = make_harness(store=store).run(make_goal(objective="another"))
    assert (other.status, other.hold.reason) == (RunStatus.WAITING, "TENANT_IN_FLIGHT")
    assert other.hold.detail == "needs 1 units, 0 are left"

    make_harness(store=store).resolve(held.run_id, "work-1", Decision.CANCEL, by="operator")
    assert (store.units("acme"), store.units()) == (Units(reserved=0, spent=1),) * 2
    assert make_harness(store=store).resume(make_goal(objective="another")).status is RunStatus.COMPLETED


def test_waiting_run_is_announced_once_and_holds_nothing(make_harness, capped):
    """Rows 6 and 29: waiting for units holds no lease and no unit, and is told once."""
    store = capped(tenant_in_flight=0)
    harness, goal = make_harness(store=store), make_goal()
    view = harness.run(goal)
    version = harness.resume(goal).version

    assert (view.lease, store.units("acme").reserved) == (None, 0)
    assert version == view.version
    assert [notice.kind for notice in store.notices(view.run_id)] == ["WAITING"]
    assert view.legal == ("resume", "cancel")


def test_receipt_is_kept_when_the_next_reservation_is_denied(make_harness, capped):
    store = capped(tenant_total=1)

    view = make_harness(store=store).run(make_goal(works=2))

    assert (view.status, view.done, view.hold.reason) == (RunStatus.WAITING, 1, "TENANT_TOTAL")
    assert view.output("work-1") == {"done": "work-1"}
    assert store.units("acme") == Units(reserved=0, spent=1)


def test_run_never_uses_more_than_its_own_units(make_harness):
    """3 units of 2 each fit into 5 twice."""
    view = make_harness().run(make_goal(works=3, units=2, max_units=5))

    assert (view.status, view.hold.reason, view.hold.detail) == (RunStatus.EXHAUSTED, "UNITS", "used 4 of 5")
    assert view.units_used == 4


def test_denied_and_exhausted_runs_have_ended_or_wait_without_calling_anything(make_harness, capped):
    store = capped(global_total=0)
    harness = make_harness(lambda request: pytest.fail("called"), store=store)

    assert harness.run(make_goal()).status is RunStatus.WAITING


def test_used_units_never_fall_however_often_a_run_is_resumed(make_harness, clock):
    """Row 20: crash at 99 of 100 units, resume 50 times: attempts and units only grow and stop at the limit."""
    goal = make_goal(works=1, units=33, max_units=100, max_attempts_per_task=100, recovery=Recovery.REATTEMPT_READS)
    begun = []

    def crash(request):
        begun.append(request.attempt)
        raise SystemExit

    used = []
    for _ in range(50):
        harness = make_harness(crash)
        try:
            view = harness.resume(goal, fence=True) if begun else harness.run(goal)
        except SystemExit:
            view = harness.status("run-" + view_id(harness))
            harness.resolve(view.run_id, "work-1", Decision.RETRY, by="operator")
        used.append(view.units_used)

    assert used == sorted(used)
    assert (used[-1], begun) == (99, [1, 2, 3])
    assert view.status is RunStatus.EXHAUSTED


def view_id(harness) -> str:
    return harness._authority.runs()[0].run_id.removeprefix("run-")


def test_tasks_without_units_reserve_nothing(make_harness, authority):
    make_harness().run(make_goal(units=0))

    assert authority.units("acme") == Units(reserved=0, spent=0)
