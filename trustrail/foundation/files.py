"""Open a file that somebody named, without waiting for anybody."""

import os
from pathlib import Path


def read_at_most(path: Path, count: int) -> bytes:
    """Return the first *count* bytes of *path*; a named pipe that nobody writes to is empty, and not waited for.

    Raises:
        OSError: if it cannot be read.
        ValueError: if *path* is none, such as one with a NUL in it.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        os.set_blocking(descriptor, True)
        return stream.read(count)
