"""The clock port. Only `SystemClock` reads the machine's time, and no simulation uses it."""

import time
from typing import Protocol


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> float:
        """Return seconds since 1970-01-01T00:00:00Z."""
        ...


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> float:
        """Return seconds since 1970-01-01T00:00:00Z."""
        return time.time()


class FixedClock:
    """A clock that moves only when told, for tests and replays."""

    def __init__(self, at: float = 0.0) -> None:
        self.at = at

    def now(self) -> float:
        """Return the seconds it was set to."""
        return self.at

    def advance(self, seconds: float) -> None:
        """Move the clock forward by *seconds*."""
        self.at += seconds
