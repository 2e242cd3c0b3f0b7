"""Reading a goal from a YAML (or JSON) file, with every problem at its line.

Only plain JSON values are read: numbers, true, false and null as JSON writes them, and everything else as text; no
tags, no aliases, no repeated keys. What a goal may be is decided by admission, whose problems get their lines here.
"""

import re
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, get_type_hints

import msgspec
import yaml

from trailforge.errors import AdmissionError, Problem, UsageError
from trailforge.work.goal import Check, Goal, Limits, Task

MAX_GOAL_BYTES: Final = 4 << 20
"""Largest goal file; ours, above 128 tasks of a full input each would not be a file a person wrote."""

_INTEGER: Final = "tag:yaml.org,2002:int"
_MAX_DIGITS: Final = 17
"""Digits and sign of any safe integer; longer ones are refused before they are converted."""


_SCALARS: Final = (
    ("null", r"(?:null|~|)", "n~"),
    ("bool", r"(?:true|false)", "tf"),
    ("int", r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|-?\.inf|\.nan)", "-.0123456789"),
)
"""What is no text when it stands unquoted (RFC 8259 sections 3 and 6), with its first characters; beside it YAML's
infinities and NaN, so that they are refused as such."""


class _PlainLoader(yaml.SafeLoader):
    """SafeLoader for JSON's scalars, without aliases and without repeated keys."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - overrides an attribute of PyYAML

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Refuse an alias: a few of them can stand for more values than any machine holds."""
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise UsageError(f"line {event.start_mark.line + 1}: has the alias *{event.anchor}; write the value out")
        node: yaml.Node | None = super().compose_node(parent, index)
        return node

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:  # noqa: ANN401 - as PyYAML has it
        """Join the two halves in which JSON escapes a character beyond U+FFFF (RFC 8259 section 7)."""
        text = super().construct_scalar(node)
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:  # half a character: admission refuses it by name
            return text

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        """Refuse a key that comes twice."""
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for position, key in enumerate(keys):
            if key in keys[:position]:
                line = node.value[position][0].start_mark.line + 1
                raise UsageError(f"line {line}: repeats the key {key!r}")
        return super().construct_mapping(node, deep=deep)


def _construct_integer(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    if len(node.value) > _MAX_DIGITS:
        line = node.start_mark.line + 1
        raise UsageError(f"line {line}: integer of {len(node.value)} digits, expected one within +-(2**53 - 1)")
    return loader.construct_yaml_int(node)


_PlainLoader.add_constructor(_INTEGER, _construct_integer)
for _name, _pattern, _first in _SCALARS:
    _PlainLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(f"{_pattern}$"), list(_first))
_PlainLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("$"), [""])


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFile:
    """A goal, and where in its file each part stands."""

    path: Path
    goal: Goal
    lines: Mapping[str, int]
    """Line of each field, by its path as admission writes it."""

    @contextmanager
    def located(self) -> Iterator[None]:
        """Give what admission finds wrong in the block with this file's goal its place in the file."""
        try:
            yield
        except AdmissionError as error:
            raise AdmissionError([self._at(problem) for problem in error.problems]) from error

    def _at(self, problem: Problem) -> Problem:
        if re.split(r"[.\[]", problem.field)[0] not in Goal.__dataclass_fields__:
            return problem
        return Problem(f"{self.path}:{_nearest(problem.field, self.lines)}: {problem.field}", problem.message)


def load_goal(path: Path) -> GoalFile:
    """Read the goal in the file at *path*.

    Raises:
        UsageError: if the file cannot be read as YAML.
        AdmissionError: with every field that has the wrong name or type, each with its line.
    """
    text, node = _read(path)
    lines = dict(_lines("", node))
    try:
        value = yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - derived from SafeLoader
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: {_one_line(error)}") from error
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    except (RecursionError, ValueError, TypeError) as error:
        raise UsageError(f"{path}: cannot be read as YAML: {_one_line(error)}") from error
    problems: list[Problem] = []
    goal = _object("", value, Goal, problems)
    if problems:
        located = [(_nearest(problem.field, lines), problem) for problem in problems]
        raise AdmissionError(
            [Problem(f"{path}:{line}: {problem.field or 'goal'}", problem.message) for line, problem in located]
        )
    return GoalFile(path=path, goal=goal, lines=lines)


def _read(path: Path) -> tuple[str, yaml.Node]:
    text = _text(path)
    try:
        node = yaml.compose(text, Loader=_PlainLoader)
    except (yaml.YAMLError, UsageError) as error:
        raise UsageError(f"{path}: {_one_line(error)}") from error
    except RecursionError as error:
        raise UsageError(f"{path} is nested too deep to read") from error
    if node is None:
        raise UsageError(f"{path} is empty, expected a goal")
    return text, node


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_GOAL_BYTES + 1)  # not all of it: it may have no end
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > MAX_GOAL_BYTES:
        raise UsageError(f"{path} is larger than {MAX_GOAL_BYTES} bytes, the most a goal file may have")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error


def _object(place: str, value: object, kind: type[Any], problems: list[Problem]) -> Any:  # noqa: ANN401
    """Return *value* as a *kind*, or add everything that is wrong with it."""
    if type(value) is not dict:
        problems.append(Problem(place, f"is a {type(value).__name__}, expected a mapping"))
        return None
    found = len(problems)
    problems += _wrong_names(place, value, kind)
    types = get_type_hints(kind)
    parts = {
        name: _part(_joined(place, name), item, types[name], problems) for name, item in value.items() if name in types
    }
    return kind(**parts) if len(problems) == found else None


def _wrong_names(place: str, value: Mapping[Any, object], kind: type[Any]) -> Iterator[Problem]:
    known = {field.name: field for field in fields(kind)}
    for name in value:
        if name not in known:
            close = get_close_matches(str(name), known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            yield Problem(_joined(place, str(name)), f"is not a field here{hint}")
    for name, field in known.items():
        if name not in value and field.default is MISSING and field.default_factory is MISSING:
            yield Problem(_joined(place, name), "is missing")


_LISTS: Final[Mapping[Any, type[Any]]] = {tuple[Task, ...]: Task, tuple[Check, ...]: Check}


def _part(place: str, value: object, kind: Any, problems: list[Problem]) -> Any:  # noqa: ANN401 - any type of a field
    if kind is Limits:
        return _object(place, value, Limits, problems)
    if kind in _LISTS:
        return _objects(place, value, _LISTS[kind], problems)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message, _, inner = str(error).partition(" - at `$")
        problems.append(Problem(f"{place}{inner.removesuffix('`')}", message))
        return None


def _objects(place: str, value: object, kind: type[Any], problems: list[Problem]) -> tuple[Any, ...]:
    if type(value) is not list:
        problems.append(Problem(place, f"is a {type(value).__name__}, expected a list"))
        return ()
    return tuple(_object(f"{place}[{index}]", item, kind, problems) for index, item in enumerate(value))


def _lines(path: str, node: yaml.Node) -> Iterator[tuple[str, int]]:
    yield path, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for key, item in node.value:
            yield from _lines(_joined(path, str(key.value)), item)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _lines(f"{path}[{index}]", item)


def _nearest(field: str, lines: Mapping[str, int]) -> int:
    """Line of the closest enclosing field the file has."""
    while field and field not in lines:
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
    return lines.get(field, 1)


def _joined(place: str, name: str) -> str:
    return f"{place}.{name}" if place and name else place or name


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
