"""The draft: what was found, what is not covered, and the standing statement that a person must judge it.

COMPLETE says that the configured workflow covered everything it was asked to cover. It does not say that any
finding is a real defect, nor that there is no other.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trailforge.review.capture import Capture, Gap
from trailforge.review.finding import Finding
from trailforge.review.scope import ReviewScope
from trustrail.foundation import canonical_json, digest_hex


class Coverage(StrEnum):
    """Whether everything in scope was covered."""

    COMPLETE = "COMPLETE"  #: no gap
    INCOMPLETE = "INCOMPLETE"  #: at least one gap, listed in the draft


NEEDS_HUMAN = True
"""Every draft does, whatever it says."""

CRITIC = "NOT_IMPLEMENTED"
"""Nobody here criticizes the findings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The outcome of one review."""

    scope: ReviewScope
    capture: Capture
    findings: tuple[Finding, ...]
    gaps: tuple[Gap, ...]
    """Those of the capture included."""

    @property
    def coverage(self) -> Coverage:
        """COMPLETE only without any gap."""
        return Coverage.INCOMPLETE if self.gaps else Coverage.COMPLETE

    def to_record(self) -> dict[str, Any]:
        """Return the draft as a JSON object; reliability is unset."""
        return {
            "capture": self.capture.digest,
            "coverage": self.coverage.value,
            "critic": CRITIC,
            "files": [file.to_record() for file in self.capture.files],
            "findings": [finding.to_record() for finding in self.findings],
            "gaps": [gap.to_record() for gap in self.gaps],
            "needs_human": NEEDS_HUMAN,
            "reliability": None,
            "review": self.scope.review_id,
            "scope": self.scope.to_record(),
        }

    def to_text(self) -> str:
        """Return the canonical JSON of the draft: what is stored and digested."""
        return canonical_json(self.to_record()).decode()

    @property
    def digest(self) -> str:
        """64 hex digits over the canonical JSON."""
        return digest_hex(self.to_text().encode())
