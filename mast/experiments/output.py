"""The output directory of a study: the plan, a table of runs and one of tasks, and every event log.

One rule: nothing that is there is ever overwritten. Tables grow run by run, in the order of the plan, so an
interrupted study leaves a readable beginning, which ``resume`` continues if the plan is the same to the byte.

``plan.json``, ``runs.csv``, ``runs.jsonl``, ``tasks.csv``, ``tasks.jsonl``, ``events/<run>.jsonl``, ``report.md``.
"""

import csv
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from mast.errors import MastError, OutputExistsError, PlanError
from mast.experiments.execution import scored_again
from mast.experiments.outcome import RUN_COLUMNS, TASK_COLUMNS, RunOutcome
from mast.experiments.plan import Plan, PlannedRun, load_plan
from trustrail.errors import CanonicalizationError
from trustrail.foundation import GENESIS, canonical_json, chain_links, parse_json

try:
    import fcntl
except ImportError:  # Windows has none: two writers of one directory are not told apart there
    fcntl = None  # type: ignore[assignment]

PLAN: Final = "plan.json"
REPORT: Final = "report.md"

_REMEDY: Final = "put the old file back, or delete the run's event log so that it is made again"

Row = dict[str, Any]


class Output:
    """A study's directory, open for writing; use it as a context manager.

    Attributes:
        run_rows: rows of the runs that are written, in the order of the plan.
        task_rows: rows of their tasks.
    """

    def __init__(self, folder: Path, run_rows: list[Row], task_rows: list[Row]) -> None:
        self.folder = folder
        self.run_rows = run_rows
        self.task_rows = task_rows
        self._plan = _only_writer(folder)
        self._runs = _Table(folder / "runs", RUN_COLUMNS, run_rows)
        self._tasks = _Table(folder / "tasks", TASK_COLUMNS, task_rows)

    def add(self, outcome: RunOutcome) -> None:
        """Write *outcome*: its events, then its tasks, then its row, which says that the others are complete."""
        run, tasks = outcome.run_row(), outcome.task_rows()
        if outcome.finished:
            path = events_file(self.folder, outcome.planned.name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(line + b"\n" for line in outcome.lines))
        self._tasks.add(tasks)
        self._runs.add([run])
        self.task_rows += tasks
        self.run_rows.append(run)

    def report(self, text: str) -> None:
        """Write the Markdown report."""
        (self.folder / REPORT).write_text(text, encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runs.close()
        self._tasks.close()
        self._plan.close()


def _only_writer(folder: Path) -> BinaryIO:
    """Return the plan, held open by this writer alone; the system lets go of it even when the process is killed."""
    plan = (folder / PLAN).open("rb")
    try:
        if fcntl is not None:
            fcntl.flock(plan, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        plan.close()
        raise PlanError(f"{folder} is being written by another process; wait for it, or stop it and resume") from error
    return plan


def open_output(folder: Path, plan: Plan, *, resume: bool = False) -> Output:
    """Return the output directory of *plan*, made or, with *resume*, continued.

    Raises:
        OutputExistsError: if *folder* is a file, or not empty and *resume* is false; nothing in it was touched.
        PlanError: if *resume* is true and *folder* holds another plan, none, or an event log that is not the one its
            run left; or if another process writes there. Nothing in it was touched.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputExistsError(f"{folder} is a file, expected a directory; name another one")
    is_used = folder.is_dir() and any(folder.iterdir())
    if is_used and not resume:
        remedy = "or continue what is in it with resume" if (folder / PLAN).exists() else "or empty it yourself"
        raise OutputExistsError(f"{folder} is not empty, and nothing is overwritten; name another directory, {remedy}")
    if not is_used:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PlanError(f"{folder}: {error.strerror}; name another directory") from error
        new = folder / f"{PLAN}.new"
        new.write_text(plan.to_json(), encoding="utf-8")
        new.replace(folder / PLAN)
        return Output(folder, [], [])
    held, runs, tasks = stored(folder)
    if held.digest != plan.digest:
        raise PlanError(
            f"{folder} holds the plan {held.name!r} with the digest {held.digest[:12]}…, this one is "
            f"{plan.name!r} with {plan.digest[:12]}…; "
            "resume with the options it was started with, or name another directory"
        )
    return Output(folder, runs, tasks)


def stored(folder: Path) -> tuple[Plan, list[Row], list[Row]]:
    """Return the plan that *folder* holds, and the rows of its complete runs and of their tasks.

    Raises:
        PlanError: if it holds no plan, or a changed one, or a changed event log.
    """
    plan = load_plan(folder / PLAN)
    runs: list[Row] = []
    tasks: list[Row] = []
    kept_tasks = list(_rows(folder / "tasks.jsonl"))
    for number, (planned, row) in enumerate(zip(plan.runs, _rows(folder / "runs.jsonl"), strict=False), 1):
        if set(row) != set(RUN_COLUMNS) or row["stage"] == "worker":
            break
        log = events_file(folder, planned.name)
        if row["digest"] is not None and not log.exists():
            break
        lines = _event_log(log, row["digest"]) if row["digest"] is not None else []
        place = f"{folder / 'runs.jsonl'}:{number}"
        if planned.source is None:
            found = [task for task in kept_tasks if task.get("run") == planned.name]
        else:
            outcome = _outcome(plan, planned, row, lines, place)
            _require_same(row, outcome.run_row(), place)
            found = outcome.task_rows()
        runs.append({name: row[name] for name in RUN_COLUMNS})
        tasks += found
    return plan, runs, tasks


def events_file(folder: Path, run: str) -> Path:
    """Return where the event log of the run called *run* is."""
    return folder / "events" / f"{run}.jsonl"


def _outcome(plan: Plan, planned: PlannedRun, row: Row, lines: list[bytes], place: str) -> RunOutcome:
    """Return what became of *planned*, scored from its event log; what the row says of it is not believed."""
    if (row["status"] == "finished") is not bool(lines) or any(
        lines and type(row[name]) is not int for name in ("signatures", "verifications")
    ):
        raise PlanError(f"{place}: {planned.name} is {row['status']!r} with {len(lines)} events; {_REMEDY}")
    try:
        return scored_again(planned, row, lines, plan.verify)
    except MastError as error:
        raise PlanError(f"{place}: {planned.name} cannot be scored again: {error}") from error


def _require_same(row: Row, expected: Row, place: str) -> None:
    """Refuse a row that somebody changed: one whose event log says something else."""
    for name in RUN_COLUMNS:
        if type(row[name]) is not type(expected[name]) or row[name] != expected[name]:
            raise PlanError(f"{place}: {name} is {row[name]!r}, expected {expected[name]!r}; {_REMEDY}")


def _event_log(log: Path, digest: object) -> list[bytes]:
    """Return the lines of *log*, and refuse one that is not what its run left."""
    lines = log.read_bytes().splitlines()
    found = chain_links(GENESIS, lines).hex()
    if found != digest:
        raise PlanError(f"{log} has the digest {found[:12]}…, but its run left {str(digest)[:12]}…; {_REMEDY}")
    return lines


def _rows(path: Path) -> Iterable[Row]:
    """Yield the rows of a JSON lines file up to the first that is cut off."""
    if not path.exists():
        return
    for line in path.read_bytes().splitlines(keepends=True):
        if not line.endswith(b"\n"):
            return
        try:
            row = parse_json(line)
        except CanonicalizationError:
            return
        if not isinstance(row, dict):
            return
        yield row


class _Table:
    """One table as CSV and as JSON lines, written row by row."""

    def __init__(self, stem: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
        lines, text = stem.with_suffix(".jsonl"), stem.with_suffix(".csv")
        new_lines, new_text = stem.with_suffix(".jsonl.new"), stem.with_suffix(".csv.new")
        self._lines = new_lines.open("wb")
        self._text: TextIOWrapper = new_text.open("w", encoding="utf-8", newline="")
        self._csv = csv.DictWriter(self._text, columns, lineterminator="\n")
        self._csv.writeheader()
        self.add(rows)
        # Whole rows replace what an interrupt may have cut off; until then the old tables stay.
        new_lines.replace(lines)
        new_text.replace(text)

    def add(self, rows: Sequence[Row]) -> None:
        self._csv.writerows(rows)
        self._lines.writelines(canonical_json(row) + b"\n" for row in rows)
        self._text.flush()
        self._lines.flush()

    def close(self) -> None:
        self._text.close()
        self._lines.close()
