"""``objects lint``, ``objects schema`` and ``objects list``."""

import json
from pathlib import Path
from typing import Annotated

import typer

from trustrail.cli.outcome import EXIT_CHECK_FAILED, expected_errors
from trustrail.cli.printing import write_json, write_line
from trustrail.objects import KINDS, lint_files, object_schema, shipped_names

objects = typer.Typer(no_args_is_help=True, help="Controls, domain packs, profiles, fixtures and testcases.")

Kind = Annotated[str, typer.Argument(metavar="KIND", help=f"One of {', '.join(KINDS)}.")]


@objects.command("lint")
def lint(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Object files, checked together.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List everything wrong with object files as file:line; exit 1 when there is anything."""
    problems = lint_files(files)
    if as_json:
        entries = [{"file": found.file, "line": found.line, "text": found.text} for found in problems]
        write_json({"problems": entries})
    else:
        for problem in problems:
            write_line(str(problem))
        if not problems:
            write_line(f"{len(files)} files, no problems")
    raise typer.Exit(EXIT_CHECK_FAILED if problems else 0)


@objects.command("schema")
def schema(kind: Kind) -> None:
    """Print the JSON Schema of one kind of object file."""
    with expected_errors():
        write_line(json.dumps(object_schema(kind), indent=2))


@objects.command("list")
def list_objects(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the shipped objects by kind."""
    names = {word: list(shipped_names(kind)) for word, kind in KINDS.items()}
    if as_json:
        write_json({"objects": names})
        return
    for word, known in names.items():
        for name in known:
            write_line(f"{word:<18} {name}")
