"""The layered table: one line per layer, with the counts a reader compares first."""

import html
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mast.experiments.outcome import layer_sums

COLUMNS: Final = {
    "unsafe": ("unsafe_completions", "affected_tasks"),
    "correct": ("correct_completions", "total_tasks"),
    "unrelated kept": ("unrelated_completions", "unrelated_tasks"),
    "overfrozen": ("overfrozen_tasks", "unrelated_tasks"),
    "recovered": ("recovered_tasks", None),
    "propagated": ("propagated_handoffs", None),
    "blocked": ("blocked_actions", None),
    "status queries": ("status_queries", None),
    "fact queries": ("fact_queries", None),
    "notices": ("notices", None),
    "unknown": ("unknown_tasks", "total_tasks"),
}
"""Heading: the metric, and the planned tasks it is a part of."""


def layer_table(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return headings and lines of the table that sums *rows* by layer."""
    lines = []
    for layer, sums in layer_sums(rows).items():
        failed = f" ({sums['failed_runs']} failed)" if sums["failed_runs"] else ""
        cells = [
            f"{sums[metric]}/{sums[planned]}" if planned else str(sums[metric]) for metric, planned in COLUMNS.values()
        ]
        lines.append([layer, f"{sums['runs']}{failed}", *cells])
    return ["layer", "runs", *COLUMNS], lines


def markdown_table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; every column but the first is right-aligned."""
    rule = [":--", *("--:" for _ in headings[1:])]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (headings, rule, *lines))


def html_table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return an HTML table of *headings* and *lines*."""
    head = "".join(f"<th>{escaped(cell)}</th>" for cell in headings)
    body = "".join("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def escaped(text: str) -> str:
    """Return *text* as HTML shows it."""
    return html.escape(text, quote=False)
