"""Where a run stands: one frozen value, and its canonical text, the checkpoint."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from trailforge.work import Goal, Task
from trustrail.foundation import GENESIS, canonical_json


class RunStatus(StrEnum):
    """What a run is waiting for, or how it ended."""

    READY = "READY"  #: the next attempt may begin
    RUNNING = "RUNNING"  #: one attempt holds the lease
    PAUSED = "PAUSED"  #: stopped on request after an accepted result; approves nothing
    WAITING = "WAITING"  #: the tenant's or the store's units do not cover the next attempt
    UNKNOWN = "UNKNOWN"  #: an attempt's outcome is in doubt; a trusted host decides RETRY or CANCEL
    COMPLETED = "COMPLETED"  #: every task has a receipt and every required check says PASS
    FAILED = "FAILED"  #: a required check says FAIL
    CANCELLED = "CANCELLED"  #: nothing more will be committed; what was started may still happen outside
    EXHAUSTED = "EXHAUSTED"  #: a limit of the goal leaves no further attempt


TERMINAL: Final = frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.EXHAUSTED})
"""States no event leaves."""

RUNNABLE: Final = frozenset({RunStatus.READY, RunStatus.PAUSED, RunStatus.WAITING})
"""States in which an attempt may begin. Waiting in them holds no lease and no unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right of one attempt to commit its result."""

    attempt: int
    epoch: int
    """Fencing number; every later attempt or decision has a higher one."""
    holder: str
    """Token of the process life that runs it, never a name that a restart could share."""
    expires_at: int
    """Milliseconds since 1970 on the authority's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Why a run waits for someone, or why it ended short."""

    task: str
    reason: str
    detail: str
    since: int
    """Milliseconds since 1970 on the authority's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """A run after some events. The goal is part of the value but not of the checkpoint."""

    goal: Goal
    events: int = 0
    """Events so far."""
    status: RunStatus = RunStatus.READY
    position: int = 0
    """Tasks with an accepted receipt; the index of the current task."""
    attempts: int = 0
    """Attempts of the current task begun so far; no retry resets it."""
    attempts_total: int = 0
    epoch: int = 0
    units_used: int = 0
    """Units reserved so far by every attempt; never falls."""
    started_at: int = 0
    clock: int = 0
    """Latest time the run has seen; time within a run never goes back."""
    results: bytes = GENESIS
    """Chain over the receipts' digests."""
    lease: Lease | None = None
    hold: Hold | None = None

    @property
    def task(self) -> Task:
        """The task whose turn it is."""
        return self.goal.tasks[self.position]

    @property
    def deadline(self) -> int:
        """When attempts may no longer begin, in milliseconds."""
        return self.started_at + self.goal.limits.deadline_seconds * 1000


def checkpoint_text(state: RunState) -> str:
    """Return the canonical JSON of *state* that is stored with each transition."""
    lease, hold = state.lease, state.hold
    return canonical_json(
        {
            "status": state.status.value,
            "position": state.position,
            "attempts": state.attempts,
            "attempts_total": state.attempts_total,
            "epoch": state.epoch,
            "units_used": state.units_used,
            "started_at": state.started_at,
            "clock": state.clock,
            "results": state.results.hex(),
            "lease": lease
            and {
                "attempt": lease.attempt,
                "epoch": lease.epoch,
                "holder": lease.holder,
                "expires_at": lease.expires_at,
            },
            "hold": hold and {"task": hold.task, "reason": hold.reason, "detail": hold.detail, "since": hold.since},
        }
    ).decode()
