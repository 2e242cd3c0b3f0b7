"""How results look on a terminal, and as JSON."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from trustrail.foundation import canonical_json


def write_line(text: str = "") -> None:
    """Write one line of result to stdout."""
    sys.stdout.write(f"{text}\n")


def write_json(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Write *value* to stdout as one line of canonical JSON."""
    sys.stdout.buffer.write(canonical_json(value) + b"\n")
    sys.stdout.buffer.flush()


def write_table(title: str, headings: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Write a table to stdout; every column but the first is right-aligned."""
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=number == 0)
    for line in lines:
        table.add_row(*line)
    Console(file=sys.stdout, width=None if sys.stdout.isatty() else _WIDE).print(table)


_WIDE = 160
"""Columns of a table that goes to a file or a pipe."""


def write_names(title: str, names: Mapping[str, str]) -> None:
    """Write names with their descriptions to stdout."""
    write_line(title)
    width = max(map(len, names), default=0)
    for name, description in names.items():
        write_line(f"  {name:<{width}}  {description}")
