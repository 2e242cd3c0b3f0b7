"""Opening files below a held directory: the kernel resolves and opens in one call, and follows no link.

Linux 5.6 and later do it with ``openat2(2)``, told to stay beneath the directory and to follow neither
symbolic nor magic links nor mounts. Elsewhere the path is walked one name at a time, each with ``openat`` and
``O_NOFOLLOW`` relative to the directory before it, which refuses the same things. Neither stops a hard link,
so the descriptor is examined (``fstat``: a regular file with one name) before a byte is read or written.
"""

import ctypes
import errno
import os
import stat
from collections.abc import Callable
from typing import Final, TypeAlias

from trailforge.errors import LinkedFileError, PathRefusedError

_OPENAT2: Final = 437
"""System call number of ``openat2``, the same on every architecture."""

_RESOLVE: Final = 0x01 | 0x02 | 0x04 | 0x08
"""No other file system, no magic links, no symbolic links, nothing above the start (linux/openat2.h)."""

_ATTEMPTS: Final = 64
"""Times ``openat2`` is asked again after EAGAIN, its answer when a rename raced with ``RESOLVE_BENEATH``."""

OpenBeneath: TypeAlias = Callable[[int, str, int, int], int]


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_by_kernel(directory: int, path: str, flags: int, mode: int) -> int:
    """Open *path* below the descriptor *directory* with one ``openat2`` call; return the descriptor.

    Raises:
        OSError: as the kernel says; ``ENOSYS`` where there is no ``openat2``.
    """
    how = _OpenHow(flags=flags | os.O_CLOEXEC, mode=mode, resolve=_RESOLVE)
    for _ in range(_ATTEMPTS):
        descriptor = int(_libc.syscall(_OPENAT2, directory, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how)))
        if descriptor >= 0:
            return descriptor
        if ctypes.get_errno() != errno.EAGAIN:
            break
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)


def open_by_walk(directory: int, path: str, flags: int, mode: int) -> int:
    """Open *path* below the descriptor *directory* one name at a time; return the descriptor.

    Raises:
        OSError: as the kernel says; ``EXDEV`` where a name would leave the directory's file system.
    """
    *folders, name = path.split("/")
    if path.startswith("/") or any(part in ("", "..") for part in (*folders, name)):
        raise OSError(errno.EXDEV, "leaves the directory", path)
    device = os.fstat(directory).st_dev
    held = os.dup(directory)
    try:
        for folder in folders:
            inner = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=held)
            os.close(held)
            held = inner
            if os.fstat(held).st_dev != device:
                raise OSError(errno.EXDEV, "leaves the file system", path)
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=held)
    finally:
        os.close(held)


def choose_opener(directory: int) -> OpenBeneath:
    """Return `open_by_kernel` where the kernel has it and permits it, else `open_by_walk`."""
    try:
        os.close(open_by_kernel(directory, ".", os.O_PATH | os.O_DIRECTORY, 0))
    except OSError as error:
        if error.errno in (errno.ENOSYS, errno.EPERM):
            return open_by_walk
        raise
    return open_by_kernel


def open_regular(opener: OpenBeneath, directory: int, path: str) -> int:
    """Open the regular file *path* below *directory* for reading; return its descriptor.

    Raises:
        PathRefusedError: if there is no such file, or it is not a regular file.
        LinkedFileError: if a link is on the way or the file has more than one name.
    """
    try:
        # O_NONBLOCK keeps the open of a named pipe from waiting for a writer.
        descriptor = opener(directory, path, os.O_RDONLY | os.O_NONBLOCK, 0)
    except OSError as error:
        raise refusal(path, error) from error
    try:
        require_single_regular(os.fstat(descriptor), path)
    except PathRefusedError:
        os.close(descriptor)
        raise
    return descriptor


def require_single_regular(status: os.stat_result, path: str) -> None:
    """Return if *status* is that of a regular file with exactly one name.

    Raises:
        PathRefusedError: if it is a directory, device, pipe or socket.
        LinkedFileError: if it is a symbolic link or has several names.
    """
    if stat.S_ISLNK(status.st_mode):
        raise LinkedFileError(path, "is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        raise PathRefusedError(path, "is not a regular file")
    if status.st_nlink != 1:
        raise LinkedFileError(path, f"has {status.st_nlink} names (hard links), expected 1")


def refusal(path: str, error: OSError) -> PathRefusedError:
    """Return the typed error for what the kernel answered when *path* was opened."""
    match error.errno:
        case errno.ELOOP | errno.ENOTDIR:
            return LinkedFileError(path, "leads over a link or over something that is not a folder")
        case errno.EXDEV:
            return LinkedFileError(path, "leads out of the root")
        case errno.ENOENT:
            return PathRefusedError(path, "does not exist")
        case _:
            return PathRefusedError(path, f"cannot be opened: {error.strerror}")


_libc: Final = ctypes.CDLL(None, use_errno=True)
