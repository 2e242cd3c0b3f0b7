"""Capturing sources: the bytes a review is about, each with a receipt, and what could not be captured.

A file that is not there, not text, or larger than its bound is a coverage gap, never silently left out.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trailforge.errors import PathRefusedError, TooManyBytesError
from trailforge.review.scope import ReviewScope
from trailforge.workspace import HeldRoot, source_lines
from trustrail.foundation import canonical_json, digest_hex


class GapKind(StrEnum):
    """Why something is not covered."""

    UNREADABLE_FILE = "UNREADABLE_FILE"  #: it does not exist, or is a link, a folder or a device
    UNSUPPORTED_FILE = "UNSUPPORTED_FILE"  #: it is not UTF-8 text
    TRUNCATED = "TRUNCATED"  #: it is larger than its bound, and nothing of it was captured
    MALFORMED_FINDING = "MALFORMED_FINDING"  #: a finding does not agree with the captured source
    MISSING_ROLE = "MISSING_ROLE"  #: the callback gave nothing for this role
    TIMED_OUT = "TIMED_OUT"  #: the callback answered after its time
    CALLBACK_FAILED = "CALLBACK_FAILED"  #: the callback raised, or returned no object
    SOURCE_CHANGED = "SOURCE_CHANGED"  #: the files changed while they were reviewed


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something the review does not cover."""

    kind: GapKind
    subject: str
    """Path, role or finding."""
    reason: str

    def to_record(self) -> dict[str, str]:
        """Return the gap as a JSON object."""
        return {"kind": self.kind.value, "reason": self.reason, "subject": self.subject}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One captured file."""

    path: str
    revision: str
    size: int
    """Bytes."""
    sha256: str
    lines: tuple[str, ...]
    """Without their LF; the first is line 1."""

    def to_record(self) -> dict[str, Any]:
        """Return the receipt of the file as a JSON object, without its text."""
        return {"path": self.path, "revision": self.revision, "sha256": self.sha256, "size": self.size}

    @property
    def receipt(self) -> str:
        """64 hex digits over path, revision, size and content; a finding must name it."""
        return digest_hex(canonical_json(self.to_record()))

    def quote(self, start: int, end: int) -> str:
        """Return lines *start* to *end*, both counted from 1 and included, joined by LF."""
        return "\n".join(self.lines[start - 1 : end])


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """Everything that was captured for one scope."""

    files: tuple[SourceFile, ...]
    """Sorted by path."""
    gaps: tuple[Gap, ...]

    @property
    def digest(self) -> str:
        """64 hex digits over all receipts and gaps."""
        rows = [[file.to_record() for file in self.files], [gap.to_record() for gap in self.gaps]]
        return digest_hex(canonical_json(rows))


def capture_sources(scope: ReviewScope, root: HeldRoot) -> Capture:
    """Return the files of *scope* below *root*, and a gap for each that could not be captured."""
    files: list[SourceFile] = []
    gaps: list[Gap] = []
    for path in scope.paths:
        captured = _capture(scope, root, path)
        if isinstance(captured, SourceFile):
            files.append(captured)
        else:
            gaps.append(captured)
    return Capture(files=tuple(files), gaps=tuple(gaps))


def _capture(scope: ReviewScope, root: HeldRoot, path: str) -> SourceFile | Gap:
    try:
        data = root.read(path, limit=scope.max_file_bytes)
    except PathRefusedError as error:
        return Gap(kind=GapKind.UNREADABLE_FILE, subject=path, reason=error.problem)
    except TooManyBytesError as error:
        reason = f"has {error.actual} bytes, expected at most {error.limit}"
        return Gap(kind=GapKind.TRUNCATED, subject=path, reason=reason)
    lines = source_lines(data)
    if lines is None:
        return Gap(kind=GapKind.UNSUPPORTED_FILE, subject=path, reason="is not UTF-8 text")
    return SourceFile(path=path, revision=scope.revision, size=len(data), sha256=digest_hex(data), lines=lines)
