"""What to do next: pure choices over a run's state and the authority's time. Each returns an event to record."""

from trailforge.errors import CommandRefusedError, LeaseHeldError
from trailforge.errors.showing import shown
from trailforge.harness.events import (
    AttemptAbandoned,
    AttemptBegan,
    AttemptDoubted,
    Decision,
    Doubt,
    HoldResolved,
    RunCancelled,
    RunExhausted,
)
from trailforge.harness.state import RUNNABLE, TERMINAL, RunState, RunStatus
from trailforge.harness.transitions import may_reattempt


def run_time(state: RunState, now: int) -> int:
    """Return the time within the run: the authority's, but never earlier than the run has already seen."""
    return max(state.clock, now)


def next_attempt(state: RunState, holder: str, now: int) -> AttemptBegan | RunExhausted:
    """Return the attempt a runnable run begins next, or the limit that leaves none."""
    at, task, limits = run_time(state, now), state.task, state.goal.limits
    bounds = (
        ("attempts", state.attempts, limits.max_attempts_per_task, 1),
        ("units", state.units_used, limits.max_units, task.units),
        ("deadline", at - state.started_at, limits.deadline_seconds * 1000, 1),
    )
    for limit, used, maximum, needed in bounds:
        if used + needed > maximum:
            return RunExhausted(at=at, task=task.id, limit=limit, used=used, maximum=maximum)
    return AttemptBegan(
        at=at,
        task=task.id,
        attempt=state.attempts + 1,
        epoch=state.epoch + 1,
        holder=holder,
        units=task.units,
        expires_at=at + limits.lease_seconds * 1000,
    )


def doubt(state: RunState, now: int, reason: Doubt, detail: str = "") -> AttemptDoubted:
    """Return the event that holds a RUNNING run because of *reason*."""
    lease = state.lease
    if lease is None:
        raise CommandRefusedError("", f"is {state.status}, expected RUNNING", legal_commands(state))
    return AttemptDoubted(
        at=run_time(state, now),
        task=state.task.id,
        attempt=lease.attempt,
        epoch=lease.epoch,
        reason=reason.value,
        detail=detail,
    )


def after_crash(run_id: str, state: RunState, now: int, *, fence: bool) -> AttemptDoubted | AttemptAbandoned | None:
    """Return what becomes of the attempt another process life left RUNNING; None when there is none.

    Args:
        run_id: the run, for messages.
        state: its state as loaded.
        now: the authority's time in milliseconds.
        fence: whether a trusted host states that the holder's process is dead.

    Raises:
        LeaseHeldError: if its lease still runs and it is not fenced.
    """
    lease = state.lease
    if lease is None:
        return None
    at = run_time(state, now)
    if at < lease.expires_at and not fence:
        raise LeaseHeldError(run_id, state.task.id, lease.expires_at, at)
    reason = Doubt.LEASE_EXPIRED if at >= lease.expires_at else Doubt.FENCED
    if may_reattempt(state):
        return AttemptAbandoned(
            at=at, task=state.task.id, attempt=lease.attempt, epoch=lease.epoch, reason=reason.value
        )
    return doubt(state, now, reason)


def resolution(
    run_id: str, state: RunState, task_id: str, decision: Decision, *, now: int, by: str, note: str
) -> HoldResolved:
    """Return the event by which a trusted host settles an UNKNOWN task.

    Raises:
        CommandRefusedError: if the task is not UNKNOWN, or a retry is asked for and no attempt is left.
    """
    legal = legal_commands(state)
    if state.status is not RunStatus.UNKNOWN:
        raise CommandRefusedError(run_id, f"is {state.status}, expected UNKNOWN", legal)
    if task_id != state.task.id:
        raise CommandRefusedError(run_id, f"holds task {state.task.id!r}, not {shown(task_id)}", legal)
    if decision is Decision.RETRY and not _has_attempt_left(state):
        limit = state.goal.limits.max_attempts_per_task
        raise CommandRefusedError(run_id, f"has used {state.attempts} of {limit} attempts of {task_id!r}", legal)
    return HoldResolved(at=run_time(state, now), task=task_id, decision=decision.value, by=by, note=note)


def cancellation(run_id: str, state: RunState, *, now: int, by: str, note: str) -> RunCancelled:
    """Return the event that ends a run that has not ended.

    Raises:
        CommandRefusedError: if it has.
    """
    if state.status in TERMINAL:
        raise CommandRefusedError(run_id, f"has ended {state.status}")
    return RunCancelled(at=run_time(state, now), by=by, note=note)


def legal_commands(state: RunState, *, lease_ended: bool = False) -> tuple[str, ...]:
    """Return the commands a host may give a run in *state*; *lease_ended* says that its attempt's time is over."""
    if state.status in TERMINAL:
        return ()
    if state.status is RunStatus.UNKNOWN:
        retry = (f"resolve {state.task.id} retry",) if _has_attempt_left(state) else ()
        return (*retry, f"resolve {state.task.id} cancel", "cancel")
    if state.status in RUNNABLE or lease_ended:
        return ("resume", "cancel")
    return ("resume --fence", "cancel")


def _has_attempt_left(state: RunState) -> bool:
    return state.attempts < state.goal.limits.max_attempts_per_task
