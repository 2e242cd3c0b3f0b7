"""Whether a file has the shape of its model: pydantic's findings in the words of a scenario.

What is wrong is cut out and the rest is validated again, so that one mistake does not hide the next.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from mast.errors import nearest
from mast.scenario.entry import Problem

_ROUNDS: Final = 32
"""How often what is wrong is cut out; each round gets past one level of nesting."""

_LONGEST_SHOWN: Final = 60

Model = TypeVar("Model", bound=BaseModel)


def shaped(model: type[Model], value: object) -> tuple[Model | None, list[Problem]]:
    """Return *value* as *model*, without the parts that are wrong, and every problem found.

    The model is None when too little is left of it.
    """
    value = deepcopy(value)
    problems: dict[Problem, None] = {}
    for _ in range(_ROUNDS):
        known_keys: dict[int, Sequence[str]] = {}
        try:
            return model.model_validate(value, context=known_keys), list(problems)
        except ValidationError as error:
            details = error.errors(include_url=False)
        found = [_problem(detail, value, known_keys) for detail in details]
        problems |= dict.fromkeys(found)
        whole = False
        for path, detail in sorted(zip((item.path for item in found), details, strict=True), key=_by_path):
            whole = not _cut(value, path[:-1] if detail["type"] == "missing" else path) or whole
        if whole:
            break
    return None, list(problems)


def _by_path(item: tuple[tuple[str | int, ...], ErrorDetails]) -> tuple[Any, ...]:
    """Sort later elements of a list first, so that cutting one does not move another."""
    return tuple((-step, "") if isinstance(step, int) else (0, step) for step in item[0])


def _cut(value: object, path: tuple[str | int, ...]) -> bool:
    """Remove what is at *path*; return False when that would be everything."""
    if not path:
        return False
    for step in path[:-1]:
        value = _inside(value, step)
    if isinstance(value, dict):
        value.pop(path[-1], None)
    elif isinstance(value, list) and isinstance(path[-1], int) and path[-1] < len(value):
        del value[path[-1]]
    return True


def _inside(value: object, step: str | int) -> object:
    if isinstance(value, Mapping) and step in value:
        return value[step]
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def _problem(detail: ErrorDetails, value: object, known_keys: Mapping[int, Sequence[str]]) -> Problem:
    """Return the problem that *detail* reports, at its path in *value*.

    Pydantic puts names of union members into a location; those lead nowhere in the value and are left out.
    """
    path: list[str | int] = []
    here = value
    for step in detail["loc"]:
        inside = _inside(here, step)
        if inside is not None or (isinstance(here, dict) and step in here):
            path.append(step)
            here = inside
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        return Problem((*path, detail["loc"][-1]), "is missing")
    if kind == "extra_forbidden":
        container = value
        for step in path[:-1]:
            container = _inside(container, step)
        return Problem(tuple(path), f"is not a known key{nearest(str(path[-1]), known_keys.get(id(container), ()))}")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        key = context["discriminator"].strip("'")
        if kind == "union_tag_not_found":
            return Problem((*path, key), "is missing")
        tags = [tag.strip("'") for tag in context["expected_tags"].split(", ")]
        return Problem((*path, key), f"is {_shown(context['tag'])}{nearest(str(context['tag']), tags)}")
    return Problem(tuple(path), _text(kind, context, detail))


def _text(kind: str, context: Mapping[str, Any], detail: ErrorDetails) -> str:
    given = f"is {_shown(detail['input'])}"
    if kind in ("literal_error", "enum"):
        options = [option.strip("'") for option in context["expected"].replace(" or ", ", ").split(", ")]
        only = f"; expected {options[0]!r}"
        return given + (only if len(options) == 1 else nearest(str(detail["input"]), options))
    if kind == "greater_than_equal":
        return f"{given}; expected {context['ge']} or more"
    if kind == "less_than_equal":
        return f"{given}; expected {context['le']} or less"
    if kind == "too_long":
        return f"has {context['actual_length']} items; expected at most {context['max_length']}"
    if kind == "too_short":
        return f"has {context['actual_length']} items; expected at least {context['min_length']}"
    if kind == "value_error":
        return f"is refused: {context['error']}"
    expected = detail["msg"].removeprefix("Input should be ").removeprefix("String should ")
    return f"{given}; expected {expected}"


def _shown(value: object) -> str:
    text = "null" if value is None else repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
