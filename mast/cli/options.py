"""Options that several commands have, described once."""

from pathlib import Path
from typing import Annotated

import typer

from trustrail.foundation import VerifyMode

Workers = Annotated[int, typer.Option(min=1, help="Number of local processes; tables and digests do not depend on it.")]

RuntimeName = Annotated[str, typer.Option("--runtime", help="virtual (one thread) or threads; results are the same.")]

Verify = Annotated[
    VerifyMode,
    typer.Option(help="How signatures are made and checked: Ed25519 always or cached, or mac, which proves nothing."),
]

Out = Annotated[
    Path | None,
    typer.Option(help="New directory for plan, tables (CSV, JSON lines), event logs and report.", show_default="none"),
]

Resume = Annotated[bool, typer.Option("--resume", help="Continue the interrupted plan in --out, if it is the same.")]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]

Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
