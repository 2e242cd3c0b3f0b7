"""``mast bench``: the published plans, carried out and summed."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from mast.cli.options import AsJson, Debug, Out, Resume, RuntimeName, Verify, Workers
from mast.cli.outcome import EXIT_CHECK_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, complain, expected_errors
from mast.cli.printing import write_json, write_line, write_table
from mast.experiments.catalog import fixture_plan, freeze_plan, layered_plan
from mast.experiments.outcome import METRIC_COLUMNS, layer_sums
from mast.experiments.plan import Plan
from mast.experiments.study import Rows, carry_out
from mast.report.markdown import study_report
from mast.report.progress import progress_bar
from mast.report.tables import layer_table
from trustrail.foundation import VerifyMode

bench = typer.Typer(
    no_args_is_help=True,
    help="Carry out a published plan and print its table.",
)


@bench.command()
def layered(
    ablations: Annotated[bool, typer.Option("--ablations", help="Add the 20 ablation runs of each topology.")] = False,
    fixtures: Annotated[
        bool, typer.Option("--fixtures", help="Run the 60 fixtures of two businesses: 300 runs and their 50 ablations.")
    ] = False,
    seeds: Annotated[
        int, typer.Option(min=1, max=10_000, help="Number of seeds: 0 to N-1, or with --fixtures from 1000 on.")
    ] = 1,
    runtime: RuntimeName = "virtual",
    workers: Workers = 1,
    verify: Verify = VerifyMode.CACHED,
    out: Out = None,
    resume: Resume = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Run the layered propagation benchmark: 3 topologies x 10 cases x 5 layers.

    Examples:
      mast bench layered --ablations
      mast bench layered --fixtures --workers 2 --out results/fixtures
      mast bench layered --json > layered.json
    """
    if fixtures and ablations:
        complain("--fixtures brings its own ablations; leave --ablations out")
        raise typer.Exit(EXIT_USAGE)

    def plan() -> Plan:
        if fixtures:
            return fixture_plan(repeats=seeds, verify=verify)
        return layered_plan(seeds=range(seeds), ablations=ablations, verify=verify)

    _bench(plan, runtime, workers, out, resume=resume, as_json=as_json, debug=debug)


@bench.command()
def freeze(
    runtime: RuntimeName = "virtual",
    workers: Workers = 1,
    verify: Verify = VerifyMode.CACHED,
    out: Out = None,
    resume: Resume = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Run the freeze-scope benchmark: notice scope x freeze scope, on time and late, 48 runs.

    Example:
      mast bench freeze --out results/freeze
    """
    _bench(lambda: freeze_plan(verify=verify), runtime, workers, out, resume=resume, as_json=as_json, debug=debug)


def _bench(
    make: Callable[[], Plan], runtime: str, workers: int, out: Path | None, *, resume: bool, as_json: bool, debug: bool
) -> None:
    if resume and out is None:
        complain("--resume continues what is in a directory; name it with --out")
        raise typer.Exit(EXIT_USAGE)
    with expected_errors(debug=debug):
        plan = make()
        rows = _carried_out(plan, runtime, workers, out, resume=resume)
    if as_json:
        write_json(bench_object(rows))
    else:
        write_table(f"{plan.name}: {len(rows.runs)} runs, signatures {plan.verify.value}", *layer_table(rows.runs))
        if out is not None:
            write_line(f"Plan, tables, event logs and report are in {out}")
    failed = [row for row in rows.runs if row["status"] != "finished"]
    for row in failed[:_FAILURES_SHOWN]:
        complain(f"{row['run']} failed at {row['stage']}: {row['error']}: {row['message']}")
    if len(failed) > _FAILURES_SHOWN:
        complain(f"… and {len(failed) - _FAILURES_SHOWN} more; every run has its row in --json and --out")
    if failed:
        raise typer.Exit(EXIT_CHECK_FAILED)


def _carried_out(plan: Plan, runtime: str, workers: int, out: Path | None, *, resume: bool) -> Rows:
    try:
        with progress_bar(plan.name) as progress:
            return carry_out(
                plan, workers=workers, runtime=runtime, out=out, resume=resume, progress=progress, report=study_report
            )
    except KeyboardInterrupt:
        if out is None:
            complain("interrupted; nothing was kept, since no --out directory was named")
        else:
            complain(f"interrupted; finished runs are in {out}, and the same command with --resume continues them")
        raise typer.Exit(EXIT_INTERRUPTED) from None


def bench_object(rows: Rows) -> dict[str, object]:
    """Return what ``--json`` prints: every run with its metrics, and the sums of each layer."""
    runs = [
        {
            **{name: row[name] for name in _RUN_KEYS},
            "metrics": {name: row[name] for name in METRIC_COLUMNS},
            "failure": {name: row[name] for name in ("stage", "error", "message")} if row["error"] else None,
        }
        for row in rows.runs
    ]
    return {"runs": runs, "layers": layer_sums(rows.runs)}


_FAILURES_SHOWN = 10

_RUN_KEYS = ("run", "topology", "case", "business", "layer", "seed", "status", "digest", "verify")
