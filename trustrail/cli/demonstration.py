"""``demo``: the whole proof of a testcase, with every variant on every framework."""

from pathlib import Path
from typing import Annotated

import typer

from trustrail.cli.outcome import EXIT_CHECK_FAILED, EXIT_OK, expected_errors
from trustrail.cli.printing import control_lines, write_json, write_line, write_progress
from trustrail.demo import DemoResult, run_demo
from trustrail.foundation import SystemClock


def demo(
    testcase: Annotated[str, typer.Option("--testcase", help="Shipped testcase to prove.")] = "BLOCK_CARD-001",
    target: Annotated[
        list[str] | None, typer.Option("--target", help="Framework; repeat for several (default: the testcase's).")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Directory for the evidence packs.")] = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Prove a testcase offline with scripted models; exit 1 when a variant does not get its expected gate."""
    with expected_errors(debug=debug):
        results = run_demo(testcase, out=out, clock=SystemClock(), targets=target or (), progress=write_progress)
    if as_json:
        write_json({"results": [_result_json(result) for result in results]})
    else:
        for result in results:
            _print_result(result)
    raise typer.Exit(EXIT_OK if all(result.as_expected for result in results) else EXIT_CHECK_FAILED)


def _print_result(result: DemoResult) -> None:
    write_line(f"{result.target} {result.variant}")
    for line in control_lines(result.judgements[0].controls, with_reasons=False):
        write_line(line)
    write_line()
    write_line(f"gate: {result.repetition.gate.value}")
    write_line(result.repetition.summary())
    if not result.as_expected:
        write_line(f"expected gate: {result.expected_gate}")
    write_line(f"pack: {result.pack}")
    write_line()


def _result_json(result: DemoResult) -> dict[str, object]:
    return {
        "target": result.target,
        "variant": result.variant,
        "pack": str(result.pack),
        "gate": result.repetition.gate.value,
        "expected_gate": str(result.expected_gate),
        "statistics": result.repetition.to_json(),
        "controls": {control.control_id: control.to_json() for control in result.judgements[0].controls},
    }
