"""The root of every error of trailforge, one problem of many, and what any part may raise."""

from dataclasses import dataclass


class TrailforgeError(Exception):
    """Base of every error raised by trailforge on purpose."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a goal, and where."""

    field: str
    """Path of the field, as ``tasks[2].adapter``."""
    message: str
    """What is wrong there, with both values and the remedy."""

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


class UsageError(TrailforgeError, ValueError):
    """A command line or a file it names cannot be used; nothing ran."""


class OutputLostError(TrailforgeError, OSError):
    """A command did what it was told, and its result could not be printed; ask for it with ``trailforge status``."""


class MissingExtraError(TrailforgeError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional dependency; install mast-simulator[{extra}]")
        self.extra = extra
