"""Exit codes, and the one place where an expected error becomes one line and a code."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, NoReturn

import typer

from trustrail.errors import (
    MissingExtraError,
    OutputError,
    PackError,
    TrustrailError,
    UnknownAdapterError,
    UnknownControlError,
    UnknownObjectError,
)
from trustrail.evidence import Rule
from trustrail.evidence.write import NEW_PACK

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


def complain(error: Exception | str) -> None:
    """Write *error* to stderr, one line a problem; where stderr takes nothing, the exit code tells."""
    with suppress(OSError):
        if sys.stderr is not None:
            sys.stderr.write(f"{error}\n")


def run_to_end(command: Callable[[], None]) -> NoReturn:
    """Run *command* and leave the process with its exit code, or with `EXIT_BAD_INPUT` when stdout fails it."""
    code: object = EXIT_OK
    try:
        try:
            command()
        except SystemExit as ended:
            code = ended.code
        if sys.stdout is not None:
            sys.stdout.flush()
    except OutputError as error:
        code = _without_stdout(str(error))
    except OSError as error:
        code = _without_stdout(f"{error.filename or 'stdout'} takes nothing more: {error.strerror}")
    sys.exit(code)  # type: ignore[arg-type]


def _without_stdout(words: str) -> int:
    complain(words)
    _drop_stdout()
    return EXIT_BAD_INPUT


def _drop_stdout() -> None:
    """Send what is still buffered nowhere: the interpreter would try once more, and complain in its own words."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def exit_code(error: TrustrailError) -> int:
    """Return the exit code that *error* stands for."""
    if isinstance(error, _USAGE_ERRORS):
        return EXIT_USAGE
    if isinstance(error, PackError) and error.rule not in (Rule.READABLE, NEW_PACK):
        return EXIT_CHECK_FAILED
    return EXIT_BAD_INPUT
