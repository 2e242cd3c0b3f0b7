"""``check``, ``events`` and ``adapters``: what is done with recorded runs."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from trustrail.adapters import adapters, read_events
from trustrail.cli.outcome import (
    EXIT_CHECK_FAILED,
    EXIT_OK,
    complain,
    exit_code,
    expected_errors,
)
from trustrail.cli.printing import control_lines, write_json, write_line, write_progress
from trustrail.engine import (
    GateOutcome,
    JudgedFile,
    Requirements,
    judge_run,
    junit_xml,
    report_json,
    sarif_json,
)
from trustrail.errors import OutputError, TrustrailError
from trustrail.events import to_line, to_wire
from trustrail.foundation import canonical_json
from trustrail.objects import find_domain_pack, find_evidence_profile, find_fixture, find_policy_profile

DEFAULT_PROFILE = "irreversible_customer_entity_action_v1"

Files = Annotated[list[Path], typer.Argument(metavar="FILE…", help="Recordings, one or more runs each.")]
AdapterName = Annotated[
    str, typer.Option("--adapter", help="How to read the files: a name of `trustrail adapters`, or auto.")
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def check(
    recordings: Files,
    pack: Annotated[str, typer.Option("--pack", help="Domain pack: a shipped name or a YAML file.")],
    adapter: AdapterName = "auto",
    profile: Annotated[
        str, typer.Option("--profile", help="Policy profile: a shipped name or a YAML file.")
    ] = DEFAULT_PROFILE,
    evidence: Annotated[
        str | None, typer.Option("--evidence", help="Evidence profile by name (default: the policy profile's).")
    ] = None,
    fixture: Annotated[
        str | None, typer.Option("--fixture", help="Fixture: a shipped name or a YAML file (default: none).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    junit: Annotated[Path | None, typer.Option("--junit", help="Also write JUnit XML to this file.")] = None,
    sarif: Annotated[Path | None, typer.Option("--sarif", help="Also write SARIF 2.1.0 to this file.")] = None,
    debug: Debug = False,
) -> None:
    """Judge recorded runs, action by action; exit 1 when a gate blocks, 3 when a file cannot be read."""
    with expected_errors(debug=debug):
        requirements = Requirements.expand(
            find_domain_pack(pack),
            find_policy_profile(profile),
            evidence_profile=find_evidence_profile(evidence) if evidence else None,
            fixture=find_fixture(fixture) if fixture else None,
        )
        judged, worst_code = _judge_files(recordings, adapter, requirements, debug=debug)
        if junit is not None:
            _write_report(junit, junit_xml(judged))
        if sarif is not None:
            _write_report(sarif, canonical_json(sarif_json(judged, requirements.controls)) + b"\n")
        if as_json:
            write_json(report_json(judged))
        else:
            _print_judged(judged)
    if worst_code == EXIT_OK and any(entry.judgement.gate.outcome is GateOutcome.BLOCK for entry in judged):
        worst_code = EXIT_CHECK_FAILED
    raise typer.Exit(worst_code)


def events(
    recordings: Files,
    adapter: AdapterName = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print one canonical event a line.")] = False,
    debug: Debug = False,
) -> None:
    """Print the canonical events of recordings; exit 3 when a shape is unknown."""
    with expected_errors(debug=debug):
        for path in recordings:
            for run in read_events(path, adapter=adapter):
                for event in run.events:
                    if as_json:
                        sys.stdout.buffer.write(to_line(event) + b"\n")
                    else:
                        body = canonical_json(to_wire(event)["body"]).decode()
                        write_line(f"{run.test_run_id} {event.seq:>4} {event.body.type:<18} {body}")
                _tell_gaps(path, run.gaps)
        sys.stdout.flush()


def list_adapters(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the recording formats that can be read."""
    known = adapters()
    if as_json:
        write_json({"adapters": [{"name": name, "summary": known[name].summary} for name in sorted(known)]})
        return
    for name in sorted(known):
        write_line(f"{name:<22} {known[name].summary}")


def _judge_files(
    recordings: Sequence[Path], adapter: str, requirements: Requirements, *, debug: bool
) -> tuple[list[JudgedFile], int]:
    """Judge every file that can be read; complain about each other one, and return its exit code."""
    judged: list[JudgedFile] = []
    worst_code = EXIT_OK
    for number, path in enumerate(recordings, start=1):
        try:
            runs = read_events(path, adapter=adapter)
        except TrustrailError as error:
            if debug:
                raise
            complain(error)
            worst_code = max(worst_code, exit_code(error))
            continue
        for run in runs:
            judgement = judge_run(run.events, requirements)
            judged.append(JudgedFile(file=str(path), judgement=judgement, gaps=run.gaps))
            _tell_gaps(path, run.gaps)
        write_progress(f"judged {number} of {len(recordings)} files")
    return judged, worst_code


def _tell_gaps(path: Path, gaps: Sequence[str]) -> None:
    for gap in gaps:
        sys.stderr.write(f"{path}: {gap}\n")


def _print_judged(judged: Sequence[JudgedFile]) -> None:
    for entry in judged:
        judgement = entry.judgement
        write_line(f"{entry.file} ({judgement.test_run_id})")
        for line in control_lines(judgement.controls, with_reasons=True):
            write_line(line)
        for action in judgement.actions:
            failed = [
                f"{given.control_id} {given.verdict.value}" for given in action.controls if given.verdict != "PASS"
            ]
            write_line(f"  action {action.index}: {action.tool}: {', '.join(failed) or 'all PASS'}")
        for tool in judgement.unknown_tools:
            write_line(f"  tool without meaning in the domain pack: {tool}")
        write_line(f"gate: {judgement.gate.outcome.value}")
        write_line()


def _write_report(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
