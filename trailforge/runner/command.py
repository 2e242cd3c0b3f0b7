"""What is to be run, where, and within which bounds: plain values, checked when they are made."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from trailforge.errors import CommandError
from trailforge.errors.showing import shown
from trustrail.foundation import MAX_SAFE_INTEGER, canonical_json, digest_hex

MAX_ARGUMENTS: Final = 256
"""Most arguments of one command; ours."""

MAX_TIMEOUT_MS: Final = 24 * 60 * 60 * 1000
"""Longest time one command may take, in milliseconds: a day; ours."""

MIB: Final = 1024 * 1024

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One program with its arguments and its bounds.

    Raises:
        CommandError: when made with a value out of bounds.
    """

    arguments: tuple[str, ...]
    """The program first; no shell is involved."""
    timeout_ms: int
    """Milliseconds of wall time until the whole process group is killed."""
    environment: tuple[tuple[str, str], ...] = ()
    """The whole environment besides ``PATH``, ``HOME`` and ``LANG``, which are fixed."""
    max_output_bytes: int = MIB
    """Bytes kept of each of the two output streams; the rest is read, counted and dropped."""
    max_memory_bytes: int = 2048 * MIB
    """Address space (or container memory) in bytes."""
    max_file_bytes: int = 64 * MIB
    """Largest file the command may write, in bytes."""

    def __post_init__(self) -> None:
        _require_texts("arguments", self.arguments)
        _require_pairs(self.environment)
        if not 1 <= len(self.arguments) <= MAX_ARGUMENTS or not self.arguments[0]:
            raise CommandError(f"command has {len(self.arguments)} arguments, expected 1 to {MAX_ARGUMENTS}")
        names = [name for name, _ in self.environment]
        for name in names:
            if not _VARIABLE.fullmatch(name) or names.count(name) > 1:
                raise CommandError(f"environment variable {name!r} is not a name, or is given twice")
        if type(self.timeout_ms) is not int or not 1 <= self.timeout_ms <= MAX_TIMEOUT_MS:
            raise CommandError(
                f"timeout is {shown(self.timeout_ms)} ms, expected an integer from 1 to {MAX_TIMEOUT_MS}"
            )
        for field in ("max_output_bytes", "max_memory_bytes", "max_file_bytes"):
            bound = getattr(self, field)
            if type(bound) is not int or not 1 <= bound <= MAX_SAFE_INTEGER:
                raise CommandError(f"{field} is {shown(bound)}, expected an integer of at least 1")

    def to_record(self) -> dict[str, Any]:
        """Return the command as a JSON object."""
        return {
            "arguments": list(self.arguments),
            "environment": [list(pair) for pair in sorted(self.environment)],
            "max_file_bytes": self.max_file_bytes,
            "max_memory_bytes": self.max_memory_bytes,
            "max_output_bytes": self.max_output_bytes,
            "timeout_ms": self.timeout_ms,
        }

    @property
    def digest(self) -> str:
        """64 hex digits over the canonical record."""
        return digest_hex(canonical_json(self.to_record()))


def _require_texts(subject: str, values: object) -> None:
    """Return when *values* is a tuple of texts that a program can be given."""
    if type(values) is not tuple:
        raise CommandError(f"{subject} are a {type(values).__name__}, expected a tuple of texts")
    for text in values:
        if type(text) is not str:
            raise CommandError(f"{subject} hold a {type(text).__name__}, expected texts")
        if "\x00" in text:
            raise CommandError(f"command has a NUL in {shown(text)}, which no program can be given")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise CommandError(f"command has a lone surrogate in {shown(text)}, which cannot be written as UTF-8")


def _require_pairs(environment: object) -> None:
    if type(environment) is not tuple or not all(type(pair) is tuple and len(pair) == 2 for pair in environment):
        raise CommandError("environment is no tuple of (name, value) pairs")
    for pair in environment:
        _require_texts("environment", pair)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounts:
    """The directories a command sees."""

    candidate: Path
    candidate_writable: bool
    checks: Path | None
    """Protected criteria; never writable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What the operating system is asked to start."""

    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    folder: Path
    """Working directory of the started program."""
    label: str
    """Name of this one launch, for what must be cleaned up afterwards."""


FIXED_ENVIRONMENT: Final = (("HOME", "/tmp"), ("LANG", "C.UTF-8"), ("PATH", "/usr/bin:/bin"))  # noqa: S108 - a sandbox has its own
"""What every command finds in its environment; nothing of the host's environment is passed on."""


def with_limits(command: Command) -> tuple[str, ...]:
    """Return the arguments of *command* behind ``prlimit`` (util-linux), which sets its resource limits."""
    return (
        "/usr/bin/prlimit",
        "--core=0",
        f"--as={command.max_memory_bytes}",
        f"--fsize={command.max_file_bytes}",
        "--",
        *command.arguments,
    )
