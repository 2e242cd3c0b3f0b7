"""The harness: a host's front door to bounded, durable runs.

It admits a goal, drives its tasks one after another, and leaves every uncertain outcome to a trusted host. All truth
is in the authority; a harness can be rebuilt at any time with the same adapters.
"""

import secrets
from collections.abc import Iterable
from typing import Final

from trailforge.authority import Authority, JournalEntry, StoredRun
from trailforge.errors import CommandRefusedError, RunExistsError, ScopeError
from trailforge.errors.showing import shown
from trailforge.harness.audit import audit
from trailforge.harness.decisions import after_crash, cancellation, resolution
from trailforge.harness.events import AttemptAbandoned, Decision, HoldResolved, RunCancelled
from trailforge.harness.record import RunRecord, admitted_record, restore
from trailforge.harness.session import Session
from trailforge.harness.state import TERMINAL
from trailforge.harness.telemetry import Signal, Telemetry, unfailing
from trailforge.harness.view import RunView, view_of
from trailforge.work import (
    Adapter,
    Goal,
    admit_run,
    admit_run_id,
    bind,
    require_same_binding,
)
from trailforge.work.admission import adapters_by_name, admit_host
from trailforge.work.values import stored_json
from trustrail.errors import CanonicalizationError

_AUDITS: Final = 5
"""Tries to read a store while nobody writes to it; ours."""

MAX_NOTE: Final = 2_000
"""Longest name or note of a decision, in characters; ours, a paragraph."""


class Harness:
    """Runs goals on one authority with one set of adapters.

    Args:
        authority: the store every run lives in.
        adapters: the callbacks goals may name.
        tenant: the only tenant this host may act for; any when empty.
        holder: token of this process life for leases; random when empty. Give one only where nothing else runs.
        telemetry: where signals go.

    Raises:
        AdmissionError: if one of *adapters* is none, two have one name, or *tenant* or *holder* is no name.
    """

    def __init__(
        self,
        authority: Authority,
        adapters: Iterable[Adapter],
        *,
        tenant: str = "",
        holder: str = "",
        telemetry: Telemetry | None = None,
    ) -> None:
        self._authority = authority
        self._adapters = adapters_by_name(adapters)
        admit_host(tenant=tenant, holder=holder)
        self._tenant = tenant
        self._holder = holder or secrets.token_hex(8)
        self._telemetry = unfailing(telemetry)

    def start(self, goal: Goal, run_id: str = "") -> RunView:
        """Admit *goal* as a READY run; the same goal under the same id is the same run.

        Args:
            goal: what to do.
            run_id: id of the run; derived from the goal when empty.

        Raises:
            AdmissionError: with everything that is wrong with the goal; nothing is stored.
            BindingChangedError: if the id belongs to a run of another goal, or of other adapters.
            ScopeError: if the goal is another tenant's.
        """
        return view_of(self._start(goal, run_id))

    def run(self, goal: Goal, run_id: str = "", *, pause_after: str = "") -> RunView:
        """Start *goal*, or find its run, and drive it until it ends, holds or pauses.

        Args:
            goal: what to do.
            run_id: id of the run; derived from the goal when empty.
            pause_after: id of the task after whose accepted result the run stops as PAUSED.

        Raises:
            LeaseHeldError: if another process is running an attempt of it.
            LeaseLostError: if a result came after its lease was lost.
        """
        record = self._start(goal, run_id, pause_after)
        return self._drive(record, pause_after=pause_after)

    def advance(self, goal: Goal, run_id: str = "") -> RunView:
        """Drive one task of an existing run and return; the run is READY again when it went well."""
        record = self._bound(goal, run_id)
        return self._drive(record, tasks=1)

    def resume(self, goal: Goal, run_id: str = "", *, fence: bool = False, pause_after: str = "") -> RunView:
        """Go on with an existing run, with the goal and adapters it was admitted with.

        Args:
            goal: the goal it was admitted with.
            run_id: id of the run; derived from the goal when empty.
            fence: state that the process holding the lease is dead; its late result will be refused.
            pause_after: id of the task after whose accepted result the run stops as PAUSED.

        Raises:
            UnknownRunError: if the store has no such run.
            BindingChangedError: naming the field that differs.
            LeaseHeldError: if an attempt's lease still runs and is not fenced.
        """
        record = self._bound(goal, run_id, pause_after)
        return self._drive(record, fence=fence, pause_after=pause_after)

    def resolve(self, run_id: str, task_id: str, decision: Decision, *, by: str, note: str = "") -> RunView:
        """Settle an UNKNOWN task: RETRY makes the run READY for another charged attempt, CANCEL ends it.

        Args:
            run_id: the run.
            task_id: the task it holds.
            decision: what to do.
            by: who decided, kept in the journal.
            note: what the decision rests on, kept in the journal.

        Raises:
            CommandRefusedError: if the task is not UNKNOWN, no attempt is left to retry, or nobody decided.
        """
        _require_decided(run_id, by, note, decision)
        session = self._session(self._load(run_id))
        state = session.record.state
        now = self._authority.now()
        return self._decided(session, resolution(run_id, state, task_id, decision, now=now, by=by, note=note))

    def cancel(self, run_id: str, *, by: str, note: str = "") -> RunView:
        """End a run. A result that arrives later is refused; what was started outside may still happen.

        Raises:
            CommandRefusedError: if it has already ended, or nobody decided.
        """
        _require_decided(run_id, by, note)
        session = self._session(self._load(run_id))
        state, now = session.record.state, self._authority.now()
        return self._decided(session, cancellation(run_id, state, now=now, by=by, note=note))

    def status(self, run_id: str) -> RunView:
        """Read and verify one run.

        Raises:
            UnknownRunError: if the store has no such run.
            CorruptStoreError: one of its kinds, if what is stored does not agree with itself.
        """
        return view_of(self._load(run_id), self._authority.now())

    def run_ids(self) -> list[str]:
        """Return the id of every run this host may look at, in order."""
        return [summary.run_id for summary in self._authority.runs(self._tenant or None)]

    def journal(self, run_id: str) -> tuple[JournalEntry, ...]:
        """Return the verified journal of one run.

        Raises:
            UnknownRunError: if the store has no such run.
            CorruptStoreError: one of its kinds, if what is stored does not agree with itself.
        """
        stored = self._stored(run_id)
        restore(stored, self._authority.store_id)
        return stored.entries

    def audit(self) -> tuple[str, ...]:
        """Return everything in which the ledgers and notices of the store differ from what its journals tell.

        Raises:
            CorruptStoreError: one of its kinds, if a run does not agree with itself.
        """
        for _ in range(_AUDITS):
            before = self._authority.runs()
            stored = [self._authority.load(summary.run_id) for summary in before]
            for run in stored:
                restore(run, self._authority.store_id)
            problems = audit(self._authority, stored)
            if self._authority.runs() == before:
                return problems
        return ("the store was written while it was audited; audit it when nothing runs",)

    def _start(self, goal: Goal, run_id: str, pause_after: str = "") -> RunRecord:
        run_id = self._admitted(goal, run_id, pause_after)
        binding = bind(goal, self._adapters, self._authority.store_id)
        new, record = admitted_record(run_id, binding, self._authority.now())
        try:
            self._authority.create(new)
        except RunExistsError:
            return self._bound(goal, run_id)
        self._telemetry.count(Signal.RUN_STARTED, record.state.status.value)
        return record

    def _bound(self, goal: Goal, run_id: str, pause_after: str = "") -> RunRecord:
        """Load a run and require that it was admitted with *goal* and this harness's adapters."""
        run_id = self._admitted(goal, run_id, pause_after)
        record = self._load(run_id)
        require_same_binding(run_id, record.binding, bind(goal, self._adapters, self._authority.store_id))
        return record

    def _admitted(self, goal: Goal, run_id: str, pause_after: str) -> str:
        """Return the id of the run of *goal*, once both may be used here."""
        admitted = admit_run(goal, self._adapters, run_id=run_id, pause_after=pause_after)
        self._require_tenant("goal", goal.tenant)
        return admitted

    def _load(self, run_id: str) -> RunRecord:
        return restore(self._stored(run_id), self._authority.store_id)

    def _stored(self, run_id: str) -> StoredRun:
        stored = self._authority.load(admit_run_id(run_id))
        self._require_tenant(f"run {run_id}", stored.tenant)
        return stored

    def _drive(
        self, record: RunRecord, *, tasks: int | None = None, fence: bool = False, pause_after: str = ""
    ) -> RunView:
        session = self._session(record)
        event = after_crash(record.run_id, record.state, self._authority.now(), fence=fence)
        if event is not None:
            session.commit(event)
            self._telemetry.count(Signal.STALE_LEASE, session.record.state.status.value)
            if not isinstance(event, AttemptAbandoned):
                self._telemetry.count(Signal.ATTEMPT_HELD, event.reason)
        session.drive(tasks=tasks, pause_after=pause_after)
        return view_of(session.record)

    def _decided(self, session: Session, event: HoldResolved | RunCancelled) -> RunView:
        """Record what a trusted host decided."""
        session.commit(event)
        if session.record.state.status in TERMINAL:
            self._telemetry.count(Signal.RUN_ENDED, session.record.state.status.value)
        return view_of(session.record)

    def _session(self, record: RunRecord) -> Session:
        return Session(self._authority, self._adapters, self._holder, self._telemetry, record)

    def _require_tenant(self, subject: str, tenant: str) -> None:
        if self._tenant and tenant != self._tenant:
            raise ScopeError(subject, tenant, self._tenant)


def _require_decided(run_id: str, by: str, note: str, decision: Decision = Decision.CANCEL) -> None:
    """Return when somebody decided something that can be written down."""
    if type(decision) is not Decision:
        raise CommandRefusedError(run_id, f"was given the decision {shown(decision)}, expected a Decision")
    for name, value, least in (("by", by, 1), ("note", note, 0)):
        if type(value) is not str or not least <= len(value.strip()) <= len(value) <= MAX_NOTE:
            problem = f"was given {name} {shown(value)}, expected {least} to {MAX_NOTE} characters"
            raise CommandRefusedError(run_id, problem)
        try:
            stored_json(value)
        except CanonicalizationError as error:
            raise CommandRefusedError(run_id, f"was given a {name} that {error.problem}") from error
