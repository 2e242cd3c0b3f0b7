"""The commands of ``trailforge``. Results go to stdout, what went wrong to stderr as one line."""

import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from trailforge.authority import Caps
from trailforge.authority.port import UNBOUNDED
from trailforge.cli.doctor import DEFAULT_STORE, examine
from trailforge.cli.opening import load_adapters, open_authority
from trailforge.cli.rendering import print_json, print_runs, print_table, run_to_json
from trailforge.errors import AdmissionError, CorruptStoreError, TrailforgeError, UsageError
from trailforge.harness import Decision, Harness, OpenTelemetry, RunStatus, RunView
from trailforge.testing.crash import crash_test
from trailforge.work import admit_run, default_run_id
from trailforge.work.goal_file import load_goal
from trustrail.foundation import parse_json

EXIT_OK = 0
EXIT_CHECK_FAILED = 1
EXIT_USAGE = 2
EXIT_BAD_INPUT = 3

_WELL = (RunStatus.COMPLETED, RunStatus.READY, RunStatus.PAUSED)
"""Statuses in which nothing went wrong and nobody needs to decide."""


class _Group(TyperGroup):
    """Turns every expected error into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer keeps its own Context class private
        """Run the command; with ``--debug`` let its errors through."""
        try:
            return super().invoke(ctx)
        except TrailforgeError as error:
            if ctx.params.get("debug"):
                raise
            problems = error.problems if isinstance(error, AdmissionError) else (error,)
            for problem in problems:
                typer.echo(f"trailforge: {problem}", err=True)
            raise typer.Exit(_exit_code(error)) from error


app = typer.Typer(
    cls=_Group, no_args_is_help=True, pretty_exceptions_enable=False, help="Bound the work. Preserve the trail."
)

GoalFile = Annotated[Path, typer.Argument(help="YAML file of the goal.", show_default=False)]
RunId = Annotated[str, typer.Argument(help="Id of the run.", show_default=False)]
Adapters = Annotated[
    str, typer.Option("--adapters", help="Adapters as package.module:NAME.", envvar="TRAILFORGE_ADAPTERS")
]
Store = Annotated[str, typer.Option("--store", help="SQLite file or postgresql:// URL.", envvar="TRAILFORGE_STORE")]
Schema = Annotated[str, typer.Option("--schema", help="Schema of a PostgreSQL store.", envvar="TRAILFORGE_SCHEMA")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
OwnId = Annotated[str, typer.Option("--run-id", help="Id of the run; derived from the goal when absent.")]
PauseAfter = Annotated[str, typer.Option("--pause-after", help="Task after which the run pauses.")]
Tenant = Annotated[
    str, typer.Option("--tenant", help="The only tenant to act for; any when absent.", envvar="TRAILFORGE_TENANT")
]
By = Annotated[str, typer.Option("--by", help="Who decides; kept in the journal.")]
Note = Annotated[str, typer.Option("--note", help="What the decision rests on; kept in the journal.")]
CapUnits = Annotated[int | None, typer.Option(min=0, help="Units, when the store is created; unbounded by default.")]


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Run finite goals in a durable store and keep every uncertain outcome visible."""


@app.command()
def run(
    goal_file: GoalFile,
    adapters: Adapters,
    store: Store = DEFAULT_STORE,
    schema: Schema = "trailforge",
    run_id: OwnId = "",
    pause_after: PauseAfter = "",
    tenant: Tenant = "",
    telemetry: Annotated[bool, typer.Option("--telemetry", help="Report through OpenTelemetry.")] = False,
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
        known = admit_run(goal, {a.name: a for a in callbacks}, run_id=run_id, pause_after=pause_after)
    caps = _caps(tenant_in_flight, tenant_total, global_in_flight, global_total)
    with open_authority(store, schema, caps=caps, must_exist=False) as authority:
        watcher = OpenTelemetry() if telemetry else None
        harness = Harness(authority, callbacks, tenant=tenant, telemetry=watcher)
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
    as_json: AsJson = False,
) -> None:
    """Go on with a run, with the goal and the adapters it was admitted with."""
    file, callbacks = load_goal(goal_file), load_adapters(adapters)
    goal = file.goal
    with open_authority(store, schema) as authority, file.located():
        harness = Harness(authority, callbacks, tenant=tenant)
        known = run_id or default_run_id(goal)
        view = _driven(harness, known, harness.resume, goal, run_id, fence=fence, pause_after=pause_after)
    _finish(view, as_json=as_json)


@app.command()
def status(
    run_id: Annotated[str, typer.Argument(help="Id of one run; all when absent.")] = "",
    store: Store = DEFAULT_STORE,
    schema: Schema = "trailforge",
    tenant: Tenant = "",
    as_json: AsJson = False,
) -> None:
    """List runs with every hold, its reason and the commands that are legal now."""
    with open_authority(store, schema) as authority:
        harness = Harness(authority, (), tenant=tenant)
        ids = [run_id] if run_id else [summary.run_id for summary in authority.runs(tenant or None)]
        views = [harness.status(each) for each in ids]
    if as_json:
        print_json([run_to_json(view) for view in views])
    else:
        print_runs(views)


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
    as_json: AsJson = False,
) -> None:
    """Settle an UNKNOWN task: retry charges another attempt, cancel ends the run."""
    if decision.upper() not in list(Decision):
        raise UsageError(f"decision is {decision!r}, expected retry or cancel")
    with open_authority(store, schema) as authority:
        harness = Harness(authority, (), tenant=tenant)
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
    as_json: AsJson = False,
) -> None:
    """End a run; a result that arrives later is refused."""
    with open_authority(store, schema) as authority:
        view = Harness(authority, (), tenant=tenant).cancel(run_id, by=by, note=note)
    _show(view, as_json=as_json)


@app.command()
def journal(
    run_id: RunId,
    store: Store = DEFAULT_STORE,
    schema: Schema = "trailforge",
    tenant: Tenant = "",
    as_json: AsJson = False,
) -> None:
    """Print the verified journal of one run."""
    with open_authority(store, schema) as authority:
        Harness(authority, (), tenant=tenant).status(run_id)
        stored = authority.load(run_id).entries
        entries = [(entry.sequence, event) for entry in stored for event in parse_json(entry.text)]
    if as_json:
        print_json([{"sequence": sequence, **event} for sequence, event in entries])
        return
    rows = (
        (sequence, event.pop("at"), event.pop("event"), " ".join(f"{k}={v}" for k, v in event.items()))
        for sequence, event in entries
    )
    print_table(("#", "at (ms)", "event", "facts"), rows)


@app.command()
def verify(
    run_id: Annotated[str, typer.Argument(help="Id of one run; all when absent.")] = "",
    store: Store = DEFAULT_STORE,
    schema: Schema = "trailforge",
    head: Annotated[str, typer.Option("--head", help="Journal head kept elsewhere, 64 hex digits.")] = "",
    as_json: AsJson = False,
) -> None:
    """Replay journals, hold ledgers and notices against them, and exit 1 when something does not agree."""
    if head and not run_id:
        raise UsageError("--head belongs to one run; name it")
    with open_authority(store, schema) as authority:
        harness = Harness(authority, ())
        ids = [run_id] if run_id else [summary.run_id for summary in authority.runs()]
        findings = [_verified(harness, each, head) for each in ids]
        if not run_id and all(finding["verdict"] == "PASS" for finding in findings):
            findings += [_finding("(store)", "FAIL", problem=problem) for problem in harness.audit()]
    if as_json:
        print_json(findings)
    else:
        columns = ("run", "verdict", "entries", "head", "problem")
        print_table(columns, ([finding[column] for column in columns] for finding in findings))
    if any(finding["verdict"] != "PASS" for finding in findings):
        raise typer.Exit(EXIT_CHECK_FAILED)


@app.command()
def doctor(
    store: Annotated[
        str,
        typer.Option(
            "--store", help=f"SQLite file or URL; {DEFAULT_STORE}, where it exists.", envvar="TRAILFORGE_STORE"
        ),
    ] = "",
    schema: Schema = "trailforge",
    as_json: AsJson = False,
) -> None:
    """Say what the machine offers, what the store runs on, which runs need someone, and whether it is fit for use."""
    facts, problems = examine(store, schema)
    if as_json:
        print_json({"facts": facts, "problems": list(problems)})
    else:
        print_table(("fact", "value"), [*facts.items(), *(("problem", each) for each in problems)])
    if problems:
        raise typer.Exit(EXIT_CHECK_FAILED)


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
    with tempfile.TemporaryDirectory(prefix="trailforge-crashtest-") as temporary, file.located():
        trials = list(crash_test(file.goal, load_adapters(adapters), keep or Path(temporary)))
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


def _driven(harness: Harness, run_id: str, drive: Callable[..., RunView], *given: Any, **options: Any) -> RunView:  # noqa: ANN401
    """Drive a run; an adapter that ends the process, or Ctrl-C, leaves a run that can be looked at.

    What adapters print goes to stderr: stdout carries the result and nothing else.
    """
    try:
        with redirect_stdout(sys.stderr):
            return drive(*given, **options)
    except (SystemExit, KeyboardInterrupt) as error:
        typer.echo(f"trailforge: run {run_id} was interrupted ({type(error).__name__})", err=True)
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


def _verified(harness: Harness, run_id: str, head: str) -> dict[str, Any]:
    try:
        view = harness.status(run_id)
    except CorruptStoreError as error:
        return _finding(run_id, "FAIL", problem=f"{type(error).__name__}: {error}")
    problem = f"head is {view.head}, expected {head}" if head and head != view.head else ""
    return _finding(run_id, "FAIL" if problem else "PASS", entries=view.version, head=view.head, problem=problem)


def _finding(run: str, verdict: str, *, entries: int = 0, head: str = "", problem: str = "") -> dict[str, Any]:
    return {"run": run, "verdict": verdict, "entries": entries, "head": head, "problem": problem}


def _caps(*given: int | None) -> Caps | None:
    if all(cap is None for cap in given):
        return None
    return Caps(**{name: UNBOUNDED if cap is None else cap for name, cap in zip(_CAP_NAMES, given, strict=True)})


_CAP_NAMES = tuple(Caps.__dataclass_fields__)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{task} ({count} times)" for task, count in counts.items())


def _exit_code(error: TrailforgeError) -> int:
    if isinstance(error, UsageError):
        return EXIT_USAGE
    return EXIT_CHECK_FAILED if isinstance(error, CorruptStoreError) else EXIT_BAD_INPUT
