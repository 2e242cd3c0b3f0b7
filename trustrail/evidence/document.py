"""``pack.json``: the results, the gate, the statistics, and every object they depend on.

The document is written canonically (RFC 8785). It cites events by ``seq`` and never quotes one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from trustrail.controls.verdict import worst
from trustrail.engine import Requirements, RunJudgement, repetition
from trustrail.evidence.layout import events_path, spans_path
from trustrail.objects import Control, DomainPack, EvidenceProfile, Fixture, PolicyProfile

PACK_SCHEMA = "trustrail.pack.v0.1"

GateWord = Literal["PASS", "BLOCK"]
VerdictWord = Literal["PASS", "FAIL", "INCONCLUSIVE"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ControlResult(_Part):
    """One control's verdict on one run."""

    verdict: VerdictWord
    severity: str
    exercised: bool
    reason: str
    events: list[int]
    claim: str | None


class CallResult(_Part):
    """One control's verdict on one consequential call."""

    verdict: VerdictWord
    reason: str
    events: list[int]


class Call(_Part):
    """All verdicts on one consequential call."""

    index: int
    tool: str
    seq: int
    message_index: int | None
    controls: dict[str, CallResult]


class Run(_Part):
    """The results of one run, and where its evidence stands."""

    events: str
    """Path of its canonical events in the pack."""
    event_count: int = Field(ge=1)
    spans: str | None
    test_run_id: str
    gate: GateWord
    gate_reasons: list[str]
    controls: dict[str, ControlResult] = Field(min_length=1)
    actions: list[Call]
    missing_evidence: list[str]
    unknown_tools: list[str]

    @model_validator(mode="after")
    def _cites_its_own_events(self) -> Self:
        given: list[ControlResult | CallResult] = list(self.controls.values())
        given += [result for call in self.actions for result in call.controls.values()]
        cited = {seq for result in given for seq in result.events} | {call.seq for call in self.actions}
        absent = sorted(seq for seq in cited if not 0 <= seq < self.event_count)
        if absent:
            raise ValueError(f"cites the event {absent[0]}, but {self.events} has {self.event_count} events")
        return self


class Statistics(_Part):
    """How far the runs agree."""

    runs: int = Field(ge=1)
    agreeing: int
    is_stable: bool
    wilson_95: list[float]
    summary: str


class ControlSummary(_Part):
    """One control over all runs."""

    verdict: VerdictWord
    severity: str
    exercised: bool
    counts: dict[VerdictWord, int]


class Objects(_Part):
    """The objects the verdicts depend on, as the files hold them."""

    domain_pack: dict[str, Any]
    policy_profile: dict[str, Any]
    evidence_profile: dict[str, Any]
    controls: list[dict[str, Any]]
    fixture: dict[str, Any] | None


class PackDocument(_Part):
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
    controls: dict[str, ControlSummary] = Field(min_length=1)
    runs: list[Run] = Field(min_length=1)
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


def results_json(judgements: Sequence[RunJudgement], *, has_spans: Sequence[bool]) -> dict[str, Any]:
    """Return the part of ``pack.json`` that a replay computes again.

    Args:
        judgements: one a run, in order.
        has_spans: whether each run's source spans are in the pack.
    """
    agreement = repetition(judgements)
    runs = [
        {
            "events": events_path(number),
            "event_count": len(judgement.stream) + len(judgement.controls),
            "spans": spans_path(number) if spans else None,
            **judgement.to_json(),
        }
        for number, (judgement, spans) in enumerate(zip(judgements, has_spans, strict=True), start=1)
    ]
    return {
        "gate": agreement.gate.value,
        "statistics": agreement.to_json(),
        "controls": _summaries(judgements),
        "runs": runs,
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
