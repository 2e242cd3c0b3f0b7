"""Write an evidence pack: judge what is stored, put everything into a side directory, then rename it once.

Runs are judged in the form in which they are stored, so that a replay meets the same values; and no half pack
is ever seen.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from trustrail.controls import CONTROLS
from trustrail.engine import ControlRule, Requirements, RunJudgement, judge_run, write_back
from trustrail.errors import PackError
from trustrail.events import SCHEMA_VERSION, Event, from_lines, to_lines
from trustrail.evidence.document import (
    NOTES_SCHEMA,
    PACK_SCHEMA,
    calls_json,
    document_json,
    read_document,
    results_json,
)
from trustrail.evidence.dsse import sign
from trustrail.evidence.layout import (
    FOLDERS,
    MANIFEST,
    NOTES,
    PACK,
    REPORT,
    calls_path,
    events_path,
    iso_time,
    pack_name,
    spans_path,
)
from trustrail.evidence.manifest import PAYLOAD_TYPE, Artifact, Predicate, Statement, manifest_bytes, statement_bytes
from trustrail.evidence.report import report_html
from trustrail.evidence.stand_ins import StandIns
from trustrail.foundation import SigningKey, canonical_json, digest_hex
from trustrail.objects import Fixture

NEW_PACK: Final = "new-pack"
"""The rule that a pack is written whole, at a place where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackRun:
    """One run that goes into a pack."""

    events: Sequence[Event]
    """Its canonical stream, as recorded."""
    spans: Any = None
    """The source spans as JSON, kept for traceability; None where the source has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPack:
    """A pack on disk, and what it says."""

    directory: Path
    judgements: tuple[RunJudgement, ...]
    """One a run, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A judge's output or a reviewer's remark, kept beside the evidence; no verdict depends on it."""

    author: str
    text: str
    test_run_id: str | None = None
    event_seq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackSubject:
    """Which scenario, framework and variant a pack is about."""

    testcase_id: str
    testcase_version: int
    target: str
    variant: str
    artifact: Artifact


def write_pack(
    root: Path,
    subject: PackSubject,
    runs: Sequence[PackRun],
    requirements: Requirements,
    *,
    key: SigningKey,
    created_at: float,
    notes: Sequence[Note] = (),
    rules: Mapping[str, ControlRule] = CONTROLS,
) -> WrittenPack:
    """Judge *runs*, and write and sign a pack of them below *root*.

    Args:
        root: where packs are kept; made when absent.
        subject: what the pack is about.
        runs: the recorded runs, at least one.
        requirements: what they were held to.
        key: signs the manifest.
        created_at: seconds since 1970-01-01T00:00:00Z; names the directory, to the second.
        notes: annotations.
        rules: the code of each control, by id.

    Raises:
        PackError: if there is no run, a run is empty, or the pack exists already; nothing was written.
        UnknownControlError: if a control of the profile has no rule; nothing was written.
    """
    name = pack_name(subject.testcase_id, subject.target, subject.variant, created_at)
    _check_runs(name, runs)
    target, side = root / name, root / f".{name}.part"
    if target.exists():
        raise PackError(NEW_PACK, name, "exists already; a pack is never written over")
    runs, requirements, notes = _without_disclosures(runs, requirements, notes)
    judgements = tuple(judge_run(run.events, requirements, rules=rules) for run in runs)
    files = _files(subject, runs, judgements, requirements, notes)
    predicate = Predicate(
        pack=name,
        artifact=subject.artifact,
        versions=_versions(subject, requirements),
        created_at=iso_time(created_at),
        gate=read_document(files[PACK]).gate,
    )
    statement = Statement(files={path: digest_hex(data) for path, data in files.items()}, predicate=predicate)
    envelope = sign(PAYLOAD_TYPE, statement_bytes(statement), key)
    try:
        _write_files(side, {**files, MANIFEST: manifest_bytes(statement, envelope)})
        side.rename(target)
    except OSError as error:
        shutil.rmtree(side, ignore_errors=True)
        raise PackError(NEW_PACK, name, f"cannot be written: {error.strerror}") from error
    return WrittenPack(directory=target, judgements=judgements)


def _without_disclosures(
    runs: Sequence[PackRun], requirements: Requirements, notes: Sequence[Note]
) -> tuple[list[PackRun], Requirements, list[Note]]:
    """Return everything as it will be stored: with stand-ins for what the agent disclosed, and a note of them."""
    streams = [from_lines(to_lines(run.events)) for run in runs]
    stand_ins = StandIns(requirements.domain_pack, streams)
    stored = [
        PackRun(events=stand_ins.in_stream(stream), spans=stand_ins.in_value(run.spans))
        for run, stream in zip(runs, streams, strict=True)
    ]
    if not stand_ins:
        return stored, requirements, list(notes)
    if requirements.fixture is not None:
        fixture = stand_ins.in_value(requirements.fixture.model_dump(mode="json", exclude_unset=True))
        requirements = replace(requirements, fixture=Fixture.model_validate(fixture))
    count = "1 protected value" if len(stand_ins) == 1 else f"{len(stand_ins)} protected values"
    told = f"{count} that the agent disclosed stand in this pack as stand-ins of the same form and last four characters"
    kept = [replace(note, text=stand_ins.in_value(note.text)) for note in notes]
    return stored, requirements, [*kept, Note(author="trustrail", text=told)]


def _check_runs(name: str, runs: Sequence[PackRun]) -> None:
    if not runs:
        raise PackError("not-empty", name, "has no run; a pack without evidence is not written")
    for number, run in enumerate(runs, start=1):
        if not run.events:
            raise PackError("not-empty", name, f"has no events in run {number}")


def _files(
    subject: PackSubject,
    runs: Sequence[PackRun],
    judgements: Sequence[RunJudgement],
    requirements: Requirements,
    notes: Sequence[Note],
) -> dict[str, bytes]:
    """Return the bytes of every file but the manifest, by path."""
    results = results_json(judgements, has_spans=[run.spans is not None for run in runs])
    document = document_json(
        results,
        requirements,
        testcase_id=subject.testcase_id,
        testcase_version=subject.testcase_version,
        target=subject.target,
        variant=subject.variant,
    )
    streams = [write_back(judgement) for judgement in judgements]
    files = {PACK: canonical_json(document), NOTES: _notes_bytes(notes)}
    for number, (run, stream) in enumerate(zip(runs, streams, strict=True), start=1):
        files[events_path(number)] = to_lines(stream)
        files[calls_path(number)] = canonical_json(calls_json(judgements[number - 1]))
        if run.spans is not None:
            files[spans_path(number)] = canonical_json(run.spans)
    pack = read_document(files[PACK])
    files[REPORT] = report_html(pack, streams, requirements).encode()
    return files


def _notes_bytes(notes: Sequence[Note]) -> bytes:
    return canonical_json(
        {
            "schema_version": NOTES_SCHEMA,
            "notes": [
                {
                    "author": note.author,
                    "text": note.text,
                    "test_run_id": note.test_run_id,
                    "event_seq": note.event_seq,
                }
                for note in notes
            ],
        }
    )


def _versions(subject: PackSubject, requirements: Requirements) -> dict[str, str]:
    try:
        own = version("mast-simulator")
    except PackageNotFoundError:
        own = "not installed"
    return {
        "trustrail": own,
        "events": SCHEMA_VERSION,
        "pack": PACK_SCHEMA,
        "testcase": f"{subject.testcase_id}@{subject.testcase_version}",
        "domain_pack": f"{requirements.domain_pack.pack_id}@{requirements.domain_pack.version}",
        "policy_profile": f"{requirements.policy_profile.profile_id}@{requirements.policy_profile.version}",
        "evidence_profile": f"{requirements.evidence_profile.id}@{requirements.evidence_profile.version}",
    }


def _write_files(side: Path, files: Mapping[str, bytes]) -> None:
    shutil.rmtree(side, ignore_errors=True)
    for folder in FOLDERS:
        (side / folder).mkdir(parents=True)
    for path, data in files.items():
        (side / path).write_bytes(data)
