"""CandidateWorkspace: the few files a run may propose, and nothing else.

An explicit list of 1 to 128 canonical paths is admitted when the workspace is opened. Reading is open to
every holder; writing goes through `CandidateWriter`, which only the holder of write permission is given.
Everything else in the tree may be read by host code but must never change: the state of the whole tree,
before and after, shows it if it did.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from trailforge.errors import PathListError, PathRefusedError, TooManyBytesError, WriteEndedError
from trailforge.workspace.bounds import require_bound, require_bytes
from trailforge.workspace.descriptors import OpenBeneath
from trailforge.workspace.paths import admit_paths, alias_problems, folder_problems
from trailforge.workspace.root import HeldRoot
from trailforge.workspace.tree import TreeState, read_tree, require_unchanged
from trustrail.foundation import digest_hex

DEFAULT_FILE_BYTES: Final = 1024 * 1024
"""Bound of one candidate file in bytes unless the host sets another; ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFile:
    """The content of one candidate."""

    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReceipt:
    """What one write put on disk."""

    path: str
    size: int
    """Bytes."""
    sha256: str


class CandidateWorkspace:
    """The candidate files below one root.

    Attributes:
        paths: the admitted paths, sorted.
        max_file_bytes: bound of one candidate file in bytes.
    """

    def __init__(
        self,
        root: Path,
        paths: Sequence[str],
        *,
        max_file_bytes: int = DEFAULT_FILE_BYTES,
        opener: OpenBeneath | None = None,
    ) -> None:
        """Open the workspace below *root* and remove what an interrupted write left there.

        Args:
            root: an existing directory.
            paths: 1 to 128 canonical paths below it.
            max_file_bytes: bound of one candidate file in bytes.
            opener: how files are opened; by default what the kernel offers.

        Raises:
            PathListError: naming every problem of *paths*.
            PathRefusedError: if *root* is not a directory.
            WorkspaceBusyError: if another holder has the workspace open.
            LinkedFileError: if a candidate already there is a link or has another name.
            TooManyBytesError: if a candidate already there is larger than the bound.
            BoundRefusedError: if *max_file_bytes* is no number of bytes.
        """
        self.paths = admit_paths(paths)
        require_bound("max_file_bytes", max_file_bytes)
        self.max_file_bytes = max_file_bytes
        self._root = HeldRoot(root, opener=opener, exclusive=True)
        try:
            self._root.clean()
            self.tree()
        except BaseException:
            self._root.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._root.close()

    @property
    def root(self) -> HeldRoot:
        """The held root directory."""
        return self._root

    def read(self, path: str) -> bytes:
        """Return the bytes of the candidate *path*.

        Raises:
            PathRefusedError: if *path* was not admitted or does not exist.
            LinkedFileError: if it is, or is reached over, a link, or has another name.
            TooManyBytesError: if it is larger than the bound.
        """
        self.require_admitted(path)
        return self._root.read(path, limit=self.max_file_bytes)

    def tree(self) -> TreeState:
        """Return the state of the whole tree.

        Raises:
            PathRefusedError, LinkedFileError, PathListError, TooManyBytesError: as `read_tree` does; also when a
                file or folder in the tree is an alias of a candidate, or a candidate is above its bound.
        """
        state = read_tree(self._root)
        admitted = frozenset(self.paths)
        problems = alias_problems(sorted(admitted.union(entry.path for entry in state.entries)))
        problems += folder_problems(self.paths, sorted(self._root.folders()))
        if problems:
            raise PathListError(problems)
        for entry in state.entries:
            if entry.path in admitted and entry.size > self.max_file_bytes:
                raise TooManyBytesError(f"candidate {entry.path!r}", actual=entry.size, limit=self.max_file_bytes)
        return state

    def require_only_candidates_changed(self, before: TreeState) -> TreeState:
        """Return the state of the tree now, if only candidates differ from *before*.

        Raises:
            TreeChangedError: naming every other path that differs.
        """
        after = self.tree()
        require_unchanged("candidate tree", before, after, allowed=frozenset(self.paths))
        return after

    def writer(self, still_permitted: Callable[[], None] | None = None) -> "CandidateWriter":
        """Return the means to write candidates.

        Args:
            still_permitted: called before each write; raises when the permission has ended, for example
                because the lease of the attempt was lost.
        """
        return CandidateWriter(self, still_permitted)

    def snapshot(self) -> dict[str, CandidateFile]:
        """Return the content of every candidate that exists, by path.

        Raises:
            PathRefusedError, LinkedFileError, PathListError, TooManyBytesError: as `tree` does.
        """
        admitted = frozenset(self.paths)
        return {
            entry.path: CandidateFile(data=self.read(entry.path), executable=entry.executable)
            for entry in self.tree().entries
            if entry.path in admitted
        }

    def restore(self, files: Mapping[str, CandidateFile]) -> None:
        """Make the candidates hold exactly *files*: write those that differ, remove those not in it.

        Raises:
            PathRefusedError: if *files* names a path that was not admitted; then nothing is written.
        """
        for path in files:
            self.require_admitted(path)
        present = self.snapshot()
        for path in self.paths:
            if path not in files and path in present:
                self._root.remove(path)
            elif path in files and present.get(path) != files[path]:
                self._root.replace(path, files[path].data, executable=files[path].executable)

    def require_admitted(self, path: str) -> None:
        """Return if *path* is one of the admitted paths.

        Raises:
            PathRefusedError: if it is not.
        """
        if path not in self.paths:
            raise PathRefusedError(path, f"is not one of the {len(self.paths)} candidates of this workspace")


class CandidateWriter:
    """Writes candidates for as long as its holder may.

    Attributes:
        receipts: what was written, in order.
    """

    def __init__(self, workspace: CandidateWorkspace, still_permitted: Callable[[], None] | None) -> None:
        self._workspace = workspace
        self._still_permitted = still_permitted
        self._ended = False
        self.receipts: list[FileReceipt] = []

    def read(self, path: str) -> bytes:
        """Return the bytes of the candidate *path*, as `CandidateWorkspace.read` does."""
        return self._workspace.read(path)

    def write(self, path: str, data: bytes, *, executable: bool = False) -> FileReceipt:
        """Replace the candidate *path* with *data*, as a whole and on disk when the call returns.

        Raises:
            PathRefusedError: if *path* was not admitted.
            LinkedFileError: if what is there is a link or has another name; it is left as it was.
            TooManyBytesError: if *data* is larger than the bound; the old file is left as it was.
            NotBytesError: if *data* is not ``bytes``.
            WriteEndedError: if this writer's permission has ended.
        """
        self._require_permission(path)
        require_bytes(f"candidate {path!r}", data)
        if len(data) > self._workspace.max_file_bytes:
            limit = self._workspace.max_file_bytes
            raise TooManyBytesError(f"candidate {path!r}", actual=len(data), limit=limit)
        self._workspace.root.replace(path, data, executable=executable)
        receipt = FileReceipt(path=path, size=len(data), sha256=digest_hex(data))
        self.receipts.append(receipt)
        return receipt

    def remove(self, path: str) -> None:
        """Remove the candidate *path*.

        Raises:
            PathRefusedError: if *path* was not admitted or does not exist.
            LinkedFileError: if what is there is a link or has another name; it is left as it was.
            WriteEndedError: if this writer's permission has ended.
        """
        self._require_permission(path)
        self._workspace.root.remove(path)

    def end(self) -> None:
        """End the permission; every later write is refused."""
        self._ended = True

    def _require_permission(self, path: str) -> None:
        self._workspace.require_admitted(path)
        if self._ended:
            raise WriteEndedError(path)
        if self._still_permitted is not None:
            self._still_permitted()
