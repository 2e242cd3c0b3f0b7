"""The commands that only look: status, journal, verify and doctor."""

from typing import Annotated, Any

import typer

from trailforge.cli.application import EXIT_CHECK_FAILED, app
from trailforge.cli.doctor import examine
from trailforge.cli.opening import open_harness
from trailforge.cli.options import DEFAULT_STORE, AsJson, RunId, Schema, Store, Tenant
from trailforge.cli.rendering import print_json, print_runs, print_table, run_to_json
from trailforge.errors import CorruptStoreError, UsageError
from trailforge.harness import Harness, RunView
from trustrail.foundation import parse_json


@app.command()
def status(
    run_id: Annotated[str, typer.Argument(help="Id of one run; all when absent.")] = "",
    store: Store = DEFAULT_STORE,
    schema: Schema = "trailforge",
    tenant: Tenant = "",
    as_json: AsJson = False,
) -> None:
    """List runs with every hold, its reason and the commands that are legal now; exit 1 when one is damaged."""
    views: list[RunView] = []
    damaged: dict[str, str] = {}
    with open_harness(store, schema, tenant=tenant) as harness:
        for each in [run_id] if run_id else harness.run_ids():
            try:
                views.append(harness.status(each))
            except CorruptStoreError as error:
                damaged[each] = f"{type(error).__name__}: {error}"
    if as_json:
        print_json([*map(run_to_json, views), *({"run": run, "damage": damage} for run, damage in damaged.items())])
    else:
        print_runs(views, damaged)
    if damaged:
        raise typer.Exit(EXIT_CHECK_FAILED)


@app.command()
def journal(
    run_id: RunId,
    store: Store = DEFAULT_STORE,
    schema: Schema = "trailforge",
    tenant: Tenant = "",
    as_json: AsJson = False,
) -> None:
    """Print the verified journal of one run."""
    with open_harness(store, schema, tenant=tenant) as harness:
        entries = [(entry.sequence, event) for entry in harness.journal(run_id) for event in parse_json(entry.text)]
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
    with open_harness(store, schema) as harness:
        findings = [_verified(harness, each, head) for each in ([run_id] if run_id else harness.run_ids())]
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


def _verified(harness: Harness, run_id: str, head: str) -> dict[str, Any]:
    try:
        view = harness.status(run_id)
    except CorruptStoreError as error:
        return _finding(run_id, "FAIL", problem=f"{type(error).__name__}: {error}")
    problem = f"head is {view.head}, expected {head}" if head and head != view.head else ""
    return _finding(run_id, "FAIL" if problem else "PASS", entries=view.version, head=view.head, problem=problem)


def _finding(run: str, verdict: str, *, entries: int = 0, head: str = "", problem: str = "") -> dict[str, Any]:
    return {"run": run, "verdict": verdict, "entries": entries, "head": head, "problem": problem}
