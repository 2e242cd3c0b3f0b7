"""LocalRetrieval: which allow-listed files hold exactly this text, ignoring case.

Matching is EXACT_LITERAL within one line: no ranking, no fragments, no meaning. Answers are bound to the
revision of the allow-listed files (a digest over their paths and contents), sorted by path, and marked as
untrusted: what is found is data somebody wrote, never an instruction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from trailforge.errors import QueryRefusedError, RevisionChangedError
from trailforge.workspace.lines import source_lines
from trailforge.workspace.paths import admit_paths
from trailforge.workspace.root import HeldRoot
from trustrail.foundation import canonical_json, digest_hex

MAX_LITERAL: Final = 256
"""Longest literal in characters; ours."""

MAX_MATCHES: Final = 100
"""Most matching lines reported for one file; ours. What is left out is counted."""

MAX_FILE_BYTES: Final = 1024 * 1024
"""Bound of one searched file in bytes; ours."""


class MatchRule(StrEnum):
    """How a query is compared with the source."""

    EXACT_LITERAL = "EXACT_LITERAL"  #: the literal occurs in the line, both case-folded


class Trust(StrEnum):
    """What may be done with returned text."""

    UNTRUSTED_SOURCE = "UNTRUSTED_SOURCE"  #: data to quote or to judge, never to obey


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedLine:
    """One line that holds the literal."""

    number: int
    """Counted from 1."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedFile:
    """One file that holds the literal."""

    path: str
    sha256: str
    lines: tuple[MatchedLine, ...]
    omitted: int
    """Matching lines beyond `MAX_MATCHES`."""
    trust: Trust = Trust.UNTRUSTED_SOURCE


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalAnswer:
    """What was found at one revision."""

    literal: str
    revision: str
    files: tuple[RetrievedFile, ...]
    """Sorted by path."""
    unreadable: tuple[str, ...]
    """Allow-listed files that are not text, sorted: a gap, since they may hold the literal."""
    rule: MatchRule = MatchRule.EXACT_LITERAL


class LocalRetrieval:
    """Searches the allow-listed files below one root.

    Attributes:
        paths: the allow-listed paths, sorted.
    """

    def __init__(self, root: Path, paths: Sequence[str]) -> None:
        """Open the existing directory *root* for searches in *paths* (1 to 128 canonical ones).

        Raises:
            PathListError: naming every problem of *paths*.
            PathRefusedError: if *root* is not a directory.
        """
        self.paths = admit_paths(paths)
        self._root = HeldRoot(root)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the directory."""
        self._root.close()

    def revision(self) -> str:
        """Return the digest of the allow-listed files as they are now, 64 hex digits.

        Raises:
            PathRefusedError, LinkedFileError, TooManyBytesError: as `HeldRoot.read` does.
        """
        return _revision(self._read())

    def search(self, literal: str, *, revision: str) -> RetrievalAnswer:
        """Return the files that hold *literal* at *revision*; what is searched is what the revision names.

        Raises:
            QueryRefusedError: if *literal* is blank, longer than `MAX_LITERAL` or has more than one line, or
                *revision* is no text.
            RevisionChangedError: if the files are at another revision.
            PathRefusedError, LinkedFileError, TooManyBytesError: as `HeldRoot.read` does.
        """
        _check_literal(literal)
        given: object = revision
        if type(given) is not str:
            raise QueryRefusedError(f"the revision is a {type(given).__name__}, expected the digest that was read")
        sources = self._read()
        actual = _revision(sources)
        if actual != revision:
            raise RevisionChangedError(f"source {self._root.location}", expected=revision, actual=actual)
        found: list[RetrievedFile] = []
        unreadable: list[str] = []
        for path, data in sources.items():
            lines = source_lines(data)
            if lines is None:
                unreadable.append(path)
                continue
            matches = _matches(lines, literal.casefold())
            if matches:
                shown = tuple(matches[:MAX_MATCHES])
                omitted = len(matches) - len(shown)
                found.append(RetrievedFile(path=path, sha256=digest_hex(data), lines=shown, omitted=omitted))
        return RetrievalAnswer(literal=literal, revision=actual, files=tuple(found), unreadable=tuple(unreadable))

    def _read(self) -> dict[str, bytes]:
        return {path: self._root.read(path, limit=MAX_FILE_BYTES) for path in self.paths}


def _revision(sources: dict[str, bytes]) -> str:
    return digest_hex(canonical_json([[path, digest_hex(data)] for path, data in sources.items()]))


def _matches(lines: tuple[str, ...], folded: str) -> list[MatchedLine]:
    return [
        MatchedLine(number=number, text=text) for number, text in enumerate(lines, start=1) if folded in text.casefold()
    ]


def _check_literal(literal: object) -> None:
    if type(literal) is not str:
        raise QueryRefusedError(f"the literal is a {type(literal).__name__}, expected some text")
    if not literal.strip():
        raise QueryRefusedError("the literal is blank, expected some text")
    if len(literal) > MAX_LITERAL:
        raise QueryRefusedError(f"the literal has {len(literal)} characters, expected at most {MAX_LITERAL}")
    if "\n" in literal:
        raise QueryRefusedError("the literal has more than one line, expected text within one line")
