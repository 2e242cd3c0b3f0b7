"""``check``, ``events`` and ``adapters``: what is done with recorded runs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from trustrail.adapters import adapters, get_adapter, read_events
from trustrail.cli.outcome import (
    EXIT_CHECK_FAILED,
    EXIT_OK,
    complain,
    exit_code,
    expected_errors,
)
from trustrail.cli.printing import control_lines, write_bytes, write_json, write_line, write_progress
from trustrail.engine import (
    GateOutcome,
    JudgedFile,
    Requirements,
    judge_run,
    junit_xml,
    report_json,
    sarif_json,
)
from trustrail.engine.report import UnreadFile
from trustrail.errors import OutputError, TrustrailError
from trustrail.events import to_line, to_wire
from trustrail.foundation import canonical_json
from trustrail.objects import Control, find_domain_pack, find_evidence_profile, find_fixture, find_policy_profile

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
    out = _Reports(junit=junit, sarif=sarif)
    with expected_errors(debug=debug):
        with out.told_of_failure(pack):
            requirements = Requirements.expand(
                find_domain_pack(pack),
                find_policy_profile(profile),
                evidence_profile=find_evidence_profile(evidence) if evidence else None,
                fixture=find_fixture(fixture) if fixture else None,
            )
            reader = get_adapter(adapter).name if adapter != "auto" else adapter
        checked = _judge_files(recordings, reader, requirements, debug=debug)
        out.write(checked, requirements.controls)
        if as_json:
            write_json(report_json(checked.judged, checked.unread))
        else:
            _print_judged(checked.judged)
    judged, worst_code = checked.judged, checked.worst_code
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
                        write_bytes(to_line(event) + b"\n")
                    else:
                        body = canonical_json(to_wire(event)["body"]).decode()
                        write_line(f"{run.test_run_id} {event.seq:>4} {event.body.type:<18} {body}")
                _tell_gaps(path, run.gaps)


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


@dataclass(slots=True)
class _Checked:
    """What became of the files."""

    judged: list[JudgedFile] = field(default_factory=list)
    unread: list[UnreadFile] = field(default_factory=list)
    worst_code: int = EXIT_OK


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reports:
    """The files that CI servers read; each is written whatever happens, so that none tells of an earlier run."""

    junit: Path | None
    sarif: Path | None

    def write(self, checked: _Checked, controls: Mapping[str, Control]) -> None:
        """Write the reports that were asked for.

        Raises:
            OutputError: if one cannot be written.
        """
        if self.junit is not None:
            _write_report(self.junit, junit_xml(checked.judged, checked.unread))
        if self.sarif is not None:
            _write_report(self.sarif, canonical_json(sarif_json(checked.judged, controls, checked.unread)) + b"\n")

    @contextmanager
    def told_of_failure(self, subject: str) -> Iterator[None]:
        """Write reports of the one error that ends everything before *subject* can be judged by."""
        try:
            yield
        except TrustrailError as error:
            self.write(_Checked(unread=[UnreadFile(file=subject, problem=str(error))]), {})
            raise


def _judge_files(recordings: Sequence[Path], adapter: str, requirements: Requirements, *, debug: bool) -> _Checked:
    """Judge every file that can be read, and complain about each other one."""
    checked = _Checked()
    for number, path in enumerate(recordings, start=1):
        try:
            runs = read_events(path, adapter=adapter)
        except TrustrailError as error:
            if debug:
                raise
            complain(error)
            checked.unread.append(UnreadFile(file=str(path), problem=str(error)))
            checked.worst_code = max(checked.worst_code, exit_code(error))
            continue
        for run in runs:
            judgement = judge_run(run.events, requirements)
            checked.judged.append(JudgedFile(file=str(path), judgement=judgement, gaps=run.gaps))
            _tell_gaps(path, run.gaps)
        write_progress(f"judged {number} of {len(recordings)} files")
    return checked


def _tell_gaps(path: Path, gaps: Sequence[str]) -> None:
    for gap in gaps:
        complain(f"{path}: {gap}")


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
