"""Handing a candidate on: only the one that was verified, and only while it is still that one.

A run proves a candidate only if it is a development of this very profile: its goal is the one the profile declares,
its adapters are the profile's down to version and settings, and it is the host's own work in the host's own store.
"""

from dataclasses import dataclass
from typing import Any

from trailforge.errors import AdmissionError, BindingChangedError, HandoffRefusedError, TreeChangedError
from trailforge.harness import RunStatus, RunView
from trailforge.profiles.develop.phases import Phase
from trailforge.profiles.develop.profile import DevelopProfile
from trailforge.profiles.develop.rounds import Baseline, task_id
from trailforge.work import bind, goal_digest, require_same_binding
from trailforge.workspace import TreeEntry
from trustrail.foundation import canonical_json, digest_hex


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """What is handed on, and the run that stands behind it."""

    run_id: str
    store: str
    """Identity of the store that has the run."""
    tenant: str
    resource: str
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
            "resource": self.resource,
            "run": self.run_id,
            "store": self.store,
            "tenant": self.tenant,
            "trees": self.trees.to_record(),
        }

    @property
    def digest(self) -> str:
        """64 hex digits over the canonical record."""
        return digest_hex(canonical_json(self.to_record()))


def hand_off(profile: DevelopProfile, view: RunView, *, tenant: str, resource: str, store: str) -> Handoff:
    """Return the handoff of the finished run behind *view*.

    A run completes only when the last round's VERIFY and HEALTH passed, and HEALTH passes only when candidate,
    checks, round and goal are those that were verified; so the trees HEALTH saw are the ones to compare with.

    Args:
        profile: the profile that developed the candidate.
        view: the run.
        tenant: whose candidate is handed on.
        resource: what was developed.
        store: identity of the store the run is kept in, `Authority.store_id`.

    Raises:
        HandoffRefusedError: if the run has not completed, or is no development of *profile* for *tenant* and
            *resource* in *store*, naming what differs.
        TreeChangedError: if the candidate or the checks changed after the last HEALTH.
    """
    if view.status is not RunStatus.COMPLETED:
        raise HandoffRefusedError(f"run {view.run_id} is {view.status}, only one that COMPLETED is handed off")
    _require_development(profile, view, tenant=tenant, resource=resource, store=store)
    goal = view.record.state.goal
    verified = _verified_trees(view)
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
        store=store,
        tenant=tenant,
        resource=resource,
        goal=goal_digest(goal),
        journal_head=view.head,
        trees=verified,
        files=trees.candidate.entries,
    )


def _require_development(profile: DevelopProfile, view: RunView, *, tenant: str, resource: str, store: str) -> None:
    """Return if the run is bound to exactly what *profile* would start for *tenant* and *resource* in *store*."""
    record = view.record
    adapters = {adapter.name: adapter for adapter in profile.adapters()}
    try:
        goal = profile.declared(record.state.goal, tenant=tenant, resource=resource)
        require_same_binding(view.run_id, record.binding, bind(goal, adapters, store))
    except AdmissionError as error:
        raise HandoffRefusedError(f"run {view.run_id} is no development: {error}") from error
    except BindingChangedError as error:
        raise HandoffRefusedError(
            f"run {view.run_id} is not the development to hand on: "
            f"its {error.field} is {error.admitted}, expected {error.offered}"
        ) from error


def _verified_trees(view: RunView) -> Baseline:
    """Return the trees that the last round's VERIFY judged and HEALTH found again."""
    goal = view.record.state.goal
    number = len(goal.tasks) // len(Phase)
    verified, healthy = (view.output(task_id(number, phase)) for phase in (Phase.VERIFY, Phase.HEALTH))
    found = {tree: healthy.get(tree) for tree in Baseline.__dataclass_fields__}
    for name, value in {**found, "goal": goal_digest(goal), "round": number}.items():
        if value is None or verified.get(name) != value:
            problem = f"VERIFY judged {name} {verified.get(name)}, expected {value}"
            raise HandoffRefusedError(f"run {view.run_id} contradicts itself: {problem}")
    return Baseline(**found)
