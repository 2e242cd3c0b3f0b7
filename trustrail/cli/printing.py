"""How results look on a terminal, and as JSON."""

import sys
from collections.abc import Iterable
from typing import Any

from trustrail.engine import ControlJudgement
from trustrail.errors import OutputError
from trustrail.foundation import canonical_json


def write_line(text: str = "") -> None:
    """Write one line of result to stdout.

    Raises:
        OutputError: if stdout is closed, or takes nothing more.
    """
    write_bytes(f"{text}\n".encode("utf-8", "backslashreplace"))


def write_json(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Write *value* to stdout as one line of canonical JSON.

    Raises:
        OutputError: if stdout is closed, or takes nothing more.
    """
    write_bytes(canonical_json(value) + b"\n")


def write_bytes(data: bytes) -> None:
    """Write *data* to stdout.

    Raises:
        OutputError: if stdout is closed, or takes nothing more.
    """
    if sys.stdout is None:
        raise OutputError("stdout is closed, so nothing can be told")
    try:
        sys.stdout.buffer.write(data)
    except OSError as error:
        raise OutputError(f"stdout takes nothing more: {error.strerror}") from error


def write_progress(text: str) -> None:
    """Write *text* to stderr when a person watches it."""
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")


def control_lines(controls: Iterable[ControlJudgement], *, with_reasons: bool) -> list[str]:
    """Return one line a control: id, verdict, and what is worth saying about it."""
    lines = []
    for control in controls:
        verdict = control.verdict.value
        passed = verdict == "PASS"
        if passed and control.exercised:
            lines.append(f"{control.control_id:<14} {verdict}")
            continue
        note = "not exercised" if passed else control.severity.value
        reason = f"  {control.reason}" if with_reasons and not passed else ""
        lines.append(f"{control.control_id:<14} {verdict:<6} {note}{reason}")
    return lines
