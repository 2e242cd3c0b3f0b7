"""The gate: verdicts by severity against the profile's rule. What was not shown never opens it."""

from collections.abc import Sequence

from trustrail.controls.verdict import Verdict
from trustrail.engine.judgement import ControlJudgement, Gate, GateOutcome
from trustrail.objects import GateRule


def decide_gate(
    rule: GateRule, controls: Sequence[ControlJudgement], *, event_count: int, missing_evidence: Sequence[str] = ()
) -> Gate:
    """Return the gate's outcome over *controls* of a run of *event_count* events.

    A run without events or without evidence that is required, or a profile without verdicts, blocks whatever the
    rule says.
    """
    reasons = [_reason(control) for control in controls if _blocks(rule, control)]
    reasons += [f"required evidence is missing: {kind}" for kind in missing_evidence]
    if event_count == 0:
        reasons.insert(0, "the run has no events")
    elif not controls:
        reasons.append("no control was evaluated")
    return Gate(outcome=GateOutcome.BLOCK if reasons else GateOutcome.PASS, reasons=tuple(reasons))


def _blocks(rule: GateRule, control: ControlJudgement) -> bool:
    if control.verdict is Verdict.FAIL:
        return control.severity in rule.block_on_fail
    return control.verdict is Verdict.INCONCLUSIVE and control.severity in rule.block_on_inconclusive


def _reason(control: ControlJudgement) -> str:
    return f"{control.control_id} {control.verdict.value} ({control.severity.value}): {control.reason}"
