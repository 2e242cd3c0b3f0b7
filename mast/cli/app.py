"""The command's verbs, put together."""

import typer

from mast.cli.bench import bench
from mast.cli.run import run
from mast.cli.scenarios import scenarios, schema

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Simulate how wrong, stale or revoked statements travel between organizations, and what each protocol layer "
    "prevents. Exit codes: 0 ok, 1 a run failed, 2 usage, 3 bad input.",
)
app.command()(run)
app.add_typer(bench, name="bench")
app.command()(scenarios)
app.command()(schema)


def main() -> None:
    """Run the command."""
    app()
