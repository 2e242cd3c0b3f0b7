"""The numbers of a business, put where the faults of a file refer to them as ``$name``."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from mast.errors import nearest
from mast.scenario.entry import Problem, Steps


def with_parameters(value: object, parameters: Mapping[str, int]) -> tuple[object, list[Problem]]:
    """Return a copy of a raw file whose faults have numbers for ``$name``, and a problem for each unknown name."""
    if not isinstance(value, dict) or not isinstance(value.get("faults"), list):
        return value, []
    problems: list[Problem] = []
    value = {**value, "faults": deepcopy(value["faults"])}
    ahead: list[tuple[Any, Steps]] = [(value["faults"], ("faults",))]
    while ahead:
        container, path = ahead.pop()
        for key, item in list(container.items() if isinstance(container, dict) else enumerate(container)):
            if isinstance(item, dict | list):
                ahead.append((item, (*path, key)))
            elif isinstance(item, str) and item.startswith("$"):
                if item[1:] not in parameters:
                    text = f"is {item!r}, which is not a parameter of the business{nearest(item[1:], parameters)}"
                    problems.append(Problem((*path, key), text))
                container[key] = parameters.get(item[1:], 1)  # 1 is right for a tick and for an amount
    return value, problems
