"""Whether a file has the shape of its model: pydantic's findings in the words of a scenario.

What is wrong is cut out and the rest is validated again, so that one mistake does not hide the next.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from mast.errors import nearest
from mast.scenario.entry import MAX_PROBLEMS, Problem, Steps

_ROUNDS: Final = 32
"""How often what is wrong is cut out; each round gets past one level of nesting."""

_LONGEST_SHOWN: Final = 60

_ABSENT: Final = ("missing", "union_tag_not_found", "union_tag_invalid")
"""Kinds of findings whose path ends in a key that the whole around it cannot do without."""

Model = TypeVar("Model", bound=BaseModel)


class Draft:
    """A raw file from which wrong parts are cut out, and which remembers where the rest stood."""

    def __init__(self, value: object) -> None:
        self.value = deepcopy(value)
        self._places: dict[int, list[int]] = {}

    def written_at(self, path: Steps) -> Steps:
        """Return where the part now at *path* stood in the file."""
        steps: list[str | int] = []
        here = self.value
        for step in path:
            places = self._places.get(id(here))
            steps.append(places[step] if places and isinstance(step, int) and step < len(places) else step)
            here = _inside(here, step)
        return tuple(steps)

    def cut(self, paths: set[Steps]) -> bool:
        """Remove the parts at *paths*; return False when that would be everything."""
        outermost = [path for path in paths if not any(path[:end] in paths for end in range(len(path)))]
        for path in sorted(outermost, key=_later_first):
            if not path:
                return False
            container = self.value
            for step in path[:-1]:
                container = _inside(container, step)
            self._remove(container, path[-1])
        return True

    def replace(self, stand_ins: Mapping[str, str], paths: set[Steps]) -> set[Steps]:
        """Put a stand-in where one of *paths* leads to a text at the top; return the paths of those."""
        replaced: set[Steps] = {path for path in paths if len(path) == 1 and path[0] in stand_ins}
        if isinstance(self.value, dict):
            self.value.update({path[0]: stand_ins[str(path[0])] for path in replaced})
        return replaced

    def _remove(self, container: object, step: str | int) -> None:
        if isinstance(container, dict):
            container.pop(step, None)
        elif isinstance(container, list) and isinstance(step, int):
            places = self._places.setdefault(id(container), list(range(len(container))))
            del container[step], places[step]


def shaped(model: type[Model], value: object) -> tuple[Model | None, list[Problem], Draft]:
    """Return *value* as *model*, without the parts that are wrong, with every problem and the draft that is left.

    The model is None when too little is left of it. What is wrong with a whole after a part of it was cut out follows
    from the cut, and is not told.
    """
    draft = Draft(value)
    problems: dict[Steps, Problem] = {}
    for _ in range(_ROUNDS):
        known_keys: dict[int, Sequence[str]] = {}
        try:
            return model.model_validate(draft.value, context=known_keys), list(problems.values()), draft
        except ValidationError as error:
            details = error.errors(include_url=False)[:MAX_PROBLEMS]
        found = [(detail["type"], _problem(detail, draft.value, known_keys)) for detail in details]
        for _, problem in found:
            place = draft.written_at(problem.path)
            if not any(told[: len(place)] == place for told in problems):
                problems[place] = Problem(place, problem.text)
        replaced = draft.replace(_stand_ins(model), {problem.path for _, problem in found})
        left = [(kind, problem.path) for kind, problem in found if problem.path not in replaced]
        if left and not draft.cut({path[:-1] if kind in _ABSENT else path for kind, path in left}):
            break
    return None, list(problems.values()), draft


def _stand_ins(model: type[BaseModel]) -> dict[str, str]:
    """Return a text for each field of *model* that is one: a file without its header can then be checked."""
    found = {}
    for name, field in model.model_fields.items():
        if field.annotation is str:
            found[name] = "?"
        elif get_origin(field.annotation) is Literal:
            found[name] = get_args(field.annotation)[0]
    return found


def _later_first(path: Steps) -> tuple[tuple[int, str], ...]:
    """Sort later elements of a list first, so that cutting one does not move another."""
    return tuple((-step, "") if isinstance(step, int) else (0, step) for step in path)


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
    here, around = value, value
    for step in detail["loc"]:
        inside = _inside(here, step)
        if inside is not None or (isinstance(here, dict) and step in here):
            path.append(step)
            here, around = inside, here
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        return Problem((*path, detail["loc"][-1]), "is missing")
    if kind == "extra_forbidden":
        return Problem(tuple(path), f"is not a known key{nearest(str(path[-1]), known_keys.get(id(around), ()))}")
    if kind == "union_tag_not_found":
        return Problem((*path, context["discriminator"].strip("'")), "is missing")
    if kind == "union_tag_invalid":
        tags = [tag.strip("'") for tag in context["expected_tags"].split(", ")]
        key = context["discriminator"].strip("'")
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
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return "is empty; expected a mapping" if detail["input"] is None else f"{given}; expected a mapping"
    if kind == "tuple_type":
        return f"{given}; expected a list"
    if kind == "value_error":
        return f"is refused: {context['error']}"
    expected = detail["msg"].removeprefix("Input should be ").removeprefix("String should ")
    return f"{given}; expected {expected}"


def _shown(value: object) -> str:
    text = "null" if value is None else repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
