"""Host code within a command: what adapters, and the programs they start, print is no part of the result."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Final

_STDOUT: Final = 1
_STDERR: Final = 2


@contextmanager
def printing_aside() -> Iterator[None]:
    """Send to stderr what the block prints on stdout, from Python or from a program it starts."""
    kept = _turned_aside()
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        # What host code wrote to the stream it had kept is still in that stream's buffer.
        _flush()
        if kept is not None:
            os.dup2(kept, _STDOUT)
            os.close(kept)


def _turned_aside() -> int | None:
    """Let the file descriptor of stdout lead to stderr; return where it led, or None when one of them is closed."""
    _flush()
    try:
        kept = os.dup(_STDOUT)
    except OSError:
        return None
    try:
        os.dup2(_STDERR, _STDOUT)
    except OSError:
        os.close(kept)
        return None
    return kept


def _flush() -> None:
    stream = sys.__stdout__
    if stream is not None:
        with suppress(OSError, ValueError):
            stream.flush()
