"""The ``mast`` command as a user runs it: a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

PROGRAM = (sys.executable, "-c", "from mast.cli import main; main()")

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def mast() -> Command:
    """Run the command with arguments, and environment variables by keyword."""

    def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*PROGRAM, *arguments],
            capture_output=True,
            text=True,
            timeout=100,
            env={**os.environ, "COLUMNS": "160", **environment},
            check=False,
        )

    return run
