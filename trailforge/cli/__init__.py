"""The ``trailforge`` command. Exit codes: 0 ok, 1 a check failed, 2 wrong usage, 3 bad input."""

from trailforge.cli import looking, running  # noqa: F401 - their commands register with the application
from trailforge.cli.application import EXIT_BAD_INPUT, EXIT_CHECK_FAILED, EXIT_OK, EXIT_USAGE, app

__all__ = ["EXIT_BAD_INPUT", "EXIT_CHECK_FAILED", "EXIT_OK", "EXIT_USAGE", "app", "main"]


def main() -> None:
    """Run the command line."""
    app()
