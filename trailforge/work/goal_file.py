"""Reading a goal from a YAML (or JSON) file, with every problem at its line.

Only plain JSON values are read: no tags, no dates, no repeated keys. What a goal may be is decided by admission.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from trailforge.errors import AdmissionError, Problem, UsageError
from trailforge.work.goal import Check, Goal, Limits, Task

MAX_GOAL_BYTES: Final = 4 << 20
"""Largest goal file; ours, above 128 tasks of a full input each would not be a file a person wrote."""

_INTEGER: Final = "tag:yaml.org,2002:int"
_MAX_DIGITS: Final = 17
"""Digits and sign of any safe integer; longer ones are refused before they are converted."""


class _PlainLoader(yaml.SafeLoader):
    """SafeLoader without dates and without repeated keys."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - overrides an attribute of PyYAML
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

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


def load_goal(path: Path) -> Goal:
    """Read the goal in the file at *path*.

    Raises:
        UsageError: if the file cannot be read as YAML.
        AdmissionError: with every field that has the wrong name or type, each with its line.
    """
    text, node = _read(path)
    try:
        value = yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - derived from SafeLoader
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: {_one_line(error)}") from error
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    except (RecursionError, ValueError, TypeError) as error:
        raise UsageError(f"{path}: cannot be read as YAML: {_one_line(error)}") from error
    lines = dict(_lines("", node))
    problems: list[Problem] = []
    goal = _goal(value, problems)
    if problems or goal is None:
        place = {problem: lines.get(problem.field, _nearest(problem.field, lines)) for problem in problems}
        raise AdmissionError([Problem(f"{path}:{place[p]}: {p.field or 'goal'}", p.message) for p in problems])
    return goal


def _read(path: Path) -> tuple[str, yaml.Node]:
    try:
        data = path.read_bytes()
        if len(data) > MAX_GOAL_BYTES:
            raise UsageError(f"{path} is {len(data)} bytes, expected at most {MAX_GOAL_BYTES}")
        text = data.decode("utf-8")
        node = yaml.compose(text, Loader=_PlainLoader)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: {_one_line(error)}") from error
    except RecursionError as error:
        raise UsageError(f"{path} is nested too deep to read") from error
    if node is None:
        raise UsageError(f"{path} is empty, expected a goal")
    return text, node


def _goal(value: object, problems: list[Problem]) -> Goal | None:
    parts = _fields("", value, Goal, problems)
    if parts is None:
        return None
    for name, kind in (("tasks", Task), ("checks", Check)):
        items = parts.get(name, [])
        if type(items) is not list:
            problems.append(Problem(name, f"is a {type(items).__name__}, expected a list"))
            continue
        for index, item in enumerate(items):
            _convert(f"{name}[{index}]", item, kind, problems)
    if "limits" in parts:
        _convert("limits", parts["limits"], Limits, problems)
    if problems:
        return None
    goal: Goal | None = _convert("", value, Goal, problems)
    return goal


def _convert(place: str, value: object, kind: type[Any], problems: list[Problem]) -> Any:  # noqa: ANN401
    """Return *value* as a *kind*, or add what is wrong with it."""
    if _fields(place, value, kind, problems) is None:
        return None
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message, _, inner = str(error).partition(" - at `$")
        problems.append(Problem(_joined(place, inner.removesuffix("`").lstrip(".")), message))
        return None


def _fields(place: str, value: object, kind: type[Any], problems: list[Problem]) -> Mapping[str, Any] | None:
    """Return *value* when it is a mapping with the field names of *kind*."""
    if type(value) is not dict:
        problems.append(Problem(place, f"is a {type(value).__name__}, expected a mapping"))
        return None
    known = {field.name: field for field in fields(kind)}
    found = len(problems)
    for name in value:
        if name not in known:
            close = get_close_matches(str(name), known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            problems.append(Problem(_joined(place, str(name)), f"is not a field here{hint}"))
    for name, field in known.items():
        if name not in value and field.default is MISSING and field.default_factory is MISSING:
            problems.append(Problem(_joined(place, name), "is missing"))
    return value if len(problems) == found else None


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
