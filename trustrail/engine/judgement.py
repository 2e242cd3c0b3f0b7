"""What the engine says about a run: frozen values, with one JSON form that replays compare byte by byte."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trustrail.controls.verdict import Verdict
from trustrail.events import Event
from trustrail.objects import Severity


class GateOutcome(StrEnum):
    """Whether a release may go on."""

    PASS = "PASS"  # noqa: S105 - an outcome, not a password
    BLOCK = "BLOCK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The gate's outcome and what decided it."""

    outcome: GateOutcome
    reasons: tuple[str, ...]
    """Why it blocks, in the profile's order; empty on PASS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlJudgement:
    """One control's verdict on a run, after claim limits."""

    control_id: str
    verdict: Verdict
    severity: Severity
    exercised: bool
    """False when the run held nothing this control judges."""
    reason: str
    events: tuple[int, ...]
    """``seq`` of the events relied on."""
    claim: str | None
    """On a PASS that a claim limit caps: the most it says."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "verdict": self.verdict.value,
            "severity": self.severity.value,
            "exercised": self.exercised,
            "reason": self.reason,
            "events": list(self.events),
            "claim": self.claim,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CallVerdict:
    """One control's verdict on one consequential call."""

    control_id: str
    verdict: Verdict
    reason: str
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallJudgement:
    """All controls' verdicts on one consequential call."""

    index: int
    """Position among the consequential calls of the run, from 0."""
    tool: str
    seq: int
    """``seq`` of its ``tool_call`` event."""
    message_index: int | None
    """Position of the recorded message it stands in, from 0; None where the source has no messages."""
    controls: tuple[CallVerdict, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "index": self.index,
            "tool": self.tool,
            "seq": self.seq,
            "message_index": self.message_index,
            "controls": {
                given.control_id: {
                    "verdict": given.verdict.value,
                    "reason": given.reason,
                    "events": list(given.events),
                }
                for given in self.controls
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJudgement:
    """The engine's whole answer on one run."""

    test_run_id: str
    gate: Gate
    controls: tuple[ControlJudgement, ...]
    actions: tuple[CallJudgement, ...]
    missing_evidence: tuple[str, ...]
    """Evidence the profile requires and the stream lacks."""
    unknown_tools: tuple[str, ...]
    """Tools that were called and that the domain pack gives no meaning to."""
    stream: tuple[Event, ...]
    """The events judged, confirmation events included."""

    def to_json(self) -> dict[str, Any]:
        """Return the verdicts as JSON; the stream stands apart, in ``events/``."""
        return {
            "test_run_id": self.test_run_id,
            "gate": self.gate.outcome.value,
            "gate_reasons": list(self.gate.reasons),
            "controls": {control.control_id: control.to_json() for control in self.controls},
            "actions": [action.to_json() for action in self.actions],
            "missing_evidence": list(self.missing_evidence),
            "unknown_tools": list(self.unknown_tools),
        }
