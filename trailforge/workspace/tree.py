"""Digests of whole trees, to see what changed between two moments.

The digest is SHA-256 over the canonical JSON of ``[[path, bytes, sha256, executable], …]`` sorted by path: it
depends on names, contents and the owner's executable bit, and on nothing a copy of the tree would change. As in
Git, a tree is its files. A folder is there because a file is in it: an empty one is not part of the tree, since nothing
that is handed on or restored would bring it along. Other mode bits, owners and times are not part of it either, since
they depend on who made the copy (umask, user), not on what was made.
"""

import stat
from dataclasses import dataclass
from typing import Final

from trailforge.errors import PathListError, PathRefusedError, TooManyBytesError, TreeChangedError
from trailforge.workspace.descriptors import require_single_regular
from trailforge.workspace.paths import path_problem
from trailforge.workspace.root import HeldRoot
from trustrail.foundation import canonical_json, digest_hex

MAX_TREE_FILES: Final = 4096
"""Most files a tree may have; ours, well above any candidate and its checks."""

MAX_TREE_BYTES: Final = 64 * 1024 * 1024
"""Most bytes all files of a tree may have together; ours, so that one digest takes well under a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """One file of a tree."""

    path: str
    size: int
    """Bytes."""
    sha256: str
    executable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeState:
    """What a tree held at one moment."""

    entries: tuple[TreeEntry, ...]
    """Sorted by path."""
    digest: str
    """64 hex digits."""

    def changed(self, later: "TreeState") -> tuple[str, ...]:
        """Return the paths that were added, changed or removed from this state to *later*, sorted."""
        before = {entry.path: entry for entry in self.entries}
        after = {entry.path: entry for entry in later.entries}
        return tuple(sorted(path for path in before | after if before.get(path) != after.get(path)))


def tree_state(entries: list[TreeEntry]) -> TreeState:
    """Return the state of a tree with the given *entries*."""
    ordered = sorted(entries, key=lambda entry: entry.path)
    rows = [[entry.path, entry.size, entry.sha256, entry.executable] for entry in ordered]
    return TreeState(entries=tuple(ordered), digest=digest_hex(canonical_json(rows)))


def read_tree(root: HeldRoot) -> TreeState:
    """Return the state of everything below *root*.

    Raises:
        PathRefusedError: if something in the tree is not a regular file, or its path is not canonical.
        LinkedFileError: if a file in the tree is a link or has another name.
        TooManyBytesError: if the files are larger than `MAX_TREE_BYTES` together.
        PathListError: if there are more than `MAX_TREE_FILES` files.
    """
    entries: list[TreeEntry] = []
    total = 0
    for path, status in root.entries():
        problem = path_problem(path)
        if problem is not None:
            raise PathRefusedError(path, problem)
        require_single_regular(status, path)
        if len(entries) == MAX_TREE_FILES:
            raise PathListError((f"tree {root.location} has more than {MAX_TREE_FILES} files",))
        data = root.read(path, limit=MAX_TREE_BYTES)
        total += len(data)
        if total > MAX_TREE_BYTES:
            raise TooManyBytesError(f"tree {root.location}", actual=total, limit=MAX_TREE_BYTES)
        executable = bool(status.st_mode & stat.S_IXUSR)
        entries.append(TreeEntry(path=path, size=len(data), sha256=digest_hex(data), executable=executable))
    return tree_state(entries)


def require_unchanged(tree: str, before: TreeState, after: TreeState, *, allowed: frozenset[str] = frozenset()) -> None:
    """Return if nothing but the *allowed* paths differs between *before* and *after*.

    Raises:
        TreeChangedError: naming *tree* and every other path that differs.
    """
    changed = tuple(path for path in before.changed(after) if path not in allowed)
    if changed:
        raise TreeChangedError(tree, changed, "was changed without permission")
