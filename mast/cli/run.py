"""``mast run``: one world, one layer, one seed."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mast.cli.options import AsJson, Debug, RuntimeName, Verify
from mast.cli.outcome import complain, expected_errors
from mast.cli.printing import write_json, write_line, write_table
from mast.errors import OutputExistsError
from mast.experiments.outcome import METRIC_COLUMNS, TASK_COLUMNS
from mast.experiments.plan import DEFAULT_BUSINESS
from mast.report.front import run as run_once
from mast.report.run_result import RunResult
from trustrail.foundation import VerifyMode


def run(
    topology: Annotated[str, typer.Argument(help="Name of a shipped topology, or path of a scenario file (.yaml).")],
    fault: Annotated[
        str | None,
        typer.Option(help="Name of a shipped case; a scenario file has its own faults.", show_default="none"),
    ] = None,
    layer: Annotated[str, typer.Option(help="Name of a protocol layer (L0 to L4), ablation or freeze arm.")] = "L4",
    seed: Annotated[int, typer.Option(min=0, help="Seed of keys, challenges and agents' draws.")] = 0,
    business: Annotated[str, typer.Option(help="Name of a shipped business.")] = DEFAULT_BUSINESS,
    runtime: RuntimeName = "virtual",
    verify: Verify = VerifyMode.CACHED,
    as_json: AsJson = False,
    events: Annotated[
        Path | None, typer.Option(help="New file for the event log, one JSON line per event.", show_default="none")
    ] = None,
    debug: Debug = False,
) -> None:
    """Run one world and show what became of its tasks.

    Examples:
      mast run long_chain_fork --fault intermediate_retraction --layer L0
      mast run converge_then_fork --fault late_notice --json
      mast run my_scenario.yaml --layer L3 --events events.jsonl
    """
    with expected_errors(debug=debug):
        if events is not None and events.exists():
            raise OutputExistsError(f"{events} exists, and nothing is overwritten; name another file")
        result = run_once(
            topology, fault=fault, layer=layer, seed=seed, business=business, runtime=runtime, verify=verify
        )
        if events is not None:
            events.write_bytes(b"".join(line + b"\n" for line in result.lines))
    rows = result.task_rows()
    without = [row["task"] for row in rows if row["result"] is None]
    if without:
        complain(f"{', '.join(without)}: no result when the schedule ended; give schedule.end more ticks")
    if as_json:
        write_json(_run_object(result))
        return
    write_table(result.name, _TASKS, [[_shown(row[name]) for name in _TASKS] for row in rows])
    metrics = result.row()
    write_line("  ".join(f"{name} {metrics[name]}" for name in METRIC_COLUMNS if metrics[name]))
    write_line(f"digest {result.digest}")


_TASKS = ("task", "owner", "affected", "result", "cause", "unsafe", "correct", "recovered")


def _run_object(result: RunResult) -> dict[str, Any]:
    row = result.row()
    return {
        **{name: value for name, value in row.items() if name not in METRIC_COLUMNS},
        "metrics": {name: row[name] for name in METRIC_COLUMNS},
        "tasks": [{name: task[name] for name in TASK_COLUMNS} for task in result.task_rows()],
    }


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)
