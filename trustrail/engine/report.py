"""The machine form of a check: one entry a run, as ``trustrail check --json`` prints it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trustrail.engine.judgement import RunJudgement


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedFile:
    """One judged run and the file it was read from."""

    file: str
    judgement: RunJudgement
    gaps: tuple[str, ...] = ()
    """What the file did not carry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFile:
    """A file nothing could be judged of."""

    file: str
    problem: str
    """Why not, as it was told on stderr."""


def report_json(judged: Sequence[JudgedFile], unread: Sequence[UnreadFile] = ()) -> dict[str, Any]:
    """Return ``{"runs": [...]}``, in the order judged, and beside it what could not be read, if anything."""
    report: dict[str, Any] = {
        "runs": [{"file": entry.file, **entry.judgement.to_json(), "gaps": list(entry.gaps)} for entry in judged]
    }
    if unread:
        report["unread"] = [{"file": entry.file, "problem": entry.problem} for entry in unread]
    return report
