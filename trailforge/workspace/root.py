"""A held directory: every read and write below it goes through its descriptor.

A write is whole or absent: a new file beside the old one (``O_EXCL``, always a new inode, so no old name of
it exists anywhere), ``fsync`` of the file, ``rename`` over the old name, ``fsync`` of the folder. Only then
does the call return, so that a record written afterwards never names bytes that are not on disk.
"""

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from trailforge.errors import LinkedFileError, PathRefusedError, TooManyBytesError, WorkspaceBusyError
from trailforge.workspace.descriptors import (
    OpenBeneath,
    choose_opener,
    open_regular,
    refusal,
    require_single_regular,
)
from trailforge.workspace.paths import admit_path

_TEMPORARY: Final = re.compile(r"\.trailforge-[0-9a-f]{16}\.part")
"""Name of a file that is being written; one left behind by a crash is removed by `HeldRoot.clean`."""

MAX_TREE_DEPTH: Final = 64
"""Deepest nesting of folders that is walked; ours, far above any source tree and far below any stack limit."""

_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY


class HeldRoot:
    """One directory, held open from construction to `close`.

    Attributes:
        location: where the directory was found; shown in messages, never used to reach a file again.
    """

    def __init__(self, location: Path, *, opener: OpenBeneath | None = None, exclusive: bool = False) -> None:
        """Hold the directory at *location*.

        Args:
            location: an existing directory; the last name may not be a link.
            opener: how to open below it; by default what the kernel offers.
            exclusive: lock the directory itself (``flock``), so that the kernel ends the lock with the
                process and no lock file can outlive it.

        Raises:
            PathRefusedError: if there is no directory at *location*.
            WorkspaceBusyError: if *exclusive* and another holder has the lock.
        """
        try:
            self._descriptor = os.open(location, _FOLDER_FLAGS | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise refusal(str(location), error) from error
        self.location = location
        self._name = location.absolute()  # what it was called when it was opened, wherever the process goes
        if exclusive:
            self._lock()
        self._open = opener or choose_opener(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the directory; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def read(self, path: str, *, limit: int) -> bytes:
        """Return the bytes of the file *path*.

        Args:
            path: a canonical path below the root.
            limit: most bytes accepted.

        Raises:
            PathRefusedError: if *path* is not canonical or names no regular file.
            LinkedFileError: if a link is on the way or the file has another name.
            TooManyBytesError: if the file is larger than *limit*.
        """
        descriptor = open_regular(self._open, self._descriptor, admit_path(path))
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(limit + 1)
            if len(data) > limit:
                actual = max(os.fstat(file.fileno()).st_size, len(data))
                raise TooManyBytesError(f"file {path!r}", actual=actual, limit=limit)
            return data

    def replace(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Put *data* at *path*, as a whole and on disk when the call returns; missing folders are made.

        Raises:
            PathRefusedError: if *path* is not canonical or what is there is not a regular file.
            LinkedFileError: if a link is on the way or the file there has another name.
        """
        folder, name = self._split(path)
        with self._folder(folder, create=True) as held:
            self._check_target(held, name, path)
            temporary = f".trailforge-{secrets.token_hex(8)}.part"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(temporary, flags, 0o755 if executable else 0o644, dir_fd=held)
            try:
                # The mode given above is cut by the process's umask; the owner's bits are part of what is written.
                os.fchmod(descriptor, os.fstat(descriptor).st_mode & 0o777 | (0o700 if executable else 0o600))
                _write_whole(descriptor, data)
                os.rename(temporary, name, src_dir_fd=held, dst_dir_fd=held)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=held)
                raise
            os.fsync(held)

    def remove(self, path: str) -> None:
        """Remove the file *path*, on disk when the call returns.

        Raises:
            PathRefusedError: if *path* is not canonical or names no regular file.
            LinkedFileError: if a link is on the way or the file has another name.
        """
        folder, name = self._split(path)
        with self._folder(folder, create=False) as held:
            if not self._check_target(held, name, path):
                raise PathRefusedError(path, "does not exist")
            os.unlink(name, dir_fd=held)
            os.fsync(held)

    def clean(self) -> tuple[str, ...]:
        """Remove what an interrupted `replace` left behind and return its paths, sorted."""
        removed: list[str] = []
        for folder, _, names, held in self._walk():
            for name in names:
                if _TEMPORARY.fullmatch(name):
                    os.unlink(name, dir_fd=held)
                    removed.append(str(Path(folder, name)))
        return tuple(sorted(removed))

    def entries(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield every path below the root that is not a folder, in no order, with its status.

        Raises:
            PathRefusedError: if a name is not UTF-8 and so has no canonical spelling, a folder cannot be listed, or
                folders are nested deeper than `MAX_TREE_DEPTH`.
        """
        for folder, folders, names, held in self._walk():
            for name in (*names, *folders):
                status = os.stat(name, dir_fd=held, follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    continue
                path = Path(folder, name).as_posix()
                try:
                    path.encode("utf-8")
                except UnicodeEncodeError as error:
                    raise PathRefusedError(path, "is not UTF-8") from error
                yield path, status

    def folders(self) -> Iterator[str]:
        """Yield every folder below the root, in no order; `entries` shows only those that hold a file.

        Raises:
            PathRefusedError: if a folder cannot be listed, or they are nested deeper than `MAX_TREE_DEPTH`.
        """
        for folder, folders, _, held in self._walk():
            for name in folders:
                if stat.S_ISDIR(os.stat(name, dir_fd=held, follow_symlinks=False).st_mode):
                    yield Path(folder, name).as_posix()

    def contains(self, other: "HeldRoot") -> bool:
        """Return whether *other* is this directory or lies below it, whatever names led there."""
        mine = os.fstat(self._descriptor)
        held = os.dup(other._descriptor)  # noqa: SLF001 - the same class
        try:
            while True:
                status = os.fstat(held)
                if os.path.samestat(mine, status):
                    return True
                above = os.open("..", _FOLDER_FLAGS | os.O_CLOEXEC, dir_fd=held)
                os.close(held)
                held = above
                if os.path.samestat(status, os.fstat(held)):
                    return False
        finally:
            os.close(held)

    def require_in_place(self) -> None:
        """Return if `location` still leads to this directory: then who goes by the name finds what is held.

        Raises:
            PathRefusedError: if it leads elsewhere, or nowhere.
        """
        try:
            found = self._name.stat(follow_symlinks=False)
        except OSError as error:
            raise refusal(str(self.location), error) from error
        if not os.path.samestat(found, os.fstat(self._descriptor)):
            raise PathRefusedError(str(self.location), "leads to another directory than the one that is held")

    def _walk(self) -> Iterator[tuple[str, list[str], list[str], int]]:
        """Yield every folder below the root; one that cannot be listed may hide anything and is an error."""

        def unlisted(error: OSError) -> None:
            raise refusal(str(error.filename), error) from error

        for step in os.fwalk(".", dir_fd=self._descriptor, follow_symlinks=False, onerror=unlisted):
            if step[0].count("/") > MAX_TREE_DEPTH:
                shown = f"{step[0][:40]}…"
                raise PathRefusedError(shown, f"is nested deeper than {MAX_TREE_DEPTH} folders")
            yield step

    def _lock(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise WorkspaceBusyError(str(self.location)) from error

    def _split(self, path: str) -> tuple[str, str]:
        folder, _, name = admit_path(path).rpartition("/")
        return folder, name

    @contextmanager
    def _folder(self, folder: str, *, create: bool) -> Iterator[int]:
        held = os.dup(self._descriptor)
        try:
            for name in folder.split("/") if folder else ():
                if create:
                    with suppress(FileExistsError):
                        os.mkdir(name, 0o755, dir_fd=held)
                        os.fsync(held)
                try:
                    inner = self._open(held, name, _FOLDER_FLAGS, 0)
                except OSError as error:
                    raise refusal(folder, error) from error
                os.close(held)
                held = inner
            yield held
        finally:
            os.close(held)

    @staticmethod
    def _check_target(held: int, name: str, path: str) -> bool:
        """Return whether *name* exists in the folder *held*, as a regular file with one name."""
        try:
            status = os.stat(name, dir_fd=held, follow_symlinks=False)
        except FileNotFoundError:
            return False
        require_single_regular(status, path)
        return True


def _write_whole(descriptor: int, data: bytes) -> None:
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
        if os.fstat(descriptor).st_nlink != 1:
            raise LinkedFileError("the new file", "was given another name while it was written")
    finally:
        os.close(descriptor)
