"""Findings, and the rule by which one is believed to be about the captured source.

A finding names a captured path and its receipt, a range of lines counted from 1, and quotes those lines exactly.
Whether it is right is for a person; whether it is about this source is checked here. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from trailforge.errors.showing import shown
from trailforge.review.capture import Capture, Gap, GapKind, SourceFile
from trailforge.review.scope import Role
from trustrail.foundation import MAX_SAFE_INTEGER

MAX_FINDINGS: Final = 200
"""Most findings of one role; ours. More are a gap."""

MAX_CLAIM: Final = 4_000
"""Characters of one claim; ours."""

MAX_QUOTE: Final = 8_000
"""Characters of one quote; ours. A finding about more lines is too vague to judge."""

MAX_UNKNOWN_FIELDS: Final = 20
"""Most field names of a malformed finding that are told; ours."""

MAX_UNKNOWN_ROLES: Final = 20
"""Role names that are none reported one by one; ours. Any of them is a gap already."""

_FIELDS: Final = frozenset({"path", "receipt", "start_line", "end_line", "quote", "severity", "claim"})


class Severity(StrEnum):
    """How much it matters, as the callback says."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One claim about exact lines of a captured file."""

    role: Role
    path: str
    receipt: str
    """Receipt of the captured file, 64 hex digits."""
    start_line: int
    """From 1, included."""
    end_line: int
    """Included."""
    quote: str
    """The lines themselves, joined by LF."""
    severity: Severity
    claim: str

    def to_record(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return {
            "claim": self.claim,
            "end_line": self.end_line,
            "path": self.path,
            "quote": self.quote,
            "receipt": self.receipt,
            "role": self.role.value,
            "severity": self.severity.value,
            "start_line": self.start_line,
        }


def validate_answer(answer: object, capture: Capture) -> tuple[tuple[Finding, ...], tuple[Gap, ...]]:
    """Return the findings of *answer* that agree with *capture*, and a gap for everything that does not.

    Args:
        answer: what the callback returned: an object from role name to a list of findings.
        capture: what was reviewed.
    """
    if type(answer) is not dict:
        problem = f"returned a {type(answer).__name__}, expected an object of four roles"
        return (), (Gap(kind=GapKind.CALLBACK_FAILED, subject="callback", reason=problem),)
    findings: list[Finding] = []
    gaps: list[Gap] = []
    files = {file.path: file for file in capture.files}
    for role in Role:
        found, missed = _validate_role(role, answer, files)
        findings.extend(found)
        gaps.extend(missed)
    known = {role.value for role in Role}
    for name in sorted(shown(key, 80) for key in answer if key not in known)[:MAX_UNKNOWN_ROLES]:
        reason = f"is no role, expected one of {', '.join(sorted(known))}"
        gaps.append(Gap(kind=GapKind.MALFORMED_FINDING, subject=name[:80], reason=reason))
    return tuple(findings), tuple(gaps)


def _validate_role(
    role: Role, answer: Mapping[str, Any], files: Mapping[str, SourceFile]
) -> tuple[list[Finding], list[Gap]]:
    if role.value not in answer:
        return [], [Gap(kind=GapKind.MISSING_ROLE, subject=role.value, reason="the callback gave nothing")]
    raw = answer[role.value]
    if type(raw) is not list or len(raw) > MAX_FINDINGS:
        given = f"{len(raw)} findings" if type(raw) is list else f"a {type(raw).__name__}"
        reason = f"has {given}, expected a list of at most {MAX_FINDINGS}"
        return [], [Gap(kind=GapKind.MALFORMED_FINDING, subject=role.value, reason=reason)]
    findings: list[Finding] = []
    gaps: list[Gap] = []
    for position, item in enumerate(raw):
        problem = finding_problem(item, files)
        if problem:
            subject = f"{role.value}[{position}]"
            gaps.append(Gap(kind=GapKind.MALFORMED_FINDING, subject=subject, reason=problem))
        else:
            findings.append(Finding(role=role, **{**item, "severity": Severity(item["severity"])}))
    return findings, gaps


def finding_problem(item: object, files: Mapping[str, SourceFile]) -> str:
    """Return why *item* is no finding about *files*, or an empty text."""
    if type(item) is not dict or set(item) != _FIELDS:
        given = ", ".join(sorted(map(shown, item))[:MAX_UNKNOWN_FIELDS]) if type(item) is dict else type(item).__name__
        return f"has the fields {given}, expected {', '.join(sorted(_FIELDS))}"
    texts = all(type(item[field]) is str for field in ("path", "receipt", "quote", "severity", "claim"))
    numbers = all(
        type(item[field]) is int and abs(item[field]) <= MAX_SAFE_INTEGER for field in ("start_line", "end_line")
    )
    if not texts or not numbers:
        return "has a field of the wrong type, expected whole numbers for lines and texts otherwise"
    if item["severity"] not in list(Severity):
        return f"has the severity {shown(item['severity'])}, expected one of {', '.join(Severity)}"
    if not 1 <= len(item["claim"].strip()) <= MAX_CLAIM:
        return f"has a claim of {len(item['claim'])} characters, expected 1 to {MAX_CLAIM}"
    if len(item["quote"]) > MAX_QUOTE:
        return f"has a quote of {len(item['quote'])} characters, expected at most {MAX_QUOTE}"
    if any("\ud800" <= character <= "\udfff" for character in item["claim"]):
        return "has a claim with a lone surrogate"
    return _place_problem(item, files)


def _place_problem(item: dict[str, Any], files: Mapping[str, SourceFile]) -> str:
    file = files.get(item["path"])
    if file is None:
        return f"is about {shown(item['path'], 120)}, which was not captured"
    if item["receipt"] != file.receipt:
        return f"names the receipt {item['receipt'][:12]!r}, {file.path} was captured as {file.receipt[:12]!r}"
    start, end = item["start_line"], item["end_line"]
    if not 1 <= start <= end <= len(file.lines):
        return f"is about lines {start} to {end}, {file.path} has lines 1 to {len(file.lines)}"
    if item["quote"] != file.quote(start, end):
        return f"does not quote lines {start} to {end} of {file.path} exactly"
    return ""
