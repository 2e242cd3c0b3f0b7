"""Files under control: canonical paths, whole writes, tree digests, candidates, artifacts, exact retrieval.

Nothing here knows what a run is; every access goes through a held directory and follows no link.
"""

from trailforge.workspace.artifacts import ArtifactReceipt, ArtifactScope, LocalArtifactStore
from trailforge.workspace.candidate import (
    CandidateFile,
    CandidateWorkspace,
    CandidateWriter,
    FileReceipt,
)
from trailforge.workspace.lines import source_lines
from trailforge.workspace.paths import admit_path, admit_paths
from trailforge.workspace.retrieval import (
    LocalRetrieval,
    MatchedLine,
    MatchRule,
    RetrievalAnswer,
    RetrievedFile,
    Trust,
)
from trailforge.workspace.root import HeldRoot
from trailforge.workspace.tree import TreeEntry, TreeState, read_tree, require_unchanged

__all__ = [
    "ArtifactReceipt",
    "ArtifactScope",
    "CandidateFile",
    "CandidateWorkspace",
    "CandidateWriter",
    "FileReceipt",
    "HeldRoot",
    "LocalArtifactStore",
    "LocalRetrieval",
    "MatchRule",
    "MatchedLine",
    "RetrievalAnswer",
    "RetrievedFile",
    "TreeEntry",
    "TreeState",
    "Trust",
    "admit_path",
    "admit_paths",
    "read_tree",
    "require_unchanged",
    "source_lines",
]
