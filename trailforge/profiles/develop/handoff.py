"""Handing a candidate on: only the one that was verified, and only while it is still that one."""

from dataclasses import dataclass
from typing import Any

from trailforge.errors import HandoffRefusedError, TreeChangedError
from trailforge.harness import RunStatus, RunView
from trailforge.profiles.develop.phases import Phase
from trailforge.profiles.develop.profile import DevelopProfile
from trailforge.profiles.develop.rounds import Baseline, adapter_name
from trailforge.work import goal_digest
from trailforge.workspace import TreeEntry
from trustrail.foundation import canonical_json, digest_hex


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """What is handed on, and the run that stands behind it."""

    run_id: str
    goal: str
    """Digest of the goal, 64 hex digits."""
    journal_head: str
    """Head of the run's journal, 64 hex digits."""
    trees: Baseline
    files: tuple[TreeEntry, ...]
    """The whole candidate tree, sorted by path."""

    def to_record(self) -> dict[str, Any]:
        """Return the handoff as a JSON object."""
        return {
            "files": [[file.path, file.size, file.sha256, file.executable] for file in self.files],
            "goal": self.goal,
            "journal_head": self.journal_head,
            "run": self.run_id,
            "trees": self.trees.to_record(),
        }

    @property
    def digest(self) -> str:
        """64 hex digits over the canonical record."""
        return digest_hex(canonical_json(self.to_record()))


def hand_off(profile: DevelopProfile, view: RunView) -> Handoff:
    """Return the handoff of the finished run behind *view*.

    A run completes only when the last round's VERIFY and HEALTH passed, and HEALTH passes only when candidate,
    checks, round and goal are those that were verified; so the trees HEALTH saw are the ones to compare with.

    Raises:
        HandoffRefusedError: if the run has not completed, or is no development.
        TreeChangedError: if the candidate or the checks changed after the last HEALTH.
    """
    if view.status is not RunStatus.COMPLETED:
        raise HandoffRefusedError(f"run {view.run_id} is {view.status}, only one that COMPLETED is handed off")
    goal = view.record.state.goal
    last = goal.tasks[-1]
    if last.adapter != adapter_name(Phase.HEALTH):
        raise HandoffRefusedError(f"run {view.run_id} ends on {last.adapter!r}, a development ends on HEALTH")
    healthy = view.output(last.id)
    verified = Baseline(candidate=healthy["candidate"], checks=healthy["checks"])
    trees = profile.continuity.trees()
    for name, state, digest in (
        ("candidate tree", trees.candidate, verified.candidate),
        ("check tree", trees.checks, verified.checks),
    ):
        if state.digest != digest:
            paths = [entry.path for entry in state.entries]
            raise TreeChangedError(name, paths, "changed after it was verified; it now holds")
    return Handoff(
        run_id=view.run_id,
        goal=goal_digest(goal),
        journal_head=view.head,
        trees=verified,
        files=trees.candidate.entries,
    )
