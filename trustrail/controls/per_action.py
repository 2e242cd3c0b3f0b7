"""Judging a run call by call: one decision for each consequential call, made into a report."""

from collections.abc import Callable

from trustrail.controls.action_call import ActionCall
from trustrail.controls.verdict import ActionVerdict, ControlReport, Verdict, report_from_actions
from trustrail.controls.view import RunView

Decision = tuple[Verdict, str, set[int]]
"""A verdict on one call, its reason, and the ``seq`` of the events relied on besides the call's own."""


def judge_each(
    control_id: str, run: RunView, decide: Callable[[RunView, ActionCall], Decision], *, passed: str
) -> ControlReport:
    """Judge every consequential call of *run* by *decide*; *passed* is what a PASS of the whole run says."""
    return report_from_actions(
        control_id, [_judged(run, action, decide) for action in run.actions], run=run, passed=passed
    )


def _judged(run: RunView, action: ActionCall, decide: Callable[[RunView, ActionCall], Decision]) -> ActionVerdict:
    verdict, reason, events = decide(run, action)
    return ActionVerdict(
        index=action.index,
        call_seq=action.seq,
        tool=action.tool,
        verdict=verdict,
        reason=reason,
        events=tuple(sorted({action.seq, *events})),
    )
