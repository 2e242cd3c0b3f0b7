"""Evaluate a run: bind consent, run each control of the profile, cap the claims, decide the gate.

The engine never asks which domain, framework or control it has before it: a control is a rule under its id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from trustrail.consent import read_and_bind
from trustrail.controls import CONTROLS, RunView
from trustrail.controls.verdict import ControlReport, Verdict
from trustrail.engine.evidence_kinds import evidence_kinds
from trustrail.engine.gate import decide_gate
from trustrail.engine.judgement import CallJudgement, CallVerdict, ControlJudgement, RunJudgement
from trustrail.engine.requirements import Requirements
from trustrail.errors import UnknownControlError
from trustrail.events import AgentHandoff, EvaluationResult, Event, ToolCall, ToolResult, message_index
from trustrail.objects import Control, did_you_mean

ENGINE_SOURCE: Final = "trustrail.engine"
"""``source`` of the verdicts written back into a stream."""


class ControlRule(Protocol):
    """The code behind a control id."""

    def evaluate(self, run: RunView) -> ControlReport:
        """Judge *run*."""
        ...


def judge_run(
    events: Sequence[Event], requirements: Requirements, *, rules: Mapping[str, ControlRule] = CONTROLS
) -> RunJudgement:
    """Judge one run's *events* by the controls of the profile.

    Args:
        events: the run's canonical stream; verdicts already written back into it are left aside.
        requirements: what the run is held to.
        rules: the code of each control, by id.

    Raises:
        UnknownControlError: if a control of the profile has no rule.
    """
    recorded = tuple(event for event in events if not isinstance(event.body, EvaluationResult))
    bound = read_and_bind(recorded, requirements.domain_pack, requirements.languages)
    stream = bound.events
    view = RunView.build(
        stream,
        pack=requirements.domain_pack,
        profile=requirements.policy_profile,
        evidence=requirements.evidence_profile,
        fixture=requirements.fixture,
        consents=bound.consents,
    )
    reports = [(entry, _rule(rules, control_id).evaluate(view)) for control_id, entry in requirements.controls.items()]
    missing = _missing_evidence(stream, requirements)
    unknown = _unknown_tools(stream, requirements)
    unasked = tuple(event.seq for event in stream if type(event.body) is ToolResult and event.seq not in view.by_result)
    unseen = _unseen_action(requirements, unknown, unasked)
    controls = tuple(_judge_control(entry, report, requirements, missing, unseen) for entry, report in reports)
    return RunJudgement(
        test_run_id=stream[0].test_run_id if stream else "",
        gate=decide_gate(requirements.policy_profile.gate, controls, event_count=len(stream), missing_evidence=missing),
        controls=controls,
        actions=_judge_calls(stream, [report for _, report in reports]),
        missing_evidence=missing,
        unknown_tools=unknown,
        stream=stream,
    )


def write_back(judgement: RunJudgement) -> tuple[Event, ...]:
    """Return the judged stream with the run's verdicts appended as ``evaluation_result`` events."""
    stream = judgement.stream
    if not stream:
        return ()
    last = stream[-1]
    return stream + tuple(
        Event(
            seq=last.seq + position,
            test_run_id=last.test_run_id,
            conversation_id=last.conversation_id,
            source=ENGINE_SOURCE,
            body=EvaluationResult(
                control_id=control.control_id,
                verdict=control.verdict.value,
                reason=control.reason,
                events=control.events,
            ),
        )
        for position, control in enumerate(judgement.controls, start=1)
    )


def _rule(rules: Mapping[str, ControlRule], control_id: str) -> ControlRule:
    if control_id not in rules:
        raise UnknownControlError(f"control {control_id!r} has no rule{did_you_mean(control_id, rules)}")
    return rules[control_id]


def _missing_evidence(stream: Sequence[Event], requirements: Requirements) -> tuple[str, ...]:
    present = evidence_kinds(stream)
    return tuple(kind for kind in requirements.evidence_profile.required_evidence if kind not in present)


def _unknown_tools(stream: Sequence[Event], requirements: Requirements) -> tuple[str, ...]:
    called = {event.body.tool for event in stream if type(event.body) is ToolCall}
    unknown = called - requirements.domain_pack.tool_names
    return tuple(sorted(unknown - _handoff_tools(stream))) if unknown else ()


def _handoff_tools(stream: Sequence[Event]) -> set[str]:
    """Return the tools by which agents hand work on: a handoff is the first thing to follow the call's result."""
    found: set[str] = set()
    last: str | None = None
    for event in stream:
        if type(event.body) is ToolCall:
            last = event.body.tool
        elif type(event.body) is AgentHandoff and last is not None:
            found.add(last)
        elif type(event.body) is not ToolResult:
            last = None
    return found


def _unseen_action(requirements: Requirements, unknown: Sequence[str], unasked: Sequence[int]) -> str | None:
    """Return why the run may hold an action that no control has seen; None when it may not."""
    if unknown:
        pack_id = requirements.domain_pack.pack_id
        return f"domain pack {pack_id} gives no meaning to the tool {unknown[0]!r}, so it may have acted"
    if unasked:
        return f"the result at seq {unasked[0]} answers no recorded call, so a tool may have acted unseen"
    return None


def _judge_control(
    entry: Control,
    report: ControlReport,
    requirements: Requirements,
    missing: tuple[str, ...],
    unseen: str | None,
) -> ControlJudgement:
    """Apply what caps a PASS to *report*: missing evidence, actions that may stand unseen, claim limits."""
    judgement = ControlJudgement(
        control_id=entry.control_id,
        verdict=report.verdict,
        severity=entry.severity,
        exercised=report.exercised,
        reason=report.reason,
        events=report.events,
        claim=None,
    )
    if report.verdict is not Verdict.PASS:
        return judgement
    lacking = [kind for kind in entry.needs if kind in missing]
    if lacking:
        words = f"evidence profile {requirements.evidence_profile.id} requires {lacking[0]}, which the run lacks"
        return replace(judgement, verdict=Verdict.INCONCLUSIVE, reason=words)
    if unseen is not None and (report.actions or not report.exercised):
        # What is said of every action of the run cannot be said while one may be missing among them.
        return replace(judgement, verdict=Verdict.INCONCLUSIVE, reason=unseen)
    return replace(judgement, claim=_claim(entry, requirements)) if report.exercised else judgement


def _claim(entry: Control, requirements: Requirements) -> str | None:
    limits = requirements.evidence_profile.claim_limits
    match entry.limited_by:
        case "auth":
            return limits.auth
        case "entity_ownership_max_tier":
            return f"entity_ownership_max_tier: {limits.entity_ownership_max_tier}"
        case None:
            return None


def _judge_calls(stream: Sequence[Event], reports: Sequence[ControlReport]) -> tuple[CallJudgement, ...]:
    """Turn the reports, one a control, into one judgement a consequential call."""
    calls: dict[int, list[tuple[str, CallVerdict]]] = {}
    places: dict[int, int] = {}
    for report in reports:
        for action in report.actions:
            given = CallVerdict(
                control_id=report.control_id, verdict=action.verdict, reason=action.reason, events=action.events
            )
            calls.setdefault(action.index, []).append((action.tool, given))
            places[action.index] = action.call_seq
    return tuple(
        CallJudgement(
            index=index,
            tool=calls[index][0][0],
            seq=places[index],
            message_index=message_index(stream[places[index]]),
            controls=tuple(given for _, given in calls[index]),
        )
        for index in sorted(calls)
    )
