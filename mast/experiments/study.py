"""A study: a plan, carried out run by run, into memory and into a directory."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mast.experiments.engines import carried_out, check_engine
from mast.experiments.outcome import RunOutcome
from mast.experiments.output import open_output
from mast.experiments.plan import Plan

Progress = Callable[[int, int], None]
"""Called with the number of runs done and of runs planned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of a study's runs and tasks, in the order of its plan."""

    runs: list[dict[str, Any]]
    tasks: list[dict[str, Any]]


def carry_out(
    plan: Plan,
    *,
    workers: int = 1,
    runtime: str = "virtual",
    out: Path | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    report: Callable[[Plan, Rows], str] | None = None,
) -> Rows:
    """Carry out *plan* and return its rows.

    Args:
        plan: what to run.
        workers: number of local processes.
        runtime: ``virtual`` or ``threads``.
        out: directory for plan, tables, event logs and report; None keeps rows in memory only.
        resume: continue what *out* holds of the same plan.
        progress: told after each run.
        report: makes the text of ``report.md``, also when the study is interrupted.

    Raises:
        OutputExistsError: if *out* is not empty and *resume* is false.
        PlanError: if *out* holds another plan, *workers* is not positive, or there is no such runtime.
    """
    check_engine(workers, runtime)
    if out is None:
        rows = Rows(runs=[], tasks=[])
        for outcome in _watched(plan, 0, workers, runtime, progress):
            rows.runs.append(outcome.run_row())
            rows.tasks.extend(outcome.task_rows())
        return rows
    with open_output(out, plan, resume=resume) as output:
        rows = Rows(runs=output.run_rows, tasks=output.task_rows)
        try:
            for outcome in _watched(plan, len(rows.runs), workers, runtime, progress):
                output.add(outcome)
        finally:
            if report is not None:
                output.report(report(plan, rows))
    return rows


def _watched(plan: Plan, start: int, workers: int, runtime: str, progress: Progress | None) -> Iterator[RunOutcome]:
    """Yield the outcomes of the runs from *start* on, telling *progress* before each and at the end."""
    total = len(plan.runs)
    tell = progress or _untold
    tell(start, total)
    for done, outcome in enumerate(carried_out(plan, range(start, total), workers=workers, runtime=runtime), start + 1):
        yield outcome
        tell(done, total)


def _untold(done: int, total: int) -> None:
    """Tell nobody."""
    del done, total
