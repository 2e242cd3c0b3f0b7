"""The arguments and options that commands share, each with its help and its environment variable."""

from pathlib import Path
from typing import Annotated, Final

import typer

DEFAULT_STORE: Final = "trailforge.db"
"""Where a store is looked for when none is named."""

GoalFile = Annotated[Path, typer.Argument(help="YAML file of the goal.", show_default=False)]
RunId = Annotated[str, typer.Argument(help="Id of the run.", show_default=False)]
Adapters = Annotated[
    str, typer.Option("--adapters", help="Adapters as package.module:NAME.", envvar="TRAILFORGE_ADAPTERS")
]
Store = Annotated[str, typer.Option("--store", help="SQLite file or postgresql:// URL.", envvar="TRAILFORGE_STORE")]
Schema = Annotated[str, typer.Option("--schema", help="Schema of a PostgreSQL store.", envvar="TRAILFORGE_SCHEMA")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
OwnId = Annotated[str, typer.Option("--run-id", help="Id of the run; derived from the goal when absent.")]
PauseAfter = Annotated[str, typer.Option("--pause-after", help="Task after which the run pauses.")]
Tenant = Annotated[
    str, typer.Option("--tenant", help="The only tenant to act for; any when absent.", envvar="TRAILFORGE_TENANT")
]
WithTelemetry = Annotated[bool, typer.Option("--telemetry", help="Report through OpenTelemetry.")]
By = Annotated[str, typer.Option("--by", help="Who decides; kept in the journal.")]
Note = Annotated[str, typer.Option("--note", help="What the decision rests on; kept in the journal.")]
CapUnits = Annotated[int | None, typer.Option(min=0, help="Units, when the store is created; unbounded by default.")]
