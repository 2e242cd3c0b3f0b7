"""The commands that let a run go on or end it: run, resume, resolve, cancel; and crashtest, which tries one out."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from trailforge.authority import Caps
from trailforge.authority.port import UNBOUNDED
from trailforge.cli.application import EXIT_CHECK_FAILED, app
from trailforge.cli.host_code import printing_aside
from trailforge.cli.opening import load_adapters, open_harness
from trailforge.cli.options import (
    DEFAULT_STORE,
    Adapters,
    AsJson,
    By,
    CapUnits,
    GoalFile,
    Note,
    OwnId,
    PauseAfter,
    RunId,
    Schema,
    Store,
    Tenant,
    WithTelemetry,
)
from trailforge.cli.rendering import print_json, print_runs, print_table, printable, run_to_json
from trailforge.errors import UnknownRunError, UsageError
from trailforge.harness import Decision, Harness, RunStatus, RunView
from trailforge.testing.crash import CrashTestError, crash_test
from trailforge.work import admit_run
from trailforge.work.admission import adapters_by_name
from trailforge.work.goal_file import load_goal

_WELL = (RunStatus.COMPLETED, RunStatus.PAUSED)
"""Statuses in which a driven run stopped as it should; one that is READY still was interrupted."""


@app.command()
def run(
    goal_file: GoalFile,
    adapters: Adapters,
    store: Store = DEFAULT_STORE,
    schema: Schema = "trailforge",
    run_id: OwnId = "",
    pause_after: PauseAfter = "",
    tenant: Tenant = "",
    telemetry: WithTelemetry = False,
    tenant_in_flight: CapUnits = None,
    tenant_total: CapUnits = None,
    global_in_flight: CapUnits = None,
    global_total: CapUnits = None,
    as_json: AsJson = False,
) -> None:
    """Start the goal, or find its run, and drive it until it ends, holds or pauses."""
    file, callbacks = load_goal(goal_file), load_adapters(adapters)
    goal = file.goal
    with file.located():
        known = admit_run(goal, adapters_by_name(callbacks), run_id=run_id, pause_after=pause_after)
    caps = _caps(tenant_in_flight, tenant_total, global_in_flight, global_total)
    with open_harness(store, schema, callbacks, tenant=tenant, telemetry=telemetry, caps=caps, new=True) as harness:
        view = _driven(harness, known, harness.run, goal, run_id, pause_after=pause_after)
    _finish(view, as_json=as_json)


@app.command()
def resume(
    goal_file: GoalFile,
    adapters: Adapters,
    store: Store = DEFAULT_STORE,
    schema: Schema = "trailforge",
    run_id: OwnId = "",
    pause_after: PauseAfter = "",
    tenant: Tenant = "",
    fence: Annotated[bool, typer.Option("--fence", help="State that the process holding the lease is dead.")] = False,
    telemetry: WithTelemetry = False,
    as_json: AsJson = False,
) -> None:
    """Go on with a run, with the goal and the adapters it was admitted with."""
    file, callbacks = load_goal(goal_file), load_adapters(adapters)
    goal = file.goal
    with file.located():
        known = admit_run(goal, adapters_by_name(callbacks), run_id=run_id, pause_after=pause_after)
    with open_harness(store, schema, callbacks, tenant=tenant, telemetry=telemetry) as harness:
        try:
            view = _driven(harness, known, harness.resume, goal, run_id, fence=fence, pause_after=pause_after)
        except UnknownRunError as error:
            if run_id:
                raise
            hint = "its id is derived from the goal: if the goal was changed since, name the run with --run-id"
            raise UsageError(f"{error}; {hint}") from error
    _finish(view, as_json=as_json)


@app.command()
def resolve(
    run_id: RunId,
    task_id: Annotated[str, typer.Argument(help="Task the run holds.", show_default=False)],
    decision: Annotated[str, typer.Argument(help="retry or cancel.", show_default=False)],
    by: By,
    store: Store = DEFAULT_STORE,
    schema: Schema = "trailforge",
    tenant: Tenant = "",
    note: Note = "",
    telemetry: WithTelemetry = False,
    as_json: AsJson = False,
) -> None:
    """Settle an UNKNOWN task: retry charges another attempt, cancel ends the run."""
    if decision.upper() not in list(Decision):
        raise UsageError(f"decision is {decision!r}, expected retry or cancel")
    with open_harness(store, schema, tenant=tenant, telemetry=telemetry) as harness:
        view = harness.resolve(run_id, task_id, Decision(decision.upper()), by=by, note=note)
    _show(view, as_json=as_json)


@app.command()
def cancel(
    run_id: RunId,
    by: By,
    store: Store = DEFAULT_STORE,
    schema: Schema = "trailforge",
    tenant: Tenant = "",
    note: Note = "",
    telemetry: WithTelemetry = False,
    as_json: AsJson = False,
) -> None:
    """End a run; a result that arrives later is refused."""
    with open_harness(store, schema, tenant=tenant, telemetry=telemetry) as harness:
        view = harness.cancel(run_id, by=by, note=note)
    _show(view, as_json=as_json)


@app.command()
def crashtest(
    goal_file: GoalFile,
    adapters: Adapters,
    keep: Annotated[Path | None, typer.Option("--keep", help="New folder to leave stores in.")] = None,
    as_json: AsJson = False,
) -> None:
    """Kill your adapters at every boundary, resume, and print what ran twice; exit 1 when a repeat is unrecorded."""
    file = load_goal(goal_file)
    if keep is not None and keep.exists():
        raise UsageError(f"{keep} exists; name a new folder")
    callbacks = load_adapters(adapters)
    with _folder_for_trials(keep) as folder, file.located(), printing_aside():
        trials = list(crash_test(file.goal, callbacks, folder))
    columns = ("killed", "held", "ended", "ran twice", "unrecorded")
    rows = [(trial.boundary, trial.held, trial.status, trial.repeated, trial.unrecorded) for trial in trials]
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        shown = (
            (killed, "yes" if held else "no", ended, _counts(repeated), _counts(unrecorded))
            for killed, held, ended, repeated, unrecorded in rows
        )
        print_table(columns, shown)
    if any(trial.unrecorded for trial in trials):
        raise typer.Exit(EXIT_CHECK_FAILED)


@contextmanager
def _folder_for_trials(keep: Path | None) -> Iterator[Path]:
    """Yield *keep*, or a new folder that is removed unless a trial failed: its error says where to look."""
    if keep is not None:
        yield keep
        return
    try:
        temporary = Path(tempfile.mkdtemp(prefix="trailforge-crashtest-"))
    except OSError as error:
        raise UsageError(f"no temporary folder can be made: {error.strerror}; name one with --keep") from error
    try:
        yield temporary
    except CrashTestError:
        raise
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    shutil.rmtree(temporary, ignore_errors=True)


def _driven(harness: Harness, run_id: str, drive: Callable[..., RunView], *given: Any, **options: Any) -> RunView:  # noqa: ANN401
    """Drive a run; an adapter that ends the process, or Ctrl-C, leaves a run that can be looked at.

    What adapters print goes to stderr: stdout carries the result and nothing else.
    """
    try:
        with printing_aside():
            return drive(*given, **options)
    except (SystemExit, KeyboardInterrupt) as error:
        typer.echo(f"trailforge: run {run_id} was interrupted ({printable(type(error).__name__)})", err=True)
        return harness.status(run_id)


def _finish(view: RunView, *, as_json: bool) -> None:
    _show(view, as_json=as_json)
    if view.status not in _WELL:
        raise typer.Exit(EXIT_CHECK_FAILED)


def _show(view: RunView, *, as_json: bool) -> None:
    if as_json:
        print_json(run_to_json(view))
    else:
        print_runs([view])


def _caps(*given: int | None) -> Caps | None:
    if all(cap is None for cap in given):
        return None
    return Caps(**{name: UNBOUNDED if cap is None else cap for name, cap in zip(_CAP_NAMES, given, strict=True)})


_CAP_NAMES = tuple(Caps.__dataclass_fields__)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{task} ({count} times)" for task, count in counts.items())
