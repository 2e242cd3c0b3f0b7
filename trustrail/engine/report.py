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


def report_json(judged: Sequence[JudgedFile]) -> dict[str, Any]:
    """Return ``{"runs": [...]}``, in the order judged."""
    return {"runs": [{"file": entry.file, **entry.judgement.to_json(), "gaps": list(entry.gaps)} for entry in judged]}
