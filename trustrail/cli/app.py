"""The command's verbs, put together."""

import typer

from trustrail.cli.demonstration import demo
from trustrail.cli.objects import objects
from trustrail.cli.outcome import run_to_end
from trustrail.cli.packs import gate, replay, verify
from trustrail.cli.recordings import check, events, list_adapters

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Judge recorded agent runs, and keep the evidence. Exit codes: 0 ok, 1 check failed, 2 usage, 3 bad input.",
)
app.command("check")(check)
app.command("events")(events)
app.command("demo")(demo)
app.command("verify")(verify)
app.command("replay")(replay)
app.command("gate")(gate)
app.add_typer(objects, name="objects")
app.command("adapters")(list_adapters)


def main() -> None:
    """Run the command; what cannot be told on stdout is told in one line on stderr, with an exit code."""
    run_to_end(app)
