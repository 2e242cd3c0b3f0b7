"""One process driving one run: the only place where callbacks are called and transitions are committed.

Intent is durable before a callback runs and its receipt after, so that whatever a crash leaves is visible. When the
next attempt may begin, its intent is committed together with the receipt before it: one flush instead of two, and
still no callback without a durable intent.
"""

import json
from collections.abc import Mapping
from threading import RLock
from typing import Any

from trailforge.authority import Authority
from trailforge.errors import AuthorityError, ConflictError, LeaseLostError, TransitionError, UnitsDeniedError
from trailforge.harness.attempt import Accepted, Doubted, judge_output, raised
from trailforge.harness.decisions import doubt, next_attempt, run_time
from trailforge.harness.events import (
    AttemptSucceeded,
    Doubt,
    Event,
    LeaseRenewed,
    UnitsDenied,
)
from trailforge.harness.record import Draft, RunRecord, receipt_digest
from trailforge.harness.state import RUNNABLE, TERMINAL, Lease, RunStatus
from trailforge.harness.telemetry import REFUSED, Signal, Telemetry
from trailforge.work import Adapter, Request, goal_digest


class Session:
    """Drives one run and keeps what it last committed.

    Attributes:
        record: the run as last committed.
    """

    def __init__(
        self,
        authority: Authority,
        adapters: Mapping[str, Adapter],
        holder: str,
        telemetry: Telemetry,
        record: RunRecord,
    ) -> None:
        self._authority = authority
        self._adapters = adapters
        self._holder = holder
        self._telemetry = telemetry
        self._goal_digest = goal_digest(record.state.goal)
        self._turn = RLock()  # a callback's own thread may renew while its result is recorded
        self.record = record

    def commit(self, event: Event) -> None:
        """Append one event in a transition of its own.

        Raises:
            ConflictError: if the run moved on since it was read.
            UnitsDeniedError: if a cap does not cover the reservation.
        """
        self._write(Draft(self.record).add(event))

    def begin(self) -> None:
        """Reserve the next attempt's units and take its lease, or record what denies it."""
        state = self.record.state
        event = next_attempt(state, self._holder, self._authority.now())
        try:
            self.commit(event)
        except UnitsDeniedError as denied:
            self._record_denial(denied)

    def drive(self, *, tasks: int | None = None, pause_after: str = "") -> None:
        """Run attempts until the run holds, ends, pauses or *tasks* of them have been accepted.

        Raises:
            LeaseLostError: if a result came after its lease was lost; it was not recorded.
        """
        if self.record.state.status not in RUNNABLE:
            return
        self.begin()
        while self.record.state.status is RunStatus.RUNNING:
            tasks = None if tasks is None else tasks - 1
            self._attempt(go_on=tasks != 0, pause_after=pause_after)
        status = self.record.state.status
        if status is RunStatus.EXHAUSTED:
            self._telemetry.count(Signal.BUDGET_DENIED, status.value)
        if status in TERMINAL:
            self._telemetry.count(Signal.RUN_ENDED, status.value)

    def _attempt(self, *, go_on: bool, pause_after: str) -> None:
        """Call the leased attempt's callback and record what came of it."""
        lease, began = self._lease(), self.record.state.clock
        adapter = self._adapters[self.record.state.task.adapter]
        interruption: BaseException | None = None
        try:
            outcome = judge_output(self.record.state, adapter, adapter.call(self._request(lease)))
        except Exception as error:  # noqa: BLE001 - whatever a callback raises leaves its outcome in doubt
            outcome = raised(error)
        except BaseException as error:  # noqa: BLE001 - raised again below, once the doubt is recorded
            outcome, interruption = raised(error), error
        with self._turn:
            at = run_time(self.record.state, self._authority.now())
            try:
                self._record_outcome(outcome, at, go_on=go_on, pause_after=pause_after)
            except ConflictError as error:
                self._telemetry.count(Signal.STALE_LEASE)
                self._telemetry.duration(at - began, REFUSED)
                task = self.record.state.task.id
                raise LeaseLostError(self.record.run_id, task, lease.epoch, "the run moved on without it") from error
        self._telemetry.duration(at - began, self.record.state.status.value)
        if interruption is not None:
            raise interruption

    def _record_outcome(self, outcome: Accepted | Doubted, at: int, *, go_on: bool, pause_after: str) -> None:
        lease = self._lease()  # the callback may have renewed it
        if at >= lease.expires_at:
            self._hold(at, Doubt.LEASE_EXPIRED, "the result came after the lease ended and was refused")
            self._telemetry.count(Signal.STALE_LEASE, self.record.state.status.value)
        elif isinstance(outcome, Accepted):
            self._accept(outcome, lease, at, go_on=go_on, pause_after=pause_after)
        else:
            self._hold(at, outcome.reason, outcome.detail)

    def _accept(self, outcome: Accepted, lease: Lease, at: int, *, go_on: bool, pause_after: str) -> None:
        state = self.record.state
        success = AttemptSucceeded(
            at=at,
            task=state.task.id,
            attempt=lease.attempt,
            epoch=lease.epoch,
            receipt=receipt_digest(self.record.run_id, self.record.binding, state.task, lease, outcome.output),
            verdict=outcome.verdict,
            pause=pause_after == state.task.id,
        )
        try:
            self._commit_success(success, outcome.output, go_on=go_on)
        except ConflictError:
            raise
        except AuthorityError as error:
            # The effect may have happened and nothing proves it: hold. When even that cannot be written, the
            # attempt stays RUNNING in the store and its lease runs out into the same UNKNOWN.
            self._hold(at, Doubt.RECEIPT_NOT_STORED, type(error).__name__)
            raise
        self._telemetry.count(Signal.ATTEMPT_SUCCEEDED, self.record.state.status.value)

    def _commit_success(self, success: AttemptSucceeded, output: str, *, go_on: bool) -> None:
        draft = Draft(self.record).add(success, output)
        if not (go_on and draft.state.status is RunStatus.READY):
            self._write(draft)
            return
        try:
            self._write(draft.add(next_attempt(draft.state, self._holder, success.at)))
        except UnitsDeniedError as denied:
            self._write(Draft(self.record).add(success, output))
            self._record_denial(denied)

    def _write(self, draft: Draft) -> None:
        transition, after = draft.finish()
        self._authority.commit(transition)
        self.record = after

    def _hold(self, at: int, reason: Doubt, detail: str) -> None:
        self.commit(doubt(self.record.state, at, reason, detail))
        self._telemetry.count(Signal.ATTEMPT_HELD, reason.value)

    def _record_denial(self, denied: UnitsDeniedError) -> None:
        self._telemetry.count(Signal.BUDGET_DENIED, RunStatus.WAITING.value)
        state = self.record.state
        if state.status is RunStatus.WAITING:
            return
        self.commit(
            UnitsDenied(
                at=run_time(state, self._authority.now()),
                task=state.task.id,
                scope=denied.scope,
                limit=denied.limit,
                needed=denied.needed,
                available=denied.available,
            )
        )

    def _lease(self) -> Lease:
        lease = self.record.state.lease
        if lease is None:
            raise TransitionError(f"run {self.record.run_id} is {self.record.state.status}, expected a leased attempt")
        return lease

    def _request(self, lease: Lease) -> Request:
        state, outputs = self.record.state, self.record.outputs
        task, goal = state.task, state.goal
        return Request(
            run_id=self.record.run_id,
            tenant=goal.tenant,
            resource=goal.resource,
            goal_digest=self._goal_digest,
            task_id=task.id,
            attempt=lease.attempt,
            input=_detached(task.input),
            outputs={needed: json.loads(outputs[needed]) for needed in task.depends_on},
            expires_at=lease.expires_at,
            renew=lambda: self._renew(task.id, lease.epoch),
        )

    def _renew(self, task: str, epoch: int) -> int:
        with self._turn:
            return self._renewed(task, epoch)

    def _renewed(self, task: str, epoch: int) -> int:
        state, lease = self.record.state, self.record.state.lease
        at = run_time(state, self._authority.now())
        if lease is None or lease.epoch != epoch or at >= lease.expires_at:
            raise LeaseLostError(self.record.run_id, task, epoch, "it had ended before it was renewed")
        expires_at = at + state.goal.limits.lease_seconds * 1000
        try:
            self.commit(LeaseRenewed(at=at, task=task, epoch=epoch, expires_at=expires_at))
        except ConflictError as error:
            raise LeaseLostError(self.record.run_id, task, epoch, "the run moved on without it") from error
        return expires_at


def _detached(value: Any) -> Any:  # noqa: ANN401 - any admitted JSON value
    """Return a copy that shares nothing changeable with *value*."""
    if isinstance(value, Mapping):
        return {key: _detached(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_detached(item) for item in value]
    return value
