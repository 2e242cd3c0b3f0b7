"""``pack.json``: the results, the gate, the statistics, and every object they depend on.

The document is written canonically (RFC 8785). It cites events by ``seq`` and never quotes one. Its parts are
msgspec structs, since a verifier reads it each time and must cost little more than hashing; the verdicts on single
calls, which are many, stand in files of their own beside it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BaseModel

from trustrail.controls.verdict import worst
from trustrail.engine import Requirements, RunJudgement, repetition
from trustrail.evidence.layout import calls_path, events_path, spans_path
from trustrail.objects import Control, DomainPack, EvidenceProfile, Fixture, PolicyProfile

PACK_SCHEMA = "trustrail.pack.v0.1"
CALLS_SCHEMA = "trustrail.calls.v0.1"
NOTES_SCHEMA = "trustrail.annotations.v0.1"

GateWord = Literal["PASS", "BLOCK"]
VerdictWord = Literal["PASS", "FAIL", "INCONCLUSIVE"]
AtLeastOne = msgspec.Meta(ge=1)
NotEmpty = msgspec.Meta(min_length=1)


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """A closed part of the document; parts hold no cycles, so the garbage collector need not follow them."""


class ControlResult(_Part, frozen=True, gc=False):
    """One control's verdict on one run."""

    verdict: VerdictWord
    severity: str
    exercised: bool
    reason: str
    events: list[int]
    claim: str | None


class Run(_Part, frozen=True, gc=False):
    """The results of one run, and where its evidence stands."""

    events: str
    """Path of its canonical events in the pack."""
    event_count: Annotated[int, AtLeastOne]
    spans: str | None
    test_run_id: str
    gate: GateWord
    gate_reasons: list[str]
    controls: Annotated[dict[str, ControlResult], NotEmpty]
    calls: str
    """Path of the verdicts on each consequential call in the pack."""
    missing_evidence: list[str]
    unknown_tools: list[str]

    def absent_event(self) -> int | None:
        """Return an event that a verdict cites and the run does not hold; None when there is none."""
        cited = [given.events for given in self.controls.values()]
        held = [seqs for seqs in cited if seqs]
        last = max(map(max, held), default=0)
        first = min(map(min, held), default=0)
        return last if last >= self.event_count else first if first < 0 else None


class Statistics(_Part, frozen=True, gc=False):
    """How far the runs agree."""

    runs: Annotated[int, AtLeastOne]
    agreeing: int
    is_stable: bool
    wilson_95: list[int | float]
    summary: str


class ControlSummary(_Part, frozen=True, gc=False):
    """One control over all runs."""

    verdict: VerdictWord
    severity: str
    exercised: bool
    counts: dict[VerdictWord, int]


class Objects(_Part, frozen=True, gc=False):
    """The objects the verdicts depend on, as the files hold them."""

    domain_pack: dict[str, Any]
    policy_profile: dict[str, Any]
    evidence_profile: dict[str, Any]
    controls: list[dict[str, Any]]
    fixture: dict[str, Any] | None


class PackDocument(_Part, frozen=True, gc=False):
    """The whole of ``pack.json``."""

    schema_version: Literal["trustrail.pack.v0.1"]
    testcase_id: str
    testcase_version: int
    target: str
    variant: str
    assurance_level: str
    """The evidence profile the runs were judged on."""
    gate: GateWord
    statistics: Statistics
    controls: Annotated[dict[str, ControlSummary], NotEmpty]
    runs: Annotated[list[Run], NotEmpty]
    objects: Objects

    def requirements(self) -> Requirements:
        """Return what the runs were held to.

        Raises:
            pydantic.ValidationError: if an embedded object is not valid.
        """
        objects = self.objects
        return Requirements.expand(
            DomainPack.model_validate(objects.domain_pack),
            PolicyProfile.model_validate(objects.policy_profile),
            evidence_profile=EvidenceProfile.model_validate(objects.evidence_profile),
            fixture=None if objects.fixture is None else Fixture.model_validate(objects.fixture),
            catalog=[Control.model_validate(entry) for entry in objects.controls],
        )


read_document = msgspec.json.Decoder(PackDocument).decode
"""Read ``pack.json``; raises `msgspec.ValidationError` when it has other fields, `msgspec.DecodeError` when broken."""


def results_json(judgements: Sequence[RunJudgement], *, has_spans: Sequence[bool]) -> dict[str, Any]:
    """Return the part of ``pack.json`` that a replay computes again.

    Args:
        judgements: one a run, in order.
        has_spans: whether each run's source spans are in the pack.
    """
    runs = [
        {
            "events": events_path(number),
            "event_count": len(judgement.stream) + len(judgement.controls),
            "spans": spans_path(number) if spans else None,
            "calls": calls_path(number),
            **{name: value for name, value in judgement.to_json().items() if name != "actions"},
        }
        for number, (judgement, spans) in enumerate(zip(judgements, has_spans, strict=True), start=1)
    ]
    return {**summary_json(judgements), "runs": runs}


def summary_json(judgements: Sequence[RunJudgement]) -> dict[str, Any]:
    """Return the part of ``pack.json`` that follows from its runs: the gate, how far they agree, each control."""
    agreement = repetition(judgements)
    return {
        "gate": agreement.gate.value,
        "statistics": agreement.to_json(),
        "controls": _summaries(judgements),
    }


def calls_json(judgement: RunJudgement) -> dict[str, Any]:
    """Return the verdicts on each consequential call of a run: a file of their own, since they are many."""
    return {
        "schema_version": CALLS_SCHEMA,
        "test_run_id": judgement.test_run_id,
        "actions": [action.to_json() for action in judgement.actions],
    }


def document_json(
    results: Mapping[str, Any],
    requirements: Requirements,
    *,
    testcase_id: str,
    testcase_version: int,
    target: str,
    variant: str,
) -> dict[str, Any]:
    """Return the whole of ``pack.json`` around *results*."""
    return {
        "schema_version": PACK_SCHEMA,
        "testcase_id": testcase_id,
        "testcase_version": testcase_version,
        "target": target,
        "variant": variant,
        "assurance_level": requirements.evidence_profile.id,
        **results,
        "objects": {
            "domain_pack": _as_written(requirements.domain_pack),
            "policy_profile": _as_written(requirements.policy_profile),
            "evidence_profile": _as_written(requirements.evidence_profile),
            "controls": [_as_written(entry) for entry in requirements.controls.values()],
            "fixture": None if requirements.fixture is None else _as_written(requirements.fixture),
        },
    }


def _summaries(judgements: Sequence[RunJudgement]) -> dict[str, Any]:
    """Return each control's verdict over all runs: the worst one, and how often each was given."""
    summaries = {}
    for position, first in enumerate(judgements[0].controls):
        given = [judgement.controls[position] for judgement in judgements]
        counts = Counter(control.verdict.value for control in given)
        summaries[first.control_id] = {
            "verdict": worst(control.verdict for control in given).value,
            "severity": first.severity.value,
            "exercised": any(control.exercised for control in given),
            "counts": dict(counts),
        }
    return summaries


def _as_written(part: BaseModel) -> dict[str, Any]:
    """Return an object with the fields its file gives, defaults left out."""
    return part.model_dump(mode="json", exclude_unset=True)
