"""What a host may watch: counts of signals and durations, nothing else.

No prompt, source text, token, actor, provider, tenant, run or task ever becomes an attribute; the full records stay
in the authority. `OpenTelemetry` needs the OpenTelemetry API, which does nothing until a host installs an SDK.
Telemetry is recorded after a transaction, never inside one, and a watcher that fails changes nothing: its counts are a
copy of what the store has.
"""

from contextlib import suppress
from enum import StrEnum
from typing import Final, Protocol

from trailforge.errors import MissingExtraError


class Signal(StrEnum):
    """What is counted."""

    RUN_STARTED = "run_started"
    RUN_ENDED = "run_ended"
    ATTEMPT_SUCCEEDED = "attempt_succeeded"
    ATTEMPT_HELD = "attempt_held"  #: an attempt's outcome is UNKNOWN
    BUDGET_DENIED = "budget_denied"  #: a limit or a cap left no further attempt
    STALE_LEASE = "stale_lease"  #: a lease ended before its result, or a late result was refused
    AMBIGUOUS_PUBLICATION = "ambiguous_publication"  #: a publication's outcome is UNKNOWN
    DISPATCH_EXHAUSTED = "dispatch_exhausted"  #: an outbox message used up its deliveries
    CLEANUP_FAILED = "cleanup_failed"  #: a workspace, process or temporary file could not be removed


REFUSED: Final = "REFUSED"
"""State of an attempt whose result was not recorded, since the run had been cancelled or had moved on."""


class Telemetry(Protocol):
    """Where signals and durations go."""

    def count(self, signal: Signal, state: str = "") -> None:
        """Count one *signal*, with the state it left behind."""
        ...

    def duration(self, milliseconds: int, state: str) -> None:
        """Record how long an attempt took, with the state it left behind."""
        ...


class NoTelemetry:
    """Watches nothing; the default."""

    def count(self, signal: Signal, state: str = "") -> None:
        """Ignore the signal."""

    def duration(self, milliseconds: int, state: str) -> None:
        """Ignore the duration."""


class _Unfailing:
    """Passes on to a watcher of the host and drops what it raises."""

    def __init__(self, watcher: Telemetry) -> None:
        self._watcher = watcher

    def count(self, signal: Signal, state: str = "") -> None:
        """Count one *signal* where that can be done."""
        with suppress(Exception):
            self._watcher.count(signal, state)

    def duration(self, milliseconds: int, state: str) -> None:
        """Record how long an attempt took where that can be done."""
        with suppress(Exception):
            self._watcher.duration(milliseconds, state)


def unfailing(watcher: Telemetry | None) -> Telemetry:
    """Return a telemetry that never raises: *watcher* guarded, or one that watches nothing when there is none."""
    return NoTelemetry() if watcher is None else _Unfailing(watcher)


class OpenTelemetry:
    """Counts through the global OpenTelemetry meter provider, under ``trailforge.*``.

    Raises:
        MissingExtraError: if the OpenTelemetry API is not installed.
    """

    def __init__(self) -> None:
        try:
            from opentelemetry import metrics
        except ImportError as error:
            raise MissingExtraError("telemetry", "otel") from error
        meter = metrics.get_meter("trailforge")
        self._counters = {signal: meter.create_counter(f"trailforge.{signal.value}", unit="1") for signal in Signal}
        self._attempts = meter.create_histogram("trailforge.attempt_duration", unit="ms")

    def count(self, signal: Signal, state: str = "") -> None:
        """Add one to the counter of *signal*."""
        self._counters[signal].add(1, {"state": state} if state else {})

    def duration(self, milliseconds: int, state: str) -> None:
        """Record an attempt's duration in milliseconds."""
        self._attempts.record(milliseconds, {"state": state})
