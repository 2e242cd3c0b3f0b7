"""What a host is shown of a run."""

from dataclasses import dataclass
from typing import Any

from trailforge.harness.decisions import legal_commands
from trailforge.harness.record import RunRecord
from trailforge.harness.state import TERMINAL, Hold, Lease, RunStatus
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


def view_of(record: RunRecord) -> RunView:
    """Return what a host is shown of *record*."""
    state, goal = record.state, record.state.goal
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
        hold=state.hold,
        lease=state.lease,
        legal=legal_commands(state),
        version=record.version,
        head=record.head.hex(),
        record=record,
    )
