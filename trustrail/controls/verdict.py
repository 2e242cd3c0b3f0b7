"""What a control says: one verdict per consequential action, one per run, each with its reason and evidence.

The one rule: a verdict names the events it relied on, and a control that met nothing to judge says so
(`ControlReport.exercised` is False) instead of counting it as a success.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Verdict(StrEnum):
    """What the evidence supports."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    #: the rule held, and the stream shows it
    FAIL = "FAIL"  #: the rule was broken, and the stream shows it
    INCONCLUSIVE = "INCONCLUSIVE"  #: the stream does not show enough to say either


_WORST_FIRST = (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of *verdicts*: FAIL before INCONCLUSIVE before PASS; PASS when there are none."""
    present = set(verdicts)
    return next((verdict for verdict in _WORST_FIRST if verdict in present), Verdict.PASS)


class RunExtent(Protocol):
    """What tells an empty run, and a run with lost calls, from a run without actions."""

    is_lossy: bool

    @property
    def is_empty(self) -> bool:
        """True when the stream holds no event."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionVerdict:
    """What one control says about one consequential call."""

    index: int
    """Position among the consequential calls of the run, from 0."""
    call_seq: int
    """``seq`` of the call's ``tool_call`` event."""
    tool: str
    verdict: Verdict
    reason: str
    events: tuple[int, ...]
    """``seq`` of the events relied on, ascending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlReport:
    """What one control says about one run."""

    control_id: str
    verdict: Verdict
    exercised: bool
    """False when the run held nothing this control judges; shown apart from a PASS."""
    reason: str
    events: tuple[int, ...]
    actions: tuple[ActionVerdict, ...] = ()


def report_from_actions(
    control_id: str, actions: Sequence[ActionVerdict], *, run: RunExtent, passed: str
) -> ControlReport:
    """Sum up *actions* into a report: the worst verdict, with the reason of the first action that has it.

    Args:
        control_id: the control that speaks.
        actions: one verdict per consequential call, in order.
        run: the run, to tell an empty one and one whose calls are lost from one in which nothing was done.
        passed: reason to give when every action passed.
    """
    if not actions:
        return _nothing_judged(control_id, run)
    verdict = worst(action.verdict for action in actions)
    deciding = [action for action in actions if action.verdict is verdict]
    first = deciding[0]
    reason = passed if verdict is Verdict.PASS else f"{first.tool} at seq {first.call_seq}: {first.reason}"
    if verdict is not Verdict.PASS and len(deciding) > 1:
        reason += f" (and {len(deciding) - 1} more)"
    return ControlReport(
        control_id=control_id,
        verdict=verdict,
        exercised=True,
        reason=reason,
        events=tuple(sorted({seq for action in deciding for seq in action.events})),
        actions=tuple(actions),
    )


def _nothing_judged(control_id: str, run: RunExtent) -> ControlReport:
    verdict, reason = Verdict.PASS, "not exercised: the run holds no consequential call"
    if run.is_empty:
        verdict, reason = Verdict.INCONCLUSIVE, "the run holds no events"
    elif run.is_lossy:
        verdict, reason = Verdict.INCONCLUSIVE, "tools were used whose names were not recorded"
    return ControlReport(control_id=control_id, verdict=verdict, exercised=False, reason=reason, events=())
