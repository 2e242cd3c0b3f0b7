"""The shape of a goal: whether its parts are of the kinds they should be, before anything is asked of them."""

from collections.abc import Iterator, Mapping
from typing import Any

from trailforge.errors import Problem
from trailforge.work.adapter import Adapter
from trailforge.work.effect import AdapterKind, Effect
from trailforge.work.goal import Check, Goal, Limits, Task


def shape_problems(goal: Goal, adapters: Mapping[str, Adapter]) -> Iterator[Problem]:
    """Yield what is of another type than it should be in *goal* and in the adapters it names."""
    given: object = goal
    if type(given) is not Goal:
        yield Problem("goal", f"is a {type(given).__name__}, expected a Goal")
        return
    yield from _kind("limits", goal.limits, Limits)
    yield from _items("allowed_effects", goal.allowed_effects, object)
    yield from _items("tasks", goal.tasks, Task)
    yield from _items("checks", goal.checks, Check)
    for index, task in enumerate(_of(goal.tasks, Task)):
        place = f"tasks[{index}]"
        yield from _kind(f"{place}.id", task.id, str)
        yield from _kind(f"{place}.adapter", task.adapter, str)
        yield from _items(f"{place}.depends_on", task.depends_on, str)
        adapter = adapters.get(task.adapter) if type(task.adapter) is str else None
        if adapter is not None:
            yield from _adapter(f"{place}.adapter", adapter)
    for index, check in enumerate(_of(goal.checks, Check)):
        yield from _kind(f"checks[{index}].name", check.name, str)
        yield from _kind(f"checks[{index}].task", check.task, str)


def _adapter(place: str, adapter: Adapter) -> Iterator[Problem]:
    yield from _kind(f"{place}.kind", adapter.kind, AdapterKind)
    yield from _items(f"{place}.effects", adapter.effects, Effect)
    settings: object = adapter.settings
    if not isinstance(settings, Mapping):
        yield Problem(f"{place}.settings", f"is a {type(settings).__name__}, expected a mapping")
    call: object = adapter.call
    if not callable(call):
        yield Problem(f"{place}.call", f"is a {type(call).__name__}, expected a function of a Request")


def _items(field: str, value: Any, kind: type) -> Iterator[Problem]:  # noqa: ANN401 - any value at all
    if type(value) is not tuple:
        yield Problem(field, f"is a {type(value).__name__}, expected a tuple")
        return
    for index, item in enumerate(value):
        if not isinstance(item, kind):
            yield Problem(f"{field}[{index}]", f"is a {type(item).__name__}, expected a {kind.__name__}")


def _kind(field: str, value: Any, kind: type) -> Iterator[Problem]:  # noqa: ANN401 - any value at all
    if type(value) is not kind:
        yield Problem(field, f"is a {type(value).__name__}, expected a {kind.__name__}")


def _of(value: Any, kind: type) -> list[Any]:  # noqa: ANN401 - any value at all
    return [item for item in value if type(item) is kind] if type(value) is tuple else []
