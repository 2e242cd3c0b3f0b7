"""Every error trustrail raises; each class says what was refused and what has not happened."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing to mend in a file."""

    file: str
    """The file as the caller named it."""
    line: int
    """Line number, from 1."""
    text: str
    """Subject, value found, and what was expected."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class TrustrailError(Exception):
    """Base of every error raised by trustrail on purpose."""


class CanonicalizationError(TrustrailError, ValueError):
    """A value has no canonical form; nothing was encoded, hashed or signed.

    Attributes:
        path: where in the value, as ``$.a[0].b``.
        problem: what is wrong there.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class SignatureError(TrustrailError):
    """A signature does not hold over the bytes it came with; the bytes were not read further."""


class UnknownKeyError(TrustrailError, KeyError):
    """No public key is known for the stated issuer; nothing it signed can be accepted."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ChainError(TrustrailError):
    """A hash chain does not link up.

    Attributes:
        index: position of the first entry that does not fit, from 0.
    """

    def __init__(self, index: int, problem: str) -> None:
        super().__init__(f"entry {index}: {problem}")
        self.index = index


class SourceError(TrustrailError, ValueError):
    """A recording cannot be read; no event was produced from it.

    Attributes:
        place: file and position, as ``run.json: messages[3]``.
        problem: what is wrong there, and what was expected.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem


class UnknownShapeError(SourceError):
    """A recording has a shape no adapter knows, or one its adapter does not; it was not half read."""


class UnreadablePayloadError(SourceError):
    """Arguments or a result cannot be read exactly; they are reported as missing, and the rest is read."""


class UnknownAdapterError(TrustrailError, KeyError):
    """No adapter has the given name; nothing was read."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class MissingExtraError(TrustrailError, ImportError):
    """An optional dependency is not installed; install the named extra and try again."""


class EventFormatError(TrustrailError, ValueError):
    """A line is not one canonical event; no event of its stream was handed out.

    Attributes:
        line: number of the line, from 1.
    """

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"event line {line}: {problem}")
        self.line = line


class ObjectFileError(TrustrailError, ValueError):
    """An object file (control, pack, profile, fixture, testcase) is not usable; nothing of it was used.

    Attributes:
        problems: everything wrong with the file, in line order.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class UnknownObjectError(TrustrailError, LookupError):
    """No shipped object has this name and no file is there; the message lists the nearest name."""


class UnknownLanguageError(TrustrailError, LookupError):
    """There are no consent rules for a language, or its file cannot be used; no message was read with it."""


class PackError(TrustrailError):
    """An evidence pack breaks a rule, or cannot be written; nothing in it may be relied on.

    Attributes:
        rule: name of the rule (`trustrail.evidence.Rule`).
        path: the file inside the pack, or the pack itself.
    """

    def __init__(self, rule: str, path: str, problem: str) -> None:
        super().__init__(f"{rule}: {path} {problem}")
        self.rule = rule
        self.path = path


class UnknownControlError(TrustrailError, LookupError):
    """A policy profile names a control that no rule stands behind; nothing was judged."""


class KeyFileError(TrustrailError, ValueError):
    """A key file cannot be read or written; nothing was signed or verified with it."""


class DemoError(TrustrailError):
    """A demo cannot run as asked: an object lacks what a journey needs, or a framework is not known."""


class OutputError(TrustrailError):
    """A result cannot be written where it was asked for; nothing else was changed."""
