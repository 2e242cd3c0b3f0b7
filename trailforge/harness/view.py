"""What a host is shown of a run."""

from dataclasses import dataclass
from typing import Any

from trailforge.harness.decisions import legal_commands
from trailforge.harness.events import Doubt
from trailforge.harness.record import RunRecord
from trailforge.harness.state import TERMINAL, Hold, Lease, RunState, RunStatus
from trustrail.foundation import parse_json


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run as it stood when it was read."""

    run_id: str
    tenant: str
    resource: str
    status: RunStatus
    done: int
    """Tasks with an accepted receipt."""
    tasks: int
    task: str
    """Task whose turn it is; empty when all are done."""
    attempts_total: int
    units_used: int
    units_limit: int
    hold: Hold | None
    lease: Lease | None
    legal: tuple[str, ...]
    """Commands a host may give now."""
    version: int
    """Number of journal entries."""
    head: str
    """Head of the journal chain, 64 hex digits; keep it elsewhere to prove the journal later."""
    record: RunRecord
    """The verified run behind this view."""

    @property
    def ended(self) -> bool:
        """Whether no event can follow."""
        return self.status in TERMINAL

    def output(self, task_id: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return a fresh copy of the accepted output of *task_id*.

        Raises:
            KeyError: if that task has none.
        """
        return parse_json(self.record.outputs[task_id])


def view_of(record: RunRecord, now: int = 0) -> RunView:
    """Return what a host is shown of *record* at *now*, the authority's time in milliseconds.

    An attempt whose lease has ended is in doubt already, although nobody has written that down yet.
    """
    state, goal = record.state, record.state.goal
    doubt = _in_doubt(state, now)
    return RunView(
        run_id=record.run_id,
        tenant=goal.tenant,
        resource=goal.resource,
        status=state.status,
        done=state.position,
        tasks=len(goal.tasks),
        task=state.task.id if state.position < len(goal.tasks) else "",
        attempts_total=state.attempts_total,
        units_used=state.units_used,
        units_limit=goal.limits.max_units,
        hold=doubt or state.hold,
        lease=state.lease,
        legal=legal_commands(state, lease_ended=doubt is not None),
        version=record.version,
        head=record.head.hex(),
        record=record,
    )


def _in_doubt(state: RunState, now: int) -> Hold | None:
    """Return the hold of an attempt whose lease has ended, or None."""
    lease = state.lease
    if lease is None or now < lease.expires_at:
        return None
    detail = "no result was recorded while the lease lasted; resume records what becomes of the attempt"
    return Hold(task=state.task.id, reason=Doubt.LEASE_EXPIRED.value, detail=detail, since=lease.expires_at)
