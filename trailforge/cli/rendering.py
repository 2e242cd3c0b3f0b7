"""How results look: one JSON object for machines, tables for people. Nothing here reads or decides."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from trailforge.errors import OutputLostError
from trailforge.harness import RunView
from trustrail.foundation import canonical_json

PLAIN_WIDTH: Final = 200
"""Columns of a table that is not printed on a terminal."""


def run_to_json(view: RunView) -> dict[str, Any]:
    """Return *view* as a JSON object."""
    hold, lease = view.hold, view.lease
    return {
        "run": view.run_id,
        "tenant": view.tenant,
        "resource": view.resource,
        "status": view.status.value,
        "task": view.task,
        "done": view.done,
        "tasks": view.tasks,
        "attempts": view.attempts_total,
        "units_used": view.units_used,
        "units_limit": view.units_limit,
        "hold": hold and {"task": hold.task, "reason": hold.reason, "detail": hold.detail, "since_ms": hold.since},
        "lease": lease
        and {
            "attempt": lease.attempt,
            "epoch": lease.epoch,
            "holder": lease.holder,
            "expires_at_ms": lease.expires_at,
        },
        "legal": list(view.legal),
        "version": view.version,
        "head": view.head,
    }


def print_json(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Print *value* as one line of JSON on stdout: canonical, but for what a terminal could take for a command.

    Raises:
        OutputLostError: if stdout cannot be written.
    """
    # Whatever is not printable, or not ASCII, stands in a string, where an escape is the same (RFC 8259 section 7).
    text = canonical_json(value).decode()
    _put("".join(each if each.isprintable() else _json_escaped(each) for each in text) + "\n", _json_escaped)


def print_runs(views: Sequence[RunView], damaged: Mapping[str, str] = MappingProxyType({})) -> None:
    """Print one row for each run, with every hold, its reason and what may be done about it.

    Args:
        views: the runs that could be read.
        damaged: what is wrong with those that could not, by run.
    """
    rows = [
        (
            view.run_id,
            view.tenant,
            view.status.value,
            f"{view.done}/{view.tasks}",
            f"{view.units_used}/{view.units_limit}",
            f"{view.hold.task}: {view.hold.reason} {view.hold.detail}".rstrip() if view.hold else "",
            ", ".join(view.legal),
        )
        for view in views
    ]
    rows += [(run, "", "DAMAGED", "", "", damage, "") for run, damage in damaged.items()]
    print_table(("run", "tenant", "status", "tasks", "units", "hold", "legal commands"), rows)


def printable(value: object) -> str:
    """Return *value* as text that moves no cursor and rings no bell: what is not printable is written as an escape."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in str(value))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on stdout; cells are text, never markup.

    Raises:
        OutputLostError: if stdout cannot be written.
    """
    table = Table()
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    console = Console(width=None if on_terminal else PLAIN_WIDTH)
    with console.capture() as captured:
        console.print(table)
    _put(captured.get(), _escaped)


def _put(text: str, escape: Callable[[str], str]) -> None:
    """Write *text* on stdout to its end; what the stream's encoding lacks is written as *escape* says.

    Raises:
        OutputLostError: if stdout is closed or takes no more.
    """
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise OutputLostError("stdout is closed")
    encoding = stream.encoding or "utf-8"
    try:
        stream.write("".join(each if _has(encoding, each) else escape(each) for each in text))
        stream.flush()
    except BrokenPipeError:
        raise  # whoever read the result has seen enough
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            stream.close()  # or what is left in its buffer would be tried again when the process ends
        raise OutputLostError(f"stdout cannot be written: {error}") from error


def _has(encoding: str, character: str) -> bool:
    if character.isascii():
        return True
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _json_escaped(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) > 0x7F else f"\\u{ord(character):04x}"


def _escaped(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode()
