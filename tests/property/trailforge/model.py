"""An independent model of one run: what a reader of the rules would expect, kept in plain numbers.

It shares nothing with the implementation. UNKNOWN is left open in both directions: the model only says what may be
committed, charged and called, never whether an effect in doubt happened.
"""

from dataclasses import dataclass, field

WORKS = ("work-1", "work-2")
UNITS = 1
MAX_ATTEMPTS = 3
MAX_UNITS = 6
LEASE_MS = 60_000
TASKS = len(WORKS) + 1


@dataclass
class Model:
    """The expected state of a run and of the ledgers it moves."""

    cap: int
    """Units the store lets out in all."""
    reattempts: bool
    status: str = "READY"
    done: int = 0
    attempts: int = 0
    begun: int = 0
    used: int = 0
    reserved: int = 0
    spent: int = 0
    time: int = 0
    lease_end: int = 0
    holds: int = 0
    """Entries into a state in which the run waits or ended short."""
    calls: dict[str, int] = field(default_factory=dict)

    def see(self, now: int) -> None:
        """Time within a run never goes back."""
        self.time = max(self.time, now)

    def begin(self, now: int) -> bool:
        """Begin the next attempt when limits and caps allow it."""
        if self.attempts == MAX_ATTEMPTS or self.used + UNITS > MAX_UNITS:
            self.see(now)
            self.status = "EXHAUSTED"
            self.holds += 1
            return False
        if self.reserved + self.spent + UNITS > self.cap:
            if self.status != "WAITING":  # a run that waits already is not told again, and nothing is written
                self.see(now)
                self.holds += 1
            self.status = "WAITING"
            return False
        self.see(now)
        self.status = "RUNNING"
        self.attempts += 1
        self.begun += 1
        self.used += UNITS
        self.reserved += UNITS
        self.lease_end = self.time + LEASE_MS
        return True

    def settle(self) -> None:
        self.reserved -= UNITS
        self.spent += UNITS

    def succeed(self, now: int) -> None:
        self.see(now)
        if self.time >= self.lease_end:
            self.hold()
            return
        self.settle()
        self.done += 1
        self.attempts = 0
        self.status = "COMPLETED" if self.done == TASKS else "READY"

    def hold(self) -> None:
        self.status = "UNKNOWN"
        self.holds += 1

    def crash_found(self, now: int) -> None:
        """Another process met the attempt after its lease, or was told that its process is dead."""
        self.see(now)
        if self.reattempts:
            self.settle()
            self.status = "READY"
        else:
            self.hold()

    def retry(self, now: int) -> bool:
        if self.status != "UNKNOWN" or self.attempts == MAX_ATTEMPTS:
            return False
        self.see(now)
        self.settle()
        self.status = "READY"
        return True

    def cancel(self, now: int) -> bool:
        if self.status in ("COMPLETED", "CANCELLED", "EXHAUSTED"):
            return False
        self.see(now)
        if self.status in ("RUNNING", "UNKNOWN"):
            self.settle()
        self.status = "CANCELLED"
        return True
