"""Exit codes, and the one place where an expected error becomes its lines on stderr and a code."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import typer

from mast.errors import MastError, ScenarioError

EXIT_OK: Final = 0
EXIT_CHECK_FAILED: Final = 1
"""A planned run failed."""
EXIT_USAGE: Final = 2
EXIT_BAD_INPUT: Final = 3
EXIT_INTERRUPTED: Final = 130


@contextmanager
def expected_errors(*, debug: bool = False) -> Iterator[None]:
    """Turn an error raised on purpose into one line per problem on stderr, and its exit code.

    Args:
        debug: let the error through with its traceback.
    """
    try:
        yield
    except MastError as error:
        if debug:
            raise
        problems = error.problems if isinstance(error, ScenarioError) else (str(error),)
        for problem in problems:
            complain(problem)
        raise typer.Exit(EXIT_BAD_INPUT) from error
    except OSError as error:
        if debug:
            raise
        complain(f"{error.filename or 'output'}: {error.strerror or error}; what was finished before is kept")
        raise typer.Exit(EXIT_BAD_INPUT) from error


def complain(text: str) -> None:
    """Write one line to stderr."""
    sys.stderr.write(f"{text}\n")
