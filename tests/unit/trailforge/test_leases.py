"""Leases: one clock judges them, epochs fence late results, and a lost lease stops the write, not the label."""

from threading import Event, Thread

import pytest

from tests.unit.trailforge.goals import make_goal, verify_adapter, work_adapter
from trailforge.authority import SqliteAuthority
from trailforge.errors import LeaseHeldError, LeaseLostError
from trailforge.harness import Decision, Harness, RunStatus
from trailforge.work import Effect, Recovery


def test_result_after_the_lease_is_refused_and_holds_the_run(make_harness, clock):
    view = make_harness(lambda request: clock.advance(60)).run(make_goal(lease_seconds=60))

    assert (view.status, view.hold.reason, view.done) == (RunStatus.UNKNOWN, "LEASE_EXPIRED", 0)


def test_result_just_before_the_end_of_the_lease_is_accepted(make_harness, clock):
    view = make_harness(lambda request: clock.advance(59.999)).run(make_goal(lease_seconds=60))

    assert view.status is RunStatus.COMPLETED


def test_renewed_lease_accepts_a_later_result(make_harness, clock):
    def slow(request):
        for _ in range(3):
            clock.advance(50)
            assert request.renew() == int(clock.now() * 1000) + 60_000
        clock.advance(50)
        return {}

    assert make_harness(slow).run(make_goal(lease_seconds=60)).status is RunStatus.COMPLETED


def test_thread_that_goes_on_renewing_costs_no_result(tmp_path):
    """It renews without a pause before, while and after the result is recorded, and is told when that was the end."""
    told = []

    def beating(request):
        begun = Event()

        def beat():
            try:
                while True:
                    request.renew()
                    begun.set()
            except LeaseLostError as error:
                told.append(error.epoch)

        threads.append(Thread(target=beat))
        threads[-1].start()
        begun.wait()
        return {}

    threads: list[Thread] = []
    authority = SqliteAuthority(tmp_path / "runs.db")
    view = Harness(authority, (work_adapter(beating), verify_adapter())).run(make_goal(works=5))
    for thread in threads:
        thread.join()

    assert view.status is RunStatus.COMPLETED
    assert sorted(told) == [1, 2, 3, 4, 5]
    authority.close()


def test_ended_lease_cannot_be_renewed(make_harness, clock):
    """Row 6: a callback that asks learns that its lease is gone, before it writes anything."""

    def slow(request):
        clock.advance(60)
        request.renew()

    view = make_harness(slow).run(make_goal(lease_seconds=60))

    assert (view.status, view.hold.reason) == (RunStatus.UNKNOWN, "LEASE_EXPIRED")


def test_lease_of_another_holder_is_respected_until_it_ends(make_harness, clock):
    """Row 4: the holder is a token of a process life; after expiry the run can be resumed without any restart."""
    goal = make_goal()
    outcomes = []

    def meanwhile(request):
        with pytest.raises(LeaseHeldError, match="is leased for another 60000 ms"):
            make_harness().resume(goal)
        clock.advance(61)
        outcomes.append(make_harness().resume(goal).status)
        return {}

    with pytest.raises(LeaseLostError, match="lost its lease of epoch 1: the run moved on without it"):
        make_harness(meanwhile).run(goal)

    assert outcomes == [RunStatus.UNKNOWN]


def test_two_lives_of_one_worker_are_two_holders(make_harness, clock):
    """Row 4: a name both lives share gives neither the other's lease, and without one each life has its own token."""
    goal = make_goal()
    holders = []

    def meanwhile(request):
        holders.append(make_harness().status(request.run_id).lease.holder)
        with pytest.raises(LeaseHeldError):
            make_harness(holder="worker-1").resume(goal)
        return {}

    assert make_harness(meanwhile, holder="worker-1").run(goal).status is RunStatus.COMPLETED
    for name in ("run-1", "run-2"):
        make_harness(lambda request: holders.append(make_harness().status(request.run_id).lease.holder)).run(goal, name)

    assert holders[0] == "worker-1"
    assert len(set(holders)) == 3


def test_late_result_is_refused_by_epoch_even_when_the_clock_says_it_is_early(make_harness, clock):
    """Row 5: the other host moved on at +1 h; when the clock is set back the late result still may not commit."""
    goal = make_goal()

    def overtaken(request):
        clock.advance(3_600)
        other = make_harness()
        assert other.resume(goal).status is RunStatus.UNKNOWN
        other.resolve(request.run_id, "work-1", Decision.RETRY, by="operator")
        assert other.resume(goal).status is RunStatus.COMPLETED
        clock.advance(-3_600)
        return {"late": True}

    with pytest.raises(LeaseLostError):
        make_harness(overtaken).run(goal)

    final = make_harness().resume(goal)
    assert (final.status, final.output("work-1")) == (RunStatus.COMPLETED, {"done": "work-1"})


@pytest.mark.parametrize("jump", [-3_600.0, -10.0])
def test_clock_set_back_never_extends_a_deadline(make_harness, clock, jump):
    """Row 5: within a run time stands still until the clock has caught up, so the deadline comes no later."""
    goal = make_goal(works=2, deadline_seconds=100)

    def spend(request):
        clock.advance(99)
        request.renew()
        clock.advance(jump)
        return {}

    view = make_harness(spend).run(make_goal(works=2, deadline_seconds=100, lease_seconds=200), pause_after="work-1")
    assert view.record.state.clock == 1_099_000

    clock.advance(-jump + 1)
    ended = make_harness(spend).resume(make_goal(works=2, deadline_seconds=100, lease_seconds=200))
    assert (ended.status, ended.hold.reason) == (RunStatus.EXHAUSTED, "DEADLINE")
    assert goal.limits.deadline_seconds == 100


def test_clock_step_back_between_renewal_and_result_is_harmless(make_harness, clock):
    """Row 5: −10 s between renew and complete."""

    def stepping(request):
        clock.advance(50)
        request.renew()
        clock.advance(-10)
        return {}

    assert make_harness(stepping).run(make_goal(lease_seconds=60)).status is RunStatus.COMPLETED


def test_committed_receipt_is_never_relabelled(make_harness, clock):
    """Row 6: a renewal that fails after the receipt is committed changes nothing."""
    kept = []
    goal = make_goal()
    done = make_harness(lambda request: kept.append(request.renew) or {}).run(goal)

    with pytest.raises(LeaseLostError):
        kept[0]()

    assert make_harness().status(done.run_id).head == done.head


def test_waiting_for_a_decision_holds_no_lease_and_no_time(make_harness, clock):
    """Rows 6 and 8: a held or paused run may wait far longer than a lease; only the deadline counts."""
    goal = make_goal(works=2, lease_seconds=60, deadline_seconds=10_000)
    paused = make_harness().run(goal, pause_after="work-1")
    assert paused.lease is None

    clock.advance(9_000)

    assert make_harness().resume(goal).status is RunStatus.COMPLETED


def test_fencing_holds_the_run_at_once(make_harness, clock):
    goal = make_goal()

    def die(request):
        view = make_harness().resume(goal, fence=True)
        assert (view.status, view.hold.reason) == (RunStatus.UNKNOWN, "FENCED")
        return {}

    with pytest.raises(LeaseLostError):
        make_harness(die).run(goal)


@pytest.mark.parametrize(
    ("effect", "recovery", "expected"),
    [
        (Effect.PURE, Recovery.REATTEMPT_READS, RunStatus.COMPLETED),
        (Effect.SCOPED_READ, Recovery.REATTEMPT_READS, RunStatus.COMPLETED),
        (Effect.CANDIDATE_WRITE, Recovery.REATTEMPT_READS, RunStatus.UNKNOWN),
        (Effect.PURE, Recovery.HOLD, RunStatus.UNKNOWN),
    ],
)
def test_only_the_policy_re_attempts_and_only_reads(make_harness, clock, effect, recovery, expected):
    goal = make_goal(effect=effect, recovery=recovery)
    seen = []

    def overtaken(request):
        clock.advance(61)
        seen.append(make_harness().resume(goal))
        return {}

    with pytest.raises(LeaseLostError):
        make_harness(overtaken).run(goal)

    assert seen[0].status is expected
    if expected is RunStatus.COMPLETED:
        # The crashed attempt stays on record and stays charged: 2 of work-1 and 1 of verify.
        assert (seen[0].attempts_total, seen[0].units_used) == (3, 3)


def test_cancel_during_an_attempt_revokes_its_commitment(make_harness, authority):
    goal = make_goal()

    def cancelled(request):
        make_harness().cancel(request.run_id, by="operator")
        return {}

    with pytest.raises(LeaseLostError):
        make_harness(cancelled).run(goal)

    assert make_harness().resume(goal).status is RunStatus.CANCELLED
    assert (authority.units("acme").reserved, authority.units("acme").spent) == (0, 1)
