"""How results look: one JSON object for machines, tables for people. Nothing here reads or decides."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

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
    """Print *value* as one line of canonical JSON on stdout."""
    sys.stdout.write(canonical_json(value).decode() + "\n")


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
    """Print a table on stdout; cells are text, never markup."""
    table = Table()
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH).print(table)
