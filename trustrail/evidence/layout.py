"""How an evidence pack is laid out on disk: its name and the files it may hold."""

import re
from datetime import UTC, datetime
from typing import Final

MANIFEST: Final = "manifest.yaml"
PACK: Final = "pack.json"
REPORT: Final = "report.html"
NOTES: Final = "annotations/notes.json"
FOLDERS: Final = ("annotations", "events", "spans")

_ALLOWED: Final = re.compile(
    r"pack\.json|report\.html|annotations/notes\.json|annotations/calls-\d{3,6}\.json|events/run-\d{3,6}\.jsonl|spans/run-\d{3,6}\.json"
)
_TIME_FORMAT: Final = "%Y%m%dT%H%M%SZ"


def pack_stem(scenario: str, target: str, variant: str) -> str:
    """Return what a pack's directory name begins with."""
    return f"{scenario}-{target}-{variant}"


def pack_name(scenario: str, target: str, variant: str, created_at: float) -> str:
    """Return a pack's directory name; *created_at* is in seconds since 1970-01-01T00:00:00Z."""
    return f"{pack_stem(scenario, target, variant)}-{datetime.fromtimestamp(created_at, UTC).strftime(_TIME_FORMAT)}"


def iso_time(created_at: float) -> str:
    """Return *created_at*, in seconds since 1970-01-01T00:00:00Z, as ISO 8601 with whole seconds."""
    return datetime.fromtimestamp(int(created_at), UTC).isoformat().replace("+00:00", "Z")


def events_path(number: int) -> str:
    """Return where the events of run *number*, from 1, stand."""
    return f"events/run-{number:03d}.jsonl"


def spans_path(number: int) -> str:
    """Return where the source spans of run *number*, from 1, stand."""
    return f"spans/run-{number:03d}.json"


def calls_path(number: int) -> str:
    """Return where the verdicts on each consequential call of run *number*, from 1, stand."""
    return f"annotations/calls-{number:03d}.json"


def is_inside(path: str) -> bool:
    """Whether *path* is relative, stays inside the pack and is written one way only."""
    return all(part not in ("", ".", "..") for part in path.split("/"))


def is_allowed(path: str) -> bool:
    """Whether a pack may hold a file at *path* besides its manifest."""
    return _ALLOWED.fullmatch(path) is not None
