"""Audit the licences of everything this package depends on: ``python -m trustrail.demo.licenses``.

Read from the metadata of what is installed, extras included where they are. A licence that is not on the list
below, or none at all, fails the audit: what nobody has looked at is not assumed to be fine.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Final

PROJECT: Final = "mast-simulator"

ALLOWED: Final = (
    "0bsd", "apache", "blueoak", "bsd", "cc0", "hpnd", "isc", "mit", "mit-cmu", "mpl", "mozilla public license",
    "psf", "python software foundation", "unlicense", "zlib", "zpl",
)  # fmt: skip
"""Words of licences that allow use in a work under another licence; MPL-2.0 is copyleft for its own files only."""

REFUSED: Final = ("gpl", "agpl", "lgpl", "sspl", "busl", "commons clause", "proprietary", "non-commercial")
"""Words of licences that reach beyond their own files, or forbid some use."""

REVIEWED: Final = {
    "apsw": "any-OSI: its author lets it be used under any licence the Open Source Initiative approves; we take MIT",
    "psycopg": "LGPL-3.0-only: used through its public interface, unmodified, as an extra",
    "psycopg-binary": "LGPL-3.0-only: used through its public interface, unmodified, as an extra",
}
"""Exceptions, each with its reason."""


_NAME_END: Final = re.compile(r"[^A-Za-z0-9._-]")
"""What ends the name in a requirement (PEP 508)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One installed dependency and whether its licence is allowed."""

    name: str
    version: str
    licence: str
    is_allowed: bool
    remark: str = ""


def audit(roots: Sequence[str]) -> list[Finding]:
    """Return a finding for each installed distribution that *roots* need, extras included, in order of name."""
    found: dict[str, Distribution] = {}
    waiting = list(roots)
    while waiting:
        name = _normal(waiting.pop())
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        waiting.extend(_NAME_END.split(line, maxsplit=1)[0] for line in found[name].requires or [])
    return [judge(name, part.version, licence_of(part)) for name, part in sorted(found.items())]


def judge(name: str, version: str, licence: str) -> Finding:
    """Return the finding on one distribution's stated *licence*."""
    words = licence.lower()
    if name in REVIEWED:
        return Finding(name=name, version=version, licence=licence, is_allowed=True, remark=REVIEWED[name])
    choices = re.split(r"\s+or\s+|;", words)
    is_allowed = any(_is_allowed(choice) for choice in choices)
    remark = "" if is_allowed else "unknown licence" if not words else "not on the list of allowed licences"
    return Finding(name=name, version=version, licence=licence or "none", is_allowed=is_allowed, remark=remark)


def licence_of(part: Distribution) -> str:
    """Return the licence a distribution states: its expression, its classifiers, or its short licence field."""
    metadata = part.metadata
    if "License-Expression" in metadata:
        return str(metadata["License-Expression"])
    classified = [
        line.rpartition("::")[2].strip()
        for line in metadata.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    stated = [name for name in classified if name != "OSI Approved"]
    if stated:
        return "; ".join(stated)
    field = str(metadata["License"]).strip() if "License" in metadata else ""
    return field.splitlines()[0][:80] if field else ""


def main() -> int:
    """Print the audit and return 1 if a licence is not allowed."""
    findings = audit([PROJECT])
    if not findings:
        sys.stderr.write(f"{PROJECT} is not installed; install it before its licences are audited\n")
        return 2
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark = "ok  " if finding.is_allowed else "FAIL"
        line = f"{mark} {finding.name:<{width}} {finding.version:<12} {finding.licence}"
        sys.stdout.write(f"{line}  ({finding.remark})\n" if finding.remark else f"{line}\n")
    refused = [finding for finding in findings if not finding.is_allowed]
    sys.stdout.write(f"{len(findings)} dependencies, {len(refused)} not allowed\n")
    return 1 if refused else 0


def _is_allowed(words: str) -> bool:
    return any(_begins(word, words) for word in ALLOWED) and not any(_begins(word, words) for word in REFUSED)


def _begins(word: str, words: str) -> bool:
    """Whether a word of *words* begins with *word*: ``mit`` is in "MIT License", not in "limited"."""
    return re.search(rf"(?<![a-z]){re.escape(word)}", words) is not None


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
