"""A scenario file as text: parsed without trust, with the line of every value.

Only a plain subset of YAML is read: mappings, sequences and scalars resolved by the core schema of YAML 1.2
(so ``no`` is text, not false). Tags, anchors and aliases are refused; with them a small file could ask for
unbounded work. Everything that is wrong with the text is reported, not only the first thing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Final

import yaml

from mast.errors import ScenarioError
from mast.scenario.entry import Problem, Steps
from trustrail.foundation import MAX_SAFE_INTEGER

MAX_BYTES: Final = 1 << 20
"""Largest file that is read, in bytes; larger worlds come from generators."""

MAX_NESTING: Final = 32
"""Deepest nesting; the scenario format needs seven levels."""

_NO_TEXT: Final = "?"
"""Stands for a key that is a mapping or a sequence, as it does in YAML's own notation."""

_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_REAL: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: Final[dict[str, bool | None]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


@dataclass(slots=True)
class Document:
    """What a file says, and on which line it says it."""

    name: str
    """The file's name, as the reader knows it."""
    value: Any = None
    lines: dict[Steps, int] = field(default_factory=dict)
    """Line of each value, counted from 1, by its path from the top."""
    problems: list[Problem] = field(default_factory=list)

    def placed(self, problems: Iterable[Problem]) -> list[str]:
        """Return *problems* as ``file:line: place is …``, from the top of the file to its end.

        A document without a name was not read from a file; then only the place is given.
        """
        if not self.name:
            return [f"{written(problem.path)}{problem.text}" for problem in problems]
        numbered = sorted((self._line(problem), f"{written(problem.path)}{problem.text}") for problem in problems)
        return [f"{self.name}:{line}: {text}" for line, text in numbered]

    def line_in(self, placed: str) -> int:
        """Return the line that a placed problem names; one beyond all lines when it is about another file."""
        line = placed.removeprefix(f"{self.name}:").partition(":")[0]
        return int(line) if line.isdecimal() else MAX_BYTES + 1

    def _line(self, problem: Problem) -> int:
        path = problem.path
        known = (self.lines[path[:end]] for end in range(len(path), -1, -1) if path[:end] in self.lines)
        return problem.line or next(known, 1)


def written(path: Steps) -> str:
    """Return *path* as people write it, with a space after it: ``routes[0].claims ``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
    return f"{text} " if text else "the file "


def read_document(path: Path, name: str | None = None) -> Document:
    """Read the file at *path*.

    Raises:
        ScenarioError: if it cannot be read, is too large, or is not UTF-8.
    """
    name = name or str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ScenarioError([f"{name}: cannot be read: {error.strerror}"]) from error
    if len(data) > MAX_BYTES:
        raise ScenarioError([f"{name}: is larger than {MAX_BYTES} bytes; use a generator for large worlds"])
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ScenarioError([f"{name}:{line}: the file is not UTF-8: {error.reason}"]) from error
    return parse_document(text, name)


def parse_document(text: str, name: str) -> Document:
    """Return what *text* says; the document lists what is wrong with it.

    Raises:
        ScenarioError: if *text* is no YAML at all.
    """
    document = Document(name)
    builder = _Builder(document)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.DocumentStartEvent) and document.lines:
                document.problems.append(Problem((), "holds more than one document; expected one", _line_of(event)))
                break
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ScenarioError([f"{name}:{line}: the file is not YAML: {error.problem}"]) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise ScenarioError([f"{name}:1: the file is not YAML: {' '.join(str(error).split())}"]) from error
    return document


_Decorated = yaml.ScalarEvent | yaml.MappingStartEvent | yaml.SequenceStartEvent


def _line_of(event: yaml.Event) -> int:
    """Return the line on which *event* starts, counted from 1."""
    return 1 if event.start_mark is None else event.start_mark.line + 1


class _TooDeepError(yaml.YAMLError):
    """The nesting is deeper than any scenario needs."""


class _Builder:
    """Builds the value from parser events, without recursion."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._open: list[tuple[Any, Steps]] = []
        self._key: list[str | None] = []

    def take(self, event: yaml.Event) -> None:
        """Take the next event of the parser."""
        if isinstance(event, yaml.AliasEvent):
            self._refuse(event, "is an alias; write the value out")
            self._add(event, None)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._start(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._open.pop()
            self._key.pop()

    def _start(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        if len(self._open) >= MAX_NESTING:
            line = _line_of(event)
            raise _TooDeepError(f"nesting at line {line} is deeper than {MAX_NESTING} levels")
        container: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._refuse_decoration(event)
        path = self._add(event, container)
        self._open.append((container, path))
        self._key.append(None)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self._refuse_decoration(event)
        if self._open and isinstance(self._open[-1][0], dict) and self._key[-1] is None:
            self._take_key(event)
            return
        self._add(event, self._resolved(event))

    def _take_key(self, event: yaml.ScalarEvent) -> None:
        container, path = self._open[-1]
        key = event.value
        if not key.isprintable():
            key = ascii(key)
            self._refuse(event, "is a key with unprintable characters", (*path, key))
        self._key[-1] = key
        if key in container:
            first = self._document.lines[(*path, key)]
            self._refuse(event, f"is given twice, first on line {first}; names must be unique", (*path, key))
        else:
            self._document.lines[*path, key] = _line_of(event)

    def _add(self, event: yaml.Event, value: object) -> Steps:
        """Put *value* where the parser is, and return its path."""
        line = _line_of(event)
        if not self._open:
            self._document.value = value
            self._document.lines[()] = line
            return ()
        container, path = self._open[-1]
        if isinstance(container, list):
            container.append(value)
            path = (*path, len(container) - 1)
            self._document.lines[path] = line
            return path
        key = self._key[-1]
        path = (*path, _NO_TEXT if key is None else key)
        if key is None:
            self._document.lines.setdefault(path, line)
            self._refuse(event, "is a key that is not text", path)
            self._key[-1] = _NO_TEXT
            return path
        self._key[-1] = None
        if key not in container:
            container[key] = value
        return path

    def _resolved(self, event: yaml.ScalarEvent) -> str | float | bool | None:
        text = event.value
        if any("\ud800" <= character <= "\udfff" for character in text):
            self._refuse(event, "holds a lone surrogate, which is not a character")
            return ""
        if not event.implicit[0]:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            return self._integer(event, text)
        if _NOT_FINITE.fullmatch(text):
            self._refuse(event, f"is {text}; expected a finite number")
            return 0
        if not _REAL.fullmatch(text):
            return text
        if not isfinite(float(text)):
            self._refuse(event, f"is {text}; expected a finite number")
            return 0
        return float(text)

    def _integer(self, event: yaml.Event, text: str) -> int:
        digits = text.lstrip("+-0")
        if len(digits) > len(str(MAX_SAFE_INTEGER)) or int(text) not in range(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER + 1):
            shown = text if len(text) <= 40 else f"{text[:20]}… ({len(text)} digits)"
            self._refuse(event, f"is {shown}; expected a whole number of at most 2^53 - 1 = {MAX_SAFE_INTEGER}")
            return 0
        return int(text)

    def _refuse_decoration(self, event: _Decorated) -> None:
        if event.anchor is not None:
            self._refuse(event, f"has the anchor &{event.anchor}; write values out where they are used")
        if event.tag not in (None, "!"):
            self._refuse(event, f"has the tag {event.tag}; tags are not read")

    def _refuse(self, event: yaml.Event, text: str, path: Steps | None = None) -> None:
        here = self._place() if path is None else path
        self._document.problems.append(Problem(here, text, _line_of(event)))

    def _place(self) -> Steps:
        if not self._open:
            return ()
        container, path = self._open[-1]
        if isinstance(container, list):
            return (*path, len(container))
        key = self._key[-1]
        return path if key is None else (*path, key)
