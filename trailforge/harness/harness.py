"""The harness: a host's front door to bounded, durable runs.

It admits a goal, drives its tasks one after another, and leaves every uncertain outcome to a trusted host. All truth
is in the authority; a harness can be rebuilt at any time with the same adapters.
"""

import secrets
from collections.abc import Iterable

from trailforge.authority import Authority
from trailforge.errors import BindingChangedError, RunExistsError, ScopeError
from trailforge.harness.decisions import after_crash, cancellation, resolution
from trailforge.harness.events import AttemptAbandoned, Decision
from trailforge.harness.record import RunRecord, admitted_record, restore
from trailforge.harness.session import Session
from trailforge.harness.telemetry import NoTelemetry, Signal, Telemetry
from trailforge.harness.view import RunView, view_of
from trailforge.work import Adapter, Goal, admit, bind, default_run_id, require_same_binding


class Harness:
    """Runs goals on one authority with one set of adapters.

    Args:
        authority: the store every run lives in.
        adapters: the callbacks goals may name.
        tenant: the only tenant this host may act for; any when empty.
        holder: token of this process life for leases; random when empty. Give one only where nothing else runs.
        telemetry: where signals go.

    Raises:
        BindingChangedError: if two adapters have the same name.
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
        self._adapters: dict[str, Adapter] = {}
        for adapter in adapters:
            other = self._adapters.setdefault(adapter.name, adapter)
            if other is not adapter:
                raise BindingChangedError("(none)", f"adapters.{adapter.name}", other.version, adapter.version)
        self._tenant = tenant
        self._holder = holder or secrets.token_hex(8)
        self._telemetry = telemetry or NoTelemetry()

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
        record = self._start(goal, run_id)
        return self._drive(record, pause_after=pause_after)

    def advance(self, goal: Goal, run_id: str = "") -> RunView:
        """Drive one task of an existing run and return; the run is READY again when it went well."""
        record = self._bound(goal, run_id or default_run_id(goal))
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
        record = self._bound(goal, run_id or default_run_id(goal))
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
            CommandRefusedError: if the task is not UNKNOWN, or no attempt is left to retry.
        """
        session = self._session(self._load(run_id))
        state = session.record.state
        now = self._authority.now()
        session.commit(resolution(run_id, state, task_id, decision, now=now, by=by, note=note))
        return view_of(session.record)

    def cancel(self, run_id: str, *, by: str, note: str = "") -> RunView:
        """End a run. A result that arrives later is refused; what was started outside may still happen.

        Raises:
            CommandRefusedError: if it has already ended.
        """
        session = self._session(self._load(run_id))
        session.commit(cancellation(run_id, session.record.state, now=self._authority.now(), by=by, note=note))
        return view_of(session.record)

    def status(self, run_id: str) -> RunView:
        """Read and verify one run.

        Raises:
            UnknownRunError: if the store has no such run.
            CorruptStoreError: one of its kinds, if what is stored does not agree with itself.
        """
        return view_of(self._load(run_id))

    def _start(self, goal: Goal, run_id: str) -> RunRecord:
        self._require_tenant("goal", goal.tenant)
        admit(goal, self._adapters)
        run_id = run_id or default_run_id(goal)
        binding = bind(goal, self._adapters, self._authority.store_id)
        new, record = admitted_record(run_id, goal, binding, self._authority.now())
        try:
            self._authority.create(new)
        except RunExistsError:
            return self._bound(goal, run_id)
        self._telemetry.count(Signal.RUN_STARTED, record.state.status.value)
        return record

    def _bound(self, goal: Goal, run_id: str) -> RunRecord:
        """Load a run and require that it was admitted with *goal* and this harness's adapters."""
        self._require_tenant("goal", goal.tenant)
        record = self._load(run_id)
        admit(goal, self._adapters)
        require_same_binding(run_id, record.binding, bind(goal, self._adapters, self._authority.store_id))
        return record

    def _load(self, run_id: str) -> RunRecord:
        stored = self._authority.load(run_id)
        self._require_tenant(f"run {run_id}", stored.tenant)
        return restore(stored, self._authority.store_id)

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

    def _session(self, record: RunRecord) -> Session:
        return Session(self._authority, self._adapters, self._holder, self._telemetry, record)

    def _require_tenant(self, subject: str, tenant: str) -> None:
        if self._tenant and tenant != self._tenant:
            raise ScopeError(subject, tenant, self._tenant)
