"""The six phases of a development round, and what the host's part of each is given."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from trailforge.work import AdapterKind, Effect, Verdict
from trailforge.workspace import CandidateWorkspace, CandidateWriter


class Phase(StrEnum):
    """The phases of one round, in their order."""

    PLAN = "PLAN"
    RESEARCH = "RESEARCH"
    BUILD = "BUILD"  #: the only one that may write candidates
    DEBUG = "DEBUG"
    VERIFY = "VERIFY"  #: judges the candidate against the protected checks
    HEALTH = "HEALTH"  #: built in: the candidate is still the one that was verified


HOST_PHASES = (Phase.PLAN, Phase.RESEARCH, Phase.BUILD, Phase.DEBUG, Phase.VERIFY)
"""Phases a host brings an adapter for."""

READING_EFFECTS = (Effect.PURE, Effect.SCOPED_READ)
"""What every phase but BUILD may do."""

KINDS: Mapping[Phase, AdapterKind] = {
    Phase.PLAN: AdapterKind.PLAN,
    Phase.RESEARCH: AdapterKind.RESEARCH,
    Phase.BUILD: AdapterKind.BUILD,
    Phase.DEBUG: AdapterKind.DEBUG,
    Phase.VERIFY: AdapterKind.VERIFY,
    Phase.HEALTH: AdapterKind.VERIFY,
}
"""Integration role of each phase in the neutral plan."""


class CandidateView:
    """The candidates for a phase that may only read them.

    Attributes:
        paths: the admitted paths, sorted.
        root: directory of the tree, for a runner to mount read-only.
    """

    def __init__(self, workspace: CandidateWorkspace) -> None:
        self._workspace = workspace
        self.paths = workspace.paths
        self.root = workspace.root.location

    def read(self, path: str) -> bytes:
        """Return the bytes of the candidate *path*, as `CandidateWorkspace.read` does."""
        return self._workspace.read(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseContext:
    """What the host's part of one phase is given."""

    phase: Phase
    round: int
    """From 1."""
    objective: str
    goal_digest: str
    """64 hex digits."""
    attempt: int
    """From 1."""
    earlier: Mapping[str, Any]
    """Results of the phases before it in this round, and of the last round's VERIFY, by task id."""
    candidate: CandidateView
    writer: CandidateWriter | None
    """Only in BUILD; every write first renews the lease, and is refused once it is lost."""
    checks: Path | None
    """Root of the protected checks, only in VERIFY; to be read or mounted read-only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the host's VERIFY returns."""

    verdict: Verdict
    details: Any
    """JSON: receipts, judgements, reasons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPhase:
    """The host's part of one phase.

    Change `version` whenever what it does changes: code, model or prompt.
    """

    call: Callable[[PhaseContext], Any]
    """Returns JSON; in VERIFY an `Evidence`."""
    version: str
    effect: Effect = Effect.PURE
    """PURE or SCOPED_READ; BUILD is CANDIDATE_WRITE whatever is said here."""
    units: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
