"""What became of a planned run: its metrics and tasks, or the failure that took their place.

One rule: a planned run always has a row. What a failed run did is unknown, never zero; its planned tasks are
counted as unknown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal

from mast.experiments.plan import PlannedRun
from mast.experiments.scoring import Metrics, TaskScore
from trustrail.foundation import VerifyMode

Stage = Literal["load", "run", "score", "worker"]
"""Where a run failed; ``worker`` is the process it was given to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailure:
    """Why a run has no result."""

    stage: Stage
    error: str
    """Name of the error's class."""
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """The result of one planned run. Exactly one of `metrics` and `failure` is None."""

    planned: PlannedRun
    verify: VerifyMode
    digest: str | None = None
    """Digest of the event log, 64 hex digits."""
    lines: tuple[bytes, ...] = ()
    """The event log; empty when it has been written to a file."""
    metrics: Metrics | None = None
    tasks: tuple[TaskScore, ...] = ()
    failure: RunFailure | None = None

    @property
    def finished(self) -> bool:
        """Whether the run ended and was scored."""
        return self.failure is None

    def run_row(self) -> dict[str, Any]:
        """Return the run's row: what was planned, what became of it, and every metric."""
        failure = asdict(self.failure) if self.failure else dict.fromkeys(FAILURE_COLUMNS)
        measured = asdict(self.metrics) if self.metrics else self._planned_metrics()
        return {
            **self._coordinates(),
            "status": "finished" if self.finished else "failed",
            "digest": self.digest,
            "verify": self.verify.value,
            **measured,
            **failure,
        }

    def task_rows(self) -> list[dict[str, Any]]:
        """Return a row for each task."""
        place = self._coordinates()
        return [{**place, **asdict(task)} for task in self.tasks]

    def _coordinates(self) -> dict[str, Any]:
        return {"run": self.planned.name, **{name: getattr(self.planned, name) for name in COORDINATES}}

    def _planned_metrics(self) -> dict[str, Any]:
        planned = self.planned
        return {
            **dict.fromkeys(METRIC_COLUMNS),
            "total_tasks": planned.total_tasks,
            "affected_tasks": planned.affected_tasks,
            "unrelated_tasks": planned.total_tasks - planned.affected_tasks,
            "unknown_tasks": planned.total_tasks,
        }


COORDINATES: Final = ("topology", "case", "business", "layer", "seed")
METRIC_COLUMNS: Final = tuple(field.name for field in fields(Metrics))
FAILURE_COLUMNS: Final = tuple(field.name for field in fields(RunFailure))
RUN_COLUMNS: Final = ("run", *COORDINATES, "status", "digest", "verify", *METRIC_COLUMNS, *FAILURE_COLUMNS)
TASK_COLUMNS: Final = ("run", *COORDINATES, *(field.name for field in fields(TaskScore)))


def layer_sums(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return the sum of each metric per layer, with the number of ``runs`` and of ``failed_runs``.

    What a failed run did is unknown and adds nothing; its planned tasks stay in the denominators.
    """
    sums: dict[str, dict[str, int]] = {}
    for row in rows:
        total = sums.setdefault(row["layer"], dict.fromkeys(("runs", "failed_runs", *METRIC_COLUMNS), 0))
        total["runs"] += 1
        total["failed_runs"] += row["status"] != "finished"
        for name in METRIC_COLUMNS:
            total[name] += row[name] or 0
    return sums
