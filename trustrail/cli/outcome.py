"""Exit codes, and the one place where an expected error becomes one line and a code."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import typer

from trustrail.errors import (
    MissingExtraError,
    PackError,
    TrustrailError,
    UnknownAdapterError,
    UnknownControlError,
    UnknownObjectError,
)
from trustrail.evidence import Rule

EXIT_OK: Final = 0
EXIT_CHECK_FAILED: Final = 1
"""The gate blocks, a pack does not verify, or an object file has problems."""
EXIT_USAGE: Final = 2
EXIT_BAD_INPUT: Final = 3

_USAGE_ERRORS: Final = (UnknownObjectError, UnknownAdapterError, UnknownControlError, MissingExtraError)


@contextmanager
def expected_errors(*, debug: bool = False) -> Iterator[None]:
    """Turn an error raised on purpose into its message on stderr and its exit code.

    Args:
        debug: let the error through with its traceback.
    """
    try:
        yield
    except TrustrailError as error:
        if debug:
            raise
        complain(error)
        raise typer.Exit(exit_code(error)) from error


def complain(error: Exception) -> None:
    """Write *error* to stderr, one line a problem."""
    sys.stderr.write(f"{error}\n")


def exit_code(error: TrustrailError) -> int:
    """Return the exit code that *error* stands for."""
    if isinstance(error, _USAGE_ERRORS):
        return EXIT_USAGE
    if isinstance(error, PackError) and error.rule != Rule.READABLE:
        return EXIT_CHECK_FAILED
    return EXIT_BAD_INPUT
