"""Continuity: every phase starts from the trees the last one ended on, and changes only what it may.

The candidate and the checks are digested before and after every phase. A phase that finds, or leaves, anything
else raises, which leaves its attempt UNKNOWN; it is never a success.
"""

from dataclasses import dataclass
from typing import Any

from trailforge.errors import TreeChangedError
from trailforge.profiles.develop.phases import Phase
from trailforge.profiles.develop.rounds import Baseline
from trailforge.workspace import (
    ArtifactReceipt,
    ArtifactScope,
    CandidateFile,
    CandidateWorkspace,
    HeldRoot,
    LocalArtifactStore,
    TreeState,
    read_tree,
    require_unchanged,
)
from trustrail.foundation import canonical_json, parse_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """Both trees at one moment."""

    candidate: TreeState
    checks: TreeState

    def digests(self) -> Baseline:
        """Return the digests of both."""
        return Baseline(candidate=self.candidate.digest, checks=self.checks.digest)


class Continuity:
    """Watches the candidate and its protected checks.

    Args:
        workspace: the candidates.
        checks: the protected criteria, outside the candidate tree.
        artifacts: where snapshots of the candidates are kept.
    """

    def __init__(self, workspace: CandidateWorkspace, checks: HeldRoot, artifacts: LocalArtifactStore) -> None:
        self._workspace = workspace
        self._checks = checks
        self._artifacts = artifacts

    def trees(self) -> Trees:
        """Return both trees as they are now.

        Raises:
            PathRefusedError: if a root's name leads to another directory by now: VERIFY and runners go by the name.
            PathRefusedError, LinkedFileError, PathListError, TooManyBytesError: as `read_tree` does.
        """
        self._workspace.root.require_in_place()
        self._checks.require_in_place()
        return Trees(candidate=self._workspace.tree(), checks=read_tree(self._checks))

    def require(self, expected: Baseline) -> Trees:
        """Return both trees if they are the *expected* ones.

        Raises:
            TreeChangedError: naming the tree that is not.
        """
        trees = self.trees()
        for name, found, wanted in (
            ("check tree", trees.checks, expected.checks),
            ("candidate tree", trees.candidate, expected.candidate),
        ):
            if found.digest != wanted:
                paths = [entry.path for entry in found.entries]
                problem = f"is {found.digest[:12]}…, the last phase left {wanted[:12]}…; it holds"
                raise TreeChangedError(name, paths, problem)
        return trees

    def require_allowed_change(self, before: Trees, phase: Phase) -> Trees:
        """Return both trees if *phase* changed only what it may since *before*.

        Raises:
            TreeChangedError: naming every other path that changed.
        """
        after = self.trees()
        require_unchanged("check tree", before.checks, after.checks)
        allowed = frozenset(self._workspace.paths) if phase is Phase.BUILD else frozenset()
        require_unchanged("candidate tree", before.candidate, after.candidate, allowed=allowed)
        return after

    def keep_snapshot(self, scope: ArtifactScope) -> dict[str, Any]:
        """Keep the candidates as artifacts and return the receipt of their list as a JSON object."""
        rows = []
        for path, file in sorted(self._workspace.snapshot().items()):
            receipt = self._artifacts.put(scope, file.data)
            rows.append({"executable": file.executable, "file": receipt.to_record(), "path": path})
        return self._artifacts.put(scope, canonical_json(rows)).to_record()

    def restore_snapshot(self, scope: ArtifactScope, receipt: dict[str, Any]) -> None:
        """Make the candidates what they were when the snapshot behind *receipt* was kept.

        Raises:
            ArtifactError: if a part of it is missing or corrupt; then nothing is written.
        """
        rows = parse_json(self._artifacts.get(scope, ArtifactReceipt(**receipt)))
        files = {
            row["path"]: CandidateFile(
                data=self._artifacts.get(scope, ArtifactReceipt(**row["file"])), executable=row["executable"]
            )
            for row in rows
        }
        self._workspace.restore(files)
