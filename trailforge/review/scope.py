"""What is reviewed: whose, which revision, which files. Checked before anything is read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from trailforge.errors import PathListError, Problem, ReviewRefusedError
from trailforge.errors.showing import shown
from trailforge.workspace import admit_paths
from trustrail.foundation import MAX_SAFE_INTEGER, canonical_json, digest_hex

DEFAULT_FILE_BYTES: Final = 256 * 1024
"""Bytes captured of one file unless the host sets another bound; ours."""

MAX_NAME: Final = 256
"""Characters of one name; ours."""


class Role(StrEnum):
    """The four configured outputs of the one callback; they are not agents."""

    SECURITY = "security"
    CORRECTNESS = "correctness"
    TESTS = "tests"
    DOCUMENTATION = "documentation"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewScope:
    """One review as asked for; make it with `review_scope`."""

    tenant: str
    resource: str
    revision: str
    """Revision of the resource the files are taken from, as the host names it."""
    paths: tuple[str, ...]
    """Canonical paths, sorted."""
    max_file_bytes: int
    number: int = 1
    """Which review of these very files it is; another number is another review."""

    def to_record(self) -> dict[str, Any]:
        """Return the scope as a JSON object."""
        return {
            "max_file_bytes": self.max_file_bytes,
            "number": self.number,
            "paths": list(self.paths),
            "resource": self.resource,
            "revision": self.revision,
            "tenant": self.tenant,
        }

    @property
    def review_id(self) -> str:
        """Name of this review: the same scope is the same review."""
        return f"review-{digest_hex(canonical_json(self.to_record()))[:24]}"


def review_scope(
    *,
    tenant: str,
    resource: str,
    revision: str,
    paths: Sequence[str],
    max_file_bytes: int = DEFAULT_FILE_BYTES,
    number: int = 1,
) -> ReviewScope:
    """Return the scope of one review of 1 to 128 canonical *paths*.

    Raises:
        ReviewRefusedError: naming everything that is wrong.
    """
    problems: list[Problem] = []
    for field, value in (("tenant", tenant), ("resource", resource), ("revision", revision)):
        problems += _name_problems(field, value)
    for field, amount in (("max_file_bytes", max_file_bytes), ("number", number)):
        if type(amount) is not int or not 1 <= amount <= MAX_SAFE_INTEGER:
            problems.append(Problem(field, f"is {shown(amount)}, expected an integer from 1 to {MAX_SAFE_INTEGER}"))
    admitted: tuple[str, ...] = ()
    try:
        admitted = admit_paths(paths)
    except PathListError as error:
        problems.extend(Problem("paths", problem) for problem in error.problems)
    if problems:
        raise ReviewRefusedError(problems)
    return ReviewScope(
        tenant=tenant,
        resource=resource,
        revision=revision,
        paths=admitted,
        max_file_bytes=max_file_bytes,
        number=number,
    )


def _name_problems(field: str, value: object) -> Iterator[Problem]:
    if type(value) is not str:
        yield Problem(field, f"is a {type(value).__name__}, expected text")
        return
    if not 1 <= len(value) <= MAX_NAME:
        yield Problem(field, f"has {len(value)} characters, expected 1 to {MAX_NAME}")
    if any("\ud800" <= character <= "\udfff" or character == "\x00" for character in value):
        yield Problem(field, "has a lone surrogate or a NUL")
