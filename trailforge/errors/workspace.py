"""Paths, trees, artifacts and sources that may not be used, or are no longer what they were."""

from collections.abc import Sequence
from typing import Final

from trailforge.errors.root import TrailforgeError
from trailforge.errors.showing import shown

MAX_SHOWN: Final = 1_100
"""Characters of a path in a message; ours, room for the longest path that may be used."""


class PathRefusedError(TrailforgeError, ValueError):
    """A path, or what it leads to, may not be used; nothing was read or written.

    Attributes:
        path: the path as it was given.
        problem: what is wrong with it.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"path {shown(path, MAX_SHOWN)} {problem}")
        self.path = path
        self.problem = problem


class PathListError(TrailforgeError, ValueError):
    """A list of paths was refused as a whole; every problem is in the message.

    Attributes:
        problems: one sentence each, in the order of the list.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class LinkedFileError(PathRefusedError):
    """A path leads over a link, or names a file that has another name too; nothing was read or written."""


class TooManyBytesError(TrailforgeError, ValueError):
    """Something is larger than its bound; none of it was kept.

    Attributes:
        subject: what is too large.
        actual: its size in bytes.
        limit: the bound in bytes.
    """

    def __init__(self, subject: str, *, actual: int, limit: int) -> None:
        super().__init__(f"{subject} has {actual} bytes, expected at most {limit}")
        self.subject = subject
        self.actual = actual
        self.limit = limit


class NotBytesError(TrailforgeError, TypeError):
    """Something else than bytes was to be kept; nothing was written."""


class BoundRefusedError(TrailforgeError, ValueError):
    """A bound is no number of bytes; nothing was opened."""


class TreeChangedError(TrailforgeError):
    """A tree differs from the one that was recorded; whatever relied on it was not accepted.

    Attributes:
        tree: which tree.
        paths: the paths that were added, changed or removed.
    """

    def __init__(self, tree: str, paths: Sequence[str], problem: str) -> None:
        super().__init__(f"{tree} {problem}: {', '.join(paths)}")
        self.tree = tree
        self.paths = tuple(paths)


class WriteEndedError(TrailforgeError):
    """An attempt that has ended tried to write a candidate; nothing was written.

    Attributes:
        path: the candidate.
    """

    def __init__(self, path: str) -> None:
        super().__init__(f"candidate {path!r} may not be written: the attempt that held the writer has ended")
        self.path = path


class WorkspaceBusyError(TrailforgeError):
    """Another holder has this directory open; nothing was read or written. Close that holder first."""

    def __init__(self, location: str) -> None:
        super().__init__(f"directory {location} is held by another workspace; close that one first")
        self.location = location


class ArtifactError(TrailforgeError):
    """An artifact cannot be kept or handed out; the store is as it was.

    Attributes:
        sha256: the digest the artifact is named by, 64 hex digits.
    """

    def __init__(self, sha256: str, problem: str) -> None:
        super().__init__(f"artifact {sha256[:12]}… {problem}")
        self.sha256 = sha256


class MissingArtifactError(ArtifactError, KeyError):
    """No artifact with this digest is kept in this scope."""

    def __str__(self) -> str:
        return str(self.args[0])


class CorruptArtifactError(ArtifactError):
    """The bytes on disk are not those the receipt names; they were not handed out."""


class RevisionChangedError(TrailforgeError):
    """The source is not at the revision it was asked for; nothing was returned.

    Attributes:
        expected: the revision that was asked for.
        actual: the revision that is there.
    """

    def __init__(self, subject: str, *, expected: str, actual: str) -> None:
        super().__init__(f"{subject} is at revision {actual}, expected {expected}")
        self.expected = expected
        self.actual = actual


class QueryRefusedError(TrailforgeError, ValueError):
    """A query cannot be answered as asked; nothing was searched."""


class HandoffRefusedError(TrailforgeError):
    """A candidate is not handed off: its run, its evidence or its trees do not support it; nothing changed."""
