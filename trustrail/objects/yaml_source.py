"""YAML read strictly: one document of plain JSON values, each with the line it stands on.

Anchors, aliases, tags, merge keys and repeated keys are refused, and so are the words that YAML 1.1 turns
into booleans, dates or numbers (``no``, ``2026-05-03``, ``14:40``) behind the author's back. A file is at most
`MAX_BYTES` long and `MAX_DEPTH` deep. Every problem of a file is reported, not only the first.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from trustrail.errors import ObjectFileError, Problem
from trustrail.foundation.files import read_at_most
from trustrail.objects.shape import Place

MAX_BYTES: Final = 1 << 20
"""Longest object file accepted, in bytes; ours, about a hundred times the longest one shipped."""

MAX_DEPTH: Final = 32
"""Deepest nesting accepted; ours."""

MAX_NUMBER: Final = 16
"""Longest number accepted, in characters: what every JSON reader keeps exact (RFC 7493 section 2.2)."""

_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
"""A number as JSON writes it (RFC 8259 section 6)."""


@dataclass(frozen=True, slots=True)
class YamlSource:
    """A document and where its parts stand."""

    file: str
    value: Any
    lines: Mapping[Place, int] = field(repr=False)
    """Line number, from 1, of each value by its place."""
    unread: frozenset[Place] = frozenset()
    """Places whose value was refused; they hold None."""

    def line_of(self, place: Sequence[str | int]) -> int:
        """Return the line of *place*, or of the nearest part of it that the file has."""
        known: Place = ()
        for part in place:
            if (*known, part) in self.lines:
                known = (*known, part)
        return self.lines[known]


def read_yaml(path: Path) -> YamlSource:
    """Read the object file at *path*.

    Raises:
        ObjectFileError: if it cannot be read or is not one strict YAML document; lists every problem.
    """
    return _whole(*scan_yaml(path))


def parse_yaml(data: bytes, *, file: str) -> YamlSource:
    """Read an object file's bytes; *file* is its name for messages.

    Raises:
        ObjectFileError: if they are not one strict YAML document; lists every problem.
    """
    return _whole(*scan_bytes(data, file=file))


def scan_yaml(path: Path) -> tuple[YamlSource, list[Problem]]:
    """Read what can be read of the object file at *path*, and list what cannot.

    Raises:
        ObjectFileError: if nothing of it can be read.
    """
    try:
        data = read_at_most(path, MAX_BYTES + 1)
    except OSError as error:
        raise ObjectFileError([Problem(file=str(path), line=1, text=f"cannot be read: {error.strerror}")]) from error
    except ValueError as error:
        raise ObjectFileError([Problem(file=str(path), line=1, text=f"is no path: {error}")]) from error
    return scan_bytes(data, file=str(path))


def scan_bytes(data: bytes, *, file: str) -> tuple[YamlSource, list[Problem]]:
    """Read what can be read of an object file's bytes, and list what cannot.

    Raises:
        ObjectFileError: if nothing of them can be read.
    """
    if len(data) > MAX_BYTES:
        text = f"is longer than {MAX_BYTES} bytes"
        raise ObjectFileError([Problem(file=file, line=1, text=text)])
    try:
        text = data.decode("utf-8")
        shared = _sharing_problems(text, file)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        problem = Problem(file=file, line=1, text=f"is not UTF-8: {error.reason} at byte {error.start}")
        raise ObjectFileError([problem]) from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        text = f"is not YAML: {error.problem or error.context}"
        raise ObjectFileError([Problem(file=file, line=line, text=text)]) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise ObjectFileError([Problem(file=file, line=1, text="is not YAML")]) from error
    if root is None:
        raise ObjectFileError([Problem(file=file, line=1, text="is empty")])
    reader = _Reader(file)
    value = reader.read(root, ())
    return YamlSource(file, value, reader.lines, frozenset(reader.unread)), [*shared, *reader.problems]


def _whole(source: YamlSource, problems: Sequence[Problem]) -> YamlSource:
    if problems:
        raise ObjectFileError(problems)
    return source


def _sharing_problems(text: str, file: str) -> list[Problem]:
    """List anchors, aliases and tags from the event stream, before anything is built.

    Raises:
        ObjectFileError: if the document is nested too deep to be built.
    """
    problems = []
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        found = f"is nested deeper than {MAX_DEPTH}" if depth > MAX_DEPTH else _sharing(event)
        if found:
            problems.append(Problem(file=file, line=_line(event), text=found))
        if depth > MAX_DEPTH:
            raise ObjectFileError(problems)
    return problems


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _sharing(event: yaml.Event) -> str | None:
    """Say what *event* shares or constructs, if anything."""
    if isinstance(event, yaml.AliasEvent):
        return f"uses the alias *{event.anchor}; write the value out"
    if isinstance(event, yaml.NodeEvent) and event.anchor:
        return f"sets the anchor &{event.anchor}; remove it"
    if isinstance(event, yaml.CollectionStartEvent | yaml.ScalarEvent) and event.tag:
        return f"has the tag {event.tag}; only plain values are read"
    return None


class _Reader:
    """Turns composed nodes into JSON values, noting lines and problems; a node is read once, however often shared."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Place, int] = {(): 1}
        self.problems: list[Problem] = []
        self.unread: set[Place] = set()
        self._seen: set[int] = set()

    def read(self, node: yaml.Node, place: Place) -> Any:  # noqa: ANN401 - any JSON value
        self.lines.setdefault(place, node.start_mark.line + 1)
        if id(node) in self._seen:
            self.unread.add(place)
            return None
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(item, (*place, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, place)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode):
                self._refuse(key_node, "has a key that is not a name")
                continue
            if key in result:
                self._refuse(key_node, f"repeats the key {key!r}")
                continue
            if key == "<<":
                self._refuse(key_node, "uses the merge key <<; write the values out")
                continue
            self.lines[(*place, key)] = key_node.start_mark.line + 1
            result[key] = self.read(value_node, (*place, key))
        return result

    def _scalar(self, node: yaml.Node, place: Place) -> Any:  # noqa: ANN401 - any JSON scalar
        word = node.value
        kind = node.tag.rsplit(":", 1)[-1]
        if kind == "str":
            return word
        if kind == "null":
            return None
        if kind == "bool" and word in ("true", "false"):
            return word == "true"
        if kind in ("int", "float") and _NUMBER.fullmatch(word) and len(word) <= MAX_NUMBER:
            return int(word) if kind == "int" else float(word)
        self.unread.add(place)
        self._refuse(node, f"has the word {word:.40}, which YAML reads as a {kind}; quote it")
        return None

    def _refuse(self, node: yaml.Node, text: str) -> None:
        self.problems.append(Problem(file=self.file, line=node.start_mark.line + 1, text=text))
