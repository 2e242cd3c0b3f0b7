"""The command line as a whole: its exit codes, and how an expected error becomes one line."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from trailforge.cli.rendering import printable
from trailforge.errors import AdmissionError, CorruptStoreError, TrailforgeError, UsageError

EXIT_OK = 0
EXIT_CHECK_FAILED = 1
EXIT_USAGE = 2
EXIT_BAD_INPUT = 3


class _Group(TyperGroup):
    """Turns every expected error into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer keeps its own Context class private
        """Run the command; with ``--debug`` let its errors through."""
        try:
            return super().invoke(ctx)
        except TrailforgeError as error:
            if ctx.params.get("debug"):
                raise
            problems = error.problems if isinstance(error, AdmissionError) else (error,)
            for problem in problems:
                typer.echo(f"trailforge: {printable(problem)}", err=True)
            raise typer.Exit(_exit_code(error)) from error


app = typer.Typer(
    cls=_Group, no_args_is_help=True, pretty_exceptions_enable=False, help="Bound the work. Preserve the trail."
)


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Run finite goals in a durable store and keep every uncertain outcome visible."""


def _exit_code(error: TrailforgeError) -> int:
    if isinstance(error, UsageError):
        return EXIT_USAGE
    return EXIT_CHECK_FAILED if isinstance(error, CorruptStoreError) else EXIT_BAD_INPUT
