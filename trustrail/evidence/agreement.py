"""Whether a pack says one thing: a signature over files that contradict one another is worth nothing.

What follows from what is computed again (a run's gate from its verdicts, the pack's gate and statistics from its
runs) and compared with what is written. Of a stream, its first line and the verdicts at its end are read; to judge
the events between them again is a replay. All of it together costs less than hashing the files.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from pydantic import ValidationError

from trustrail.controls.verdict import Verdict
from trustrail.engine import ControlJudgement, Gate, RunJudgement, decide_gate
from trustrail.errors import PackError
from trustrail.evidence.document import (
    CALLS_SCHEMA,
    NOTES_SCHEMA,
    ControlResult,
    PackDocument,
    Run,
    summary_json,
)
from trustrail.evidence.layout import MANIFEST, NOTES, PACK, REPORT, pack_stem
from trustrail.evidence.manifest import Statement
from trustrail.evidence.rules import Rule
from trustrail.foundation import canonical_json
from trustrail.objects import DomainPack, GateRule, Severity

_SHORTEST_LINE: Final = 200
"""Bytes that the fields of a canonical event take at least."""


class _Given(msgspec.Struct, gc=False):
    """A verdict at the end of a stream."""

    control_id: str
    verdict: str
    reason: str
    events: list[int]


class _Verdict(msgspec.Struct, gc=False):
    body: _Given


class _First(msgspec.Struct, gc=False):
    """What of a stream's first event tells that it belongs here."""

    seq: int
    test_run_id: str
    type: str


class _Note(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    author: str
    text: str
    test_run_id: str | None
    event_seq: int | None


class _Notes(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    schema_version: str
    notes: list[_Note]


_read_verdicts = msgspec.json.Decoder(_Verdict).decode_lines
_read_first = msgspec.json.Decoder(_First).decode
_read_notes = msgspec.json.Decoder(_Notes).decode


def check_document(document: PackDocument, statement: Statement) -> None:
    """Refuse a document whose results do not follow from its verdicts, or differ from what was signed about it.

    Raises:
        PackError: naming what disagrees.
    """
    said = statement.predicate
    judgements = _judgements(document)
    again = summary_json(judgements)
    _same(document.gate, again["gate"], "gate of the pack")
    _same(msgspec.to_builtins(document.statistics), again["statistics"], "statistics")
    _same(msgspec.to_builtins(document.controls), again["controls"], "controls")
    _same(said.gate, document.gate, "gate", path=MANIFEST)
    for name, version in _versions(document).items():
        _same(said.versions.get(name), version, f"version of the {name}", path=MANIFEST)
    _same(document.assurance_level, document.objects.evidence_profile.get("id"), "assurance level")
    stem = pack_stem(document.testcase_id, document.target, document.variant)
    if not said.pack.startswith(f"{stem}-"):
        raise PackError(Rule.AGREEMENT, MANIFEST, f"names the pack {said.pack!r:.80}, expected {stem}-…")


def _versions(document: PackDocument) -> dict[str, str]:
    """Return what the statement must name as versions; a version that an object leaves out is 1."""
    objects = document.objects
    named = {
        "domain_pack": (objects.domain_pack, "pack_id"),
        "policy_profile": (objects.policy_profile, "profile_id"),
        "evidence_profile": (objects.evidence_profile, "id"),
    }
    found = {name: f"{part.get(field)}@{part.get('version', 1)}" for name, (part, field) in named.items()}
    return {"testcase": f"{document.testcase_id}@{document.testcase_version}", **found}


class FileCheck:
    """Checks the files of a pack against its document, one after another."""

    def __init__(self, document: PackDocument) -> None:
        self._document = document
        self._streams = {run.events: run for run in document.runs}
        self._calls = {run.calls: run for run in document.runs}
        self._without_calls: set[str] = set()
        """Streams of runs for which no verdict on a call is stored."""

    def check(self, path: str, data: bytes) -> None:
        """Refuse the file at *path*, in order of path, if it is hollow or says something else than the document.

        Raises:
            PackError: naming the file.
        """
        if not data:
            raise PackError(Rule.NOT_EMPTY, path, "is empty")
        if path in self._streams:
            run = self._streams[path]
            _check_stream(run, path, data)
            if path in self._without_calls:
                _check_nothing_was_done(run, path, data, self._document)
        elif path in self._calls:
            run = self._calls[path]
            _check_calls(run, path, data)
            if data.startswith(b'{"actions":[]'):
                self._without_calls.add(run.events)
        elif path == NOTES:
            _check_notes(data)
        elif path == REPORT and b"gate: <strong>%b</strong>" % self._document.gate.encode() not in data:
            raise PackError(Rule.AGREEMENT, REPORT, f"does not show the gate {self._document.gate}")


def _check_stream(run: Run, path: str, data: bytes) -> None:
    recorded = run.event_count - len(run.controls)
    if recorded < 1:
        raise PackError(Rule.NOT_EMPTY, path, "holds verdicts and no recorded event")
    try:
        first = _read_first(data[: data.find(b"\n")])
        given = _read_verdicts(_last_lines(data, len(run.controls)))
    except msgspec.MsgspecError as error:
        raise PackError(Rule.STRUCTURE, path, f"has a line that is no event: {error}") from error
    if first.type == "evaluation_result":
        raise PackError(Rule.NOT_EMPTY, path, "holds verdicts and no recorded event")
    if first.seq != 0 or len(data) < run.event_count * _SHORTEST_LINE:
        raise PackError(Rule.CITED_EVENTS, path, f"does not hold the {run.event_count} events of its run")
    _same(first.test_run_id, run.test_run_id, "test run", path=path)
    said = {one.body.control_id: (one.body.verdict, one.body.reason, one.body.events) for one in given}
    held = {name: (result.verdict, result.reason, result.events) for name, result in run.controls.items()}
    if said != held:
        name = next(name for name in (*held, *said) if said.get(name) != held.get(name))
        _same(said.get(name), held.get(name), f"verdict of {name}", path=path)


def _last_lines(data: bytes, count: int) -> bytes:
    start = len(data) - 1
    for _ in range(count):
        start = data.rfind(b"\n", 0, max(start, 0))
    return data[start + 1 :]


def _check_calls(run: Run, path: str, data: bytes) -> None:
    """Refuse verdicts on calls that are of another run, absent, or worse than the verdicts on the run."""
    end = b'],"schema_version":"%b","test_run_id":%b}' % (CALLS_SCHEMA.encode(), canonical_json(run.test_run_id))
    if not (data.startswith(b'{"actions":[') and data.endswith(end)):
        raise PackError(Rule.STRUCTURE, path, "does not hold the verdicts on the calls of its run")
    if all(given.verdict != "FAIL" for given in run.controls.values()) and b'"verdict":"FAIL"' in data:
        raise PackError(Rule.AGREEMENT, path, "says FAIL on a call, which no control says on the run")


def _check_nothing_was_done(run: Run, path: str, data: bytes, document: PackDocument) -> None:
    """Refuse a stream with a consequential call when no verdict on any call of its run is stored."""
    try:
        tools = DomainPack.model_validate(document.objects.domain_pack).actions
    except ValidationError as error:
        raise PackError(
            Rule.STRUCTURE, PACK, f"holds a domain pack that is not valid: {error.errors()[0]['msg']}"
        ) from error
    for tool in tools:
        field = b'"tool":%b' % canonical_json(tool)
        at = data.find(field)
        while at >= 0:
            end = data.find(b"\n", at)
            line = data[data.rfind(b"\n", 0, at) + 1 : end]
            if line.endswith(b'"type":"tool_call"}'):
                raise PackError(Rule.NOT_EMPTY, run.calls, f"holds no verdict on the call of {tool} in {path}")
            at = data.find(field, end)


def _check_notes(data: bytes) -> None:
    try:
        notes = _read_notes(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise PackError(Rule.STRUCTURE, NOTES, f"has a wrong field: {error}") from error
    if notes.schema_version != NOTES_SCHEMA:
        raise PackError(Rule.STRUCTURE, NOTES, f"follows {notes.schema_version!r:.60}, expected {NOTES_SCHEMA}")


def _gate_rule(profile: Mapping[str, Any]) -> GateRule:
    try:
        return GateRule.model_validate(profile.get("gate", {}))
    except ValidationError as error:
        raise PackError(
            Rule.STRUCTURE, PACK, f"holds a policy profile with a wrong gate: {error.errors()[0]['msg']}"
        ) from error


def _judgements(document: PackDocument) -> list[RunJudgement]:
    """Return what each run says as the engine would have said it, the streams and the calls left out.

    Runs of one variant mostly say the same, which is judged once.
    """
    severities = {str(entry.get("control_id")): entry.get("severity") for entry in document.objects.controls}
    rule = _gate_rule(document.objects.policy_profile)
    judged: list[tuple[Run, Gate, tuple[ControlJudgement, ...]]] = []
    for number, run in enumerate(document.runs, start=1):
        known = next((same for same in judged[:8] if _says_the_same(same[0], run)), None)
        if known is None:
            _check_cited(number, run)
            _same({name: one.severity for name, one in run.controls.items()}, severities, f"severities in run {number}")
            known = (run, *_judged(run, severities, rule))
        judged.append((run, *known[1:]))
        _same(run.gate, known[1].outcome.value, f"gate of run {number}")
        _same(run.gate_reasons, list(known[1].reasons), f"gate reasons of run {number}")
    return [_judgement(*one) for one in judged]


def _check_cited(number: int, run: Run) -> None:
    absent = run.absent_event()
    if absent is not None:
        text = f"cites the event {absent} in run {number}, which has {run.event_count} events"
        raise PackError(Rule.CITED_EVENTS, PACK, text)


def _says_the_same(one: Run, other: Run) -> bool:
    return (
        one.controls == other.controls
        and one.missing_evidence == other.missing_evidence
        and one.event_count == other.event_count
    )


def _judged(run: Run, names: Iterable[str], rule: GateRule) -> tuple[Gate, tuple[ControlJudgement, ...]]:
    try:
        controls = tuple(_control_judgement(name, run.controls[name]) for name in names)
    except ValueError as error:
        raise PackError(Rule.STRUCTURE, PACK, f"has a wrong severity: {error}") from error
    recorded = run.event_count - len(controls)
    return decide_gate(rule, controls, event_count=recorded, missing_evidence=run.missing_evidence), controls


def _judgement(run: Run, gate: Gate, controls: tuple[ControlJudgement, ...]) -> RunJudgement:
    return RunJudgement(
        test_run_id=run.test_run_id,
        gate=gate,
        controls=controls,
        actions=(),
        missing_evidence=tuple(run.missing_evidence),
        unknown_tools=tuple(run.unknown_tools),
        stream=(),
    )


def _control_judgement(name: str, given: ControlResult) -> ControlJudgement:
    return ControlJudgement(
        control_id=name,
        verdict=Verdict(given.verdict),
        severity=Severity(given.severity),
        exercised=given.exercised,
        reason=given.reason,
        events=tuple(given.events),
        claim=given.claim,
    )


def _wrong_object(kind: str, error: ValidationError) -> PackError:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return PackError(Rule.STRUCTURE, PACK, f"holds a {kind} with a wrong {place}: {first['msg']}")


def _same(said: object, expected: object, what: str, *, path: str = PACK) -> None:
    if said != expected:
        raise PackError(Rule.AGREEMENT, path, f"says {said!s:.120} as the {what}, expected {expected!s:.120}")
