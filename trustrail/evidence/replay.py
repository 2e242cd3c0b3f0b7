"""Replay: judge a pack's stored events again, offline, and compare with the stored verdicts byte by byte."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
from pydantic import ValidationError

from trustrail.controls import CONTROLS
from trustrail.engine import ControlRule, Requirements, RunJudgement, judge_run, write_back
from trustrail.errors import EventFormatError, PackError
from trustrail.events import from_lines, to_lines
from trustrail.evidence.document import PackDocument, calls_json, results_json
from trustrail.evidence.layout import PACK, REPORT
from trustrail.evidence.report import report_html
from trustrail.evidence.verify import VerifiedPack
from trustrail.foundation import canonical_json

REPLAY_RULE = "same-verdicts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A replay that reached the stored verdicts."""

    document: PackDocument
    judgements: tuple[RunJudgement, ...]


def replay_pack(pack: VerifiedPack, *, rules: Mapping[str, ControlRule] = CONTROLS) -> Replay:
    """Judge the events of *pack* again and return the judgements.

    Raises:
        PackError: if the stored events cannot be read, or lead to other verdicts, another event stream or
            another report than the stored ones.
    """
    document = pack.document
    try:
        requirements = document.requirements()
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise PackError("structure", PACK, f"holds an object with a wrong {place}: {first['msg']}") from error
    judgements = tuple(_judge_again(pack.directory, run.events, requirements, rules) for run in document.runs)
    again = results_json(judgements, has_spans=[run.spans is not None for run in document.runs])
    whole = msgspec.to_builtins(document)
    if canonical_json(again) != canonical_json({name: whole[name] for name in again}):
        raise PackError(REPLAY_RULE, PACK, _first_difference(document, judgements))
    for run, judgement in zip(document.runs, judgements, strict=True):
        if canonical_json(calls_json(judgement)) != (pack.directory / run.calls).read_bytes():
            raise PackError(REPLAY_RULE, run.calls, "does not hold the verdicts that judging the calls again gives")
    report = report_html(document, [write_back(judgement) for judgement in judgements], requirements)
    if report.encode() != (pack.directory / REPORT).read_bytes():
        raise PackError(REPLAY_RULE, REPORT, "is not the page these verdicts give")
    return Replay(document=document, judgements=judgements)


def _judge_again(
    directory: Path, path: str, requirements: Requirements, rules: Mapping[str, ControlRule]
) -> RunJudgement:
    stored = (directory / path).read_bytes()
    try:
        events = from_lines(stored)
    except EventFormatError as error:
        raise PackError("structure", path, str(error)) from error
    judgement = judge_run(events, requirements, rules=rules)
    if to_lines(write_back(judgement)) != stored:
        raise PackError(REPLAY_RULE, path, "does not hold the stream that judging it again gives")
    return judgement


def _first_difference(document: PackDocument, judgements: tuple[RunJudgement, ...]) -> str:
    for run, judgement in zip(document.runs, judgements, strict=True):
        for control in judgement.controls:
            stored = run.controls.get(control.control_id)
            if stored is None or msgspec.to_builtins(stored) != control.to_json():
                was = "nothing" if stored is None else stored.verdict
                return f"says {was} on {control.control_id} in {run.events}, judged again it is {control.verdict.value}"
    return "differs from what judging its events again gives"
