"""JSONPath (RFC 9535) over payloads, through ``python-jsonpath``.

A chain of plain member names (``$.cards``, ``$.status``) and a descent to one name (``$..card_number``) are walked
directly, since controls take such paths for every result of a run; all other paths go to the library. Both give
the same values in the same order.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Final

import jsonpath
from pydantic import AfterValidator

from trustrail.objects.shape import Name

_MEMBERS: Final = re.compile(r"\$(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_DESCENT: Final = re.compile(r"\$\.\.([A-Za-z_][A-Za-z0-9_]*)")


def _check_path(path: str) -> str:
    if not path.startswith("$"):
        raise ValueError(f"is {path!r}, expected a JSONPath that starts with $")
    try:
        _compile(path)
    except jsonpath.JSONPathError as error:
        raise ValueError(f"is {path!r}, which is not a JSONPath: {str(error).splitlines()[0]}") from error
    return path


JsonPath = Annotated[str, AfterValidator(_check_path)]
"""A JSONPath that compiles."""


def _check_argument(argument: str) -> str:
    return _check_path(argument) if argument.startswith("$") else argument


ArgumentPath = Annotated[Name, AfterValidator(_check_argument)]
"""An argument's name, or a JSONPath into the arguments that compiles."""


def _check_pattern(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is {pattern!r}, which is not a regular expression: {error}") from error
    return pattern


Pattern = Annotated[str, AfterValidator(_check_pattern)]
"""A regular expression that compiles."""


def find_values(path: str, payload: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    """Return what *path* selects in *payload*, in document order; nothing selected is an empty list.

    A text is a value and has no members, even where it reads like JSON.
    """
    try:
        return _compile(path)(payload)
    except jsonpath.JSONPathError:
        return []


@lru_cache(maxsize=1024)
def _compile(path: str) -> Callable[[Any], list[Any]]:
    if _MEMBERS.fullmatch(path):
        return _walk(path.split(".")[1:])
    descent = _DESCENT.fullmatch(path)
    return _descend(descent.group(1)) if descent else _search(jsonpath.compile(path).findall)


def _search(findall: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
    def search(payload: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
        # NOTE: the library parses a text as JSON, and raises where it is cut off; here a text is a value.
        return findall(payload) if type(payload) in (dict, list) else []

    return search


def _walk(names: list[str]) -> Callable[[Any], list[Any]]:
    def walk(payload: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
        for name in names:
            if type(payload) is not dict or name not in payload:
                return []
            payload = payload[name]
        return [payload]

    return walk


def _descend(name: str) -> Callable[[Any], list[Any]]:
    def descend(payload: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
        found: list[Any] = []
        pending = [payload]
        while pending:
            node = pending.pop()
            if type(node) is dict:
                if name in node:
                    found.append(node[name])
                pending.extend(reversed(node.values()))
            elif type(node) is list:
                pending.extend(reversed(node))
        return found

    return descend
