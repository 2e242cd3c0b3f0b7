"""Handing a candidate on: only the one that was verified, and only while it is still that one."""

from dataclasses import dataclass
from typing import Any

from trailforge.errors import HandoffRefusedError, TreeChangedError
from trailforge.harness import RunStatus, RunView
from trailforge.profiles.develop.phases import Phase
from trailforge.profiles.develop.profile import DevelopProfile
from trailforge.profiles.develop.rounds import Baseline, task_id
from trailforge.work import Verdict, goal_digest
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

    Raises:
        HandoffRefusedError: if the run has not completed, or its last evidence is not about these trees.
        TreeChangedError: if the candidate or the checks changed after the last HEALTH.
    """
    if view.status is not RunStatus.COMPLETED:
        raise HandoffRefusedError(f"run {view.run_id} is {view.status}, only one that COMPLETED is handed off")
    goal = view.record.state.goal
    rounds = max(task.input["round"] for task in goal.tasks)
    outputs = {phase: view.output(task_id(rounds, phase)) for phase in (Phase.VERIFY, Phase.HEALTH)}
    for phase, output in outputs.items():
        if output["verdict"] != Verdict.PASS.value:
            raise HandoffRefusedError(f"run {view.run_id} has {phase} {output['verdict']}, expected PASS")
    verified, healthy = (
        Baseline(candidate=output["candidate"], checks=output["checks"]) for output in outputs.values()
    )
    if verified != healthy or outputs[Phase.VERIFY]["goal"] != goal_digest(goal):
        raise HandoffRefusedError(f"run {view.run_id} verified another candidate, check tree or goal")
    trees = profile.continuity.trees()
    if trees.digests() != verified:
        changed = "candidate" if trees.candidate.digest != verified.candidate else "check"
        state = trees.candidate if changed == "candidate" else trees.checks
        paths = [entry.path for entry in state.entries]
        raise TreeChangedError(f"{changed} tree", paths, "changed after it was verified; it now holds")
    return Handoff(
        run_id=view.run_id,
        goal=goal_digest(goal),
        journal_head=view.head,
        trees=verified,
        files=trees.candidate.entries,
    )
