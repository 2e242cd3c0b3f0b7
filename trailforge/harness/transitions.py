"""The rules of a run: ``step(state, event) -> (state, store effects)``. Pure; the journal replays through it.

Every rule is checked here a second time even though `trailforge.harness.decisions` chose the event, so that a
journal nobody could have written is refused when it is replayed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from trailforge.errors import TransitionError
from trailforge.harness.events import (
    AttemptAbandoned,
    AttemptBegan,
    AttemptDoubted,
    AttemptSucceeded,
    Decision,
    Event,
    HoldResolved,
    LeaseRenewed,
    RunAdmitted,
    RunCancelled,
    RunExhausted,
    UnitsDenied,
)
from trailforge.harness.state import RUNNABLE, TERMINAL, Hold, Lease, RunState, RunStatus
from trailforge.work import Effect, Recovery, Verdict
from trustrail.foundation import chain_link


@dataclass(frozen=True, slots=True)
class ReserveUnits:
    """Take units from both ledgers before an attempt."""

    units: int


@dataclass(frozen=True, slots=True)
class SettleUnits:
    """Move an ended attempt's units from reserved to spent in both ledgers."""

    units: int


@dataclass(frozen=True, slots=True)
class Announce:
    """Tell an operator, once, that the run entered a state in which it waits or ended short."""

    status: RunStatus
    task: str
    reason: str


StoreEffect = ReserveUnits | SettleUnits | Announce
Step = tuple[RunState, tuple[StoreEffect, ...]]


def step(state: RunState, event: Event) -> Step:
    """Return the state after *event*, and what the store must do in the same transaction.

    Raises:
        TransitionError: if *event* does not follow from *state*.
    """
    if event.at < state.clock:
        raise TransitionError(f"{_name(event)} at {event.at} is earlier than the run's clock {state.clock}")
    if (state.events == 0) != (type(event) is RunAdmitted):
        raise TransitionError(f"{_name(event)} cannot be event {state.events + 1} of a run")
    if state.status in TERMINAL:
        raise TransitionError(f"{_name(event)} follows the end of the run, {state.status}")
    return _RULES[type(event)](state, event)


def _moved(state: RunState, event: Event, **changes: Any) -> RunState:  # noqa: ANN401 - the fields of a RunState
    """Return *state* one event later, with *changes*."""
    return replace(state, events=state.events + 1, clock=event.at, **changes)


def _admitted(state: RunState, event: RunAdmitted) -> Step:
    return _moved(state, event, started_at=event.at), ()


def _began(state: RunState, event: AttemptBegan) -> Step:
    limits, task = state.goal.limits, state.task
    if state.status not in RUNNABLE:
        raise _refusal(event, f"run is {state.status}")
    if event.task != task.id:
        raise _refusal(event, f"task is {event.task!r}, expected {task.id!r}")
    if event.attempt != state.attempts + 1:
        raise _refusal(event, f"attempt is {event.attempt}, expected {state.attempts + 1}")
    if event.epoch != state.epoch + 1:
        raise _refusal(event, f"epoch is {event.epoch}, expected {state.epoch + 1}")
    if event.units != task.units:
        raise _refusal(event, f"units are {event.units}, expected {task.units}")
    if event.attempt > limits.max_attempts_per_task:
        raise _refusal(event, "attempts are used up")
    if state.units_used + event.units > limits.max_units:
        raise _refusal(event, "units are used up")
    if event.at >= state.deadline:
        raise _refusal(event, "deadline has passed")
    expiry = event.at + limits.lease_seconds * 1000
    if event.expires_at != expiry:
        raise _refusal(event, f"lease ends at {event.expires_at}, expected {expiry}")
    after = _moved(
        state,
        event,
        status=RunStatus.RUNNING,
        attempts=event.attempt,
        attempts_total=state.attempts_total + 1,
        epoch=event.epoch,
        units_used=state.units_used + event.units,
        lease=Lease(attempt=event.attempt, epoch=event.epoch, holder=event.holder, expires_at=event.expires_at),
        hold=None,
    )
    return after, (ReserveUnits(event.units),)


def _renewed(state: RunState, event: LeaseRenewed) -> Step:
    lease = _held_lease(state, event, event.epoch)
    if event.at >= lease.expires_at:
        raise _refusal(event, f"lease ended at {lease.expires_at}")
    expiry = event.at + state.goal.limits.lease_seconds * 1000
    if event.expires_at != expiry:
        raise _refusal(event, f"lease ends at {event.expires_at}, expected {expiry}")
    return _moved(state, event, lease=replace(lease, expires_at=expiry)), ()


def _succeeded(state: RunState, event: AttemptSucceeded) -> Step:
    lease = _held_lease(state, event, event.epoch)
    if event.attempt != lease.attempt:
        raise _refusal(event, f"attempt is {event.attempt}, expected {lease.attempt}")
    if event.at >= lease.expires_at:
        raise _refusal(event, f"lease ended at {lease.expires_at}")
    units = state.task.units
    status, hold = _after_success(state, event)
    after = _moved(
        state,
        event,
        status=status,
        position=state.position + 1,
        attempts=0,
        results=chain_link(state.results, bytes.fromhex(event.receipt)),
        lease=None,
        hold=hold,
    )
    effects: tuple[StoreEffect, ...] = (SettleUnits(units),)
    if hold is not None:
        effects += (Announce(status, event.task, hold.reason),)
    return after, effects


def _after_success(state: RunState, event: AttemptSucceeded) -> tuple[RunStatus, Hold | None]:
    """A required check that says FAIL ends the run at once, since nothing later can make it complete."""
    for check in required_checks(state):
        if event.verdict not in (Verdict.PASS, Verdict.FAIL):
            raise _refusal(event, f"verdict is {event.verdict!r}")
        if event.verdict == Verdict.FAIL:
            hold = Hold(task=event.task, reason="CHECK_FAILED", detail=check, since=event.at)
            return RunStatus.FAILED, hold
    if state.position + 1 == len(state.goal.tasks):
        return RunStatus.COMPLETED, None
    return (RunStatus.PAUSED if event.pause else RunStatus.READY), None


def _doubted(state: RunState, event: AttemptDoubted) -> Step:
    _held_lease(state, event, event.epoch)
    hold = Hold(task=event.task, reason=event.reason, detail=event.detail, since=event.at)
    after = _moved(state, event, status=RunStatus.UNKNOWN, epoch=state.epoch + 1, lease=None, hold=hold)
    return after, (Announce(RunStatus.UNKNOWN, event.task, event.reason),)


def _abandoned(state: RunState, event: AttemptAbandoned) -> Step:
    _held_lease(state, event, event.epoch)
    if not may_reattempt(state):
        raise _refusal(event, f"recovery is {state.goal.recovery}, effect {state.task.effect}")
    after = _moved(state, event, status=RunStatus.READY, epoch=state.epoch + 1, lease=None)
    return after, (SettleUnits(state.task.units),)


def _resolved(state: RunState, event: HoldResolved) -> Step:
    if state.status is not RunStatus.UNKNOWN:
        raise _refusal(event, f"run is {state.status}")
    if event.task != state.task.id:
        raise _refusal(event, f"task is {event.task!r}, expected {state.task.id!r}")
    settle = (SettleUnits(state.task.units),)
    if event.decision == Decision.CANCEL:
        return _moved(state, event, status=RunStatus.CANCELLED, epoch=state.epoch + 1), settle
    if event.decision != Decision.RETRY:
        raise _refusal(event, f"decision is {event.decision!r}")
    return _moved(state, event, status=RunStatus.READY, hold=None), settle


def _denied(state: RunState, event: UnitsDenied) -> Step:
    if state.status not in RUNNABLE - {RunStatus.WAITING}:
        raise _refusal(event, f"run is {state.status}")
    reason = f"{event.scope}_{event.limit}".upper()
    detail = f"needs {event.needed} units, {event.available} are left"
    hold = Hold(task=event.task, reason=reason, detail=detail, since=event.at)
    return _moved(state, event, status=RunStatus.WAITING, hold=hold), (Announce(RunStatus.WAITING, event.task, reason),)


def _exhausted(state: RunState, event: RunExhausted) -> Step:
    if state.status not in RUNNABLE:
        raise _refusal(event, f"run is {state.status}")
    reason = event.limit.upper()
    hold = Hold(task=event.task, reason=reason, detail=f"used {event.used} of {event.maximum}", since=event.at)
    after = _moved(state, event, status=RunStatus.EXHAUSTED, hold=hold)
    return after, (Announce(RunStatus.EXHAUSTED, event.task, reason),)


def _cancelled(state: RunState, event: RunCancelled) -> Step:
    held = state.status in (RunStatus.RUNNING, RunStatus.UNKNOWN)
    effects = (SettleUnits(state.task.units),) if held else ()
    return _moved(state, event, status=RunStatus.CANCELLED, epoch=state.epoch + 1, lease=None), effects


def required_checks(state: RunState) -> tuple[str, ...]:
    """Return the names of the required checks that the current task judges."""
    task = state.task.id
    return tuple(check.name for check in state.goal.checks if check.required and check.task == task)


def may_reattempt(state: RunState) -> bool:
    """Whether the goal's policy lets a crashed attempt of the current task be followed by another one."""
    reads = state.task.effect in (Effect.PURE, Effect.SCOPED_READ)
    return reads and state.goal.recovery is Recovery.REATTEMPT_READS


def _held_lease(
    state: RunState, event: LeaseRenewed | AttemptSucceeded | AttemptDoubted | AttemptAbandoned, epoch: int
) -> Lease:
    lease = state.lease
    if lease is None:
        raise TransitionError(f"{_name(event)} of epoch {epoch} met a run that is {state.status}")
    if epoch != lease.epoch:
        raise _refusal(event, f"epoch is {epoch}, the lease is of epoch {lease.epoch}")
    if event.task != state.task.id:
        raise _refusal(event, f"task is {event.task!r}, expected {state.task.id!r}")
    return lease


def _refusal(event: Event, problem: str) -> TransitionError:
    return TransitionError(f"{_name(event)} is refused: {problem}")


def _name(event: Event) -> str:
    return type(event).__name__


_RULES: Final[Mapping[type[Event], Callable[[RunState, Any], Step]]] = {
    RunAdmitted: _admitted,
    AttemptBegan: _began,
    LeaseRenewed: _renewed,
    AttemptSucceeded: _succeeded,
    AttemptDoubted: _doubted,
    AttemptAbandoned: _abandoned,
    HoldResolved: _resolved,
    UnitsDenied: _denied,
    RunExhausted: _exhausted,
    RunCancelled: _cancelled,
}
