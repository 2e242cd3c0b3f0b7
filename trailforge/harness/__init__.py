"""Bounded execution: pure transitions over a run's state, and the thin shell that calls adapters and commits."""

from trailforge.harness.events import Decision, Doubt
from trailforge.harness.harness import Harness
from trailforge.harness.record import RunRecord, restore
from trailforge.harness.state import RUNNABLE, TERMINAL, Hold, RunStatus
from trailforge.harness.telemetry import NoTelemetry, OpenTelemetry, Signal, Telemetry
from trailforge.harness.view import RunView

__all__ = [
    "RUNNABLE",
    "TERMINAL",
    "Decision",
    "Doubt",
    "Harness",
    "Hold",
    "NoTelemetry",
    "OpenTelemetry",
    "RunRecord",
    "RunStatus",
    "RunView",
    "Signal",
    "Telemetry",
    "restore",
]
