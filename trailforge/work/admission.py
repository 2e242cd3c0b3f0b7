"""Admission: decide whether a goal may become a run, and say everything that is wrong with it at once.

Nothing is stored and nothing is reserved here. The rules come from the concept of a finite goal: 1 to 128 unique
tasks in topological order, effects the goal allows, at least one required check on a VERIFY adapter.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, Final

from trailforge.errors import AdmissionError, Problem
from trailforge.errors.showing import shown
from trailforge.work.adapter import Adapter, adapter_to_json
from trailforge.work.binding import default_run_id
from trailforge.work.effect import ADMISSIBLE_EFFECTS, AdapterKind, Effect, Recovery
from trailforge.work.goal import MAX_TASKS, Check, Goal, Limits, Task
from trailforge.work.shape import shape_problems
from trailforge.work.values import stored_json
from trustrail.errors import CanonicalizationError
from trustrail.foundation import MAX_SAFE_INTEGER

MAX_TEXT: Final = 2_000
"""Longest objective, in characters; ours, a paragraph."""

MAX_CHECKS: Final = MAX_TASKS
"""Most checks of one goal: no more than it can have tasks."""

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,127}")
"""Ids and names: what reads well in a journal, a file name and a shell."""

_MILLISECOND_SAFE: Final = MAX_SAFE_INTEGER // 1_000_000
"""Longest duration in seconds: added to a clock in milliseconds it stays a safe integer."""

_LIMIT_RANGES: Final = {
    "max_units": (1, MAX_SAFE_INTEGER),
    "max_attempts_per_task": (1, 1_000),
    "lease_seconds": (1, _MILLISECOND_SAFE),
    "deadline_seconds": (1, _MILLISECOND_SAFE),
    "max_input_bytes": (2, 16 << 20),
    "max_output_bytes": (2, 16 << 20),
}


def admit(goal: Goal, adapters: Mapping[str, Adapter]) -> None:
    """Return when *goal* may run with *adapters*.

    Raises:
        AdmissionError: with every problem found, each with its field.
    """
    problems = list(shape_problems(goal, adapters))
    if not problems:
        problems = [
            *_scope(goal),
            *_limits(goal.limits),
            *_effects(goal),
            *_tasks(goal, adapters),
            *_checks(goal, adapters),
        ]
    if problems:
        raise AdmissionError(problems)


def admit_run_id(run_id: str) -> str:
    """Return *run_id* when a run may be called that.

    Raises:
        AdmissionError: if it may not.
    """
    problems = list(_identifier("run_id", run_id))
    if problems:
        raise AdmissionError(problems)
    return run_id


def admit_host(*, tenant: str, holder: str) -> None:
    """Return when a host may act for *tenant* alone, or for any when it is empty, and hold leases as *holder*.

    Raises:
        AdmissionError: if one of them is no name.
    """
    problems = [
        problem
        for field, value in (("tenant", tenant), ("holder", holder))
        if value != ""
        for problem in _identifier(field, value)
    ]
    if problems:
        raise AdmissionError(problems)


def admit_run(goal: Goal, adapters: Mapping[str, Adapter], *, run_id: str = "", pause_after: str = "") -> str:
    """Return the id of the run *goal* may become: *run_id*, or one derived from the goal when that is empty.

    Raises:
        AdmissionError: if the goal may not run with *adapters*, a run may not be called that, or *pause_after* is
            given and names no task.
    """
    admit(goal, adapters)
    known = [task.id for task in goal.tasks]
    given: object = pause_after
    if given != "" and (type(given) is not str or given not in known):
        problem = f"is {shown(pause_after)}, which is no task{_suggestion(pause_after, known)}"
        raise AdmissionError([Problem("pause_after", problem)])
    return admit_run_id(run_id or default_run_id(goal))


def adapters_by_name(adapters: Iterable[Adapter]) -> dict[str, Adapter]:
    """Return *adapters* by name; the same adapter may come twice.

    Raises:
        AdmissionError: if one is no adapter, has no name, or has the name of another one.
    """
    known: dict[str, Adapter] = {}
    problems: list[Problem] = []
    for index, adapter in enumerate(adapters):
        given: object = adapter
        if not isinstance(given, Adapter):
            problems.append(Problem(f"adapters[{index}]", f"is a {type(given).__name__}, expected an Adapter"))
        elif type(adapter.name) is not str:
            problems.append(Problem(f"adapters[{index}].name", f"is a {type(adapter.name).__name__}, expected a str"))
        elif known.setdefault(adapter.name, adapter) is not adapter:
            problem = f"repeats {shown(adapter.name)}; every adapter name is used once"
            problems.append(Problem(f"adapters[{index}].name", problem))
    if problems:
        raise AdmissionError(problems)
    return known


def _scope(goal: Goal) -> Iterator[Problem]:
    yield from _identifier("tenant", goal.tenant)
    yield from _identifier("resource", goal.resource)
    if type(goal.objective) is not str or not goal.objective.strip():
        yield Problem("objective", f"is {shown(goal.objective)}, expected a sentence")
    elif len(goal.objective) > MAX_TEXT:
        yield Problem("objective", f"has {len(goal.objective)} characters, expected at most {MAX_TEXT}")
    else:
        yield from _canonical("objective", goal.objective)
    if type(goal.recovery) is not Recovery:
        yield Problem("recovery", f"is {shown(goal.recovery)}, expected one of {_names(Recovery)}")


def _limits(limits: Limits) -> Iterator[Problem]:
    for limit in fields(limits):
        low, high = _LIMIT_RANGES[limit.name]
        yield from _integer(f"limits.{limit.name}", getattr(limits, limit.name), low, high)


def _effects(goal: Goal) -> Iterator[Problem]:
    for index, effect in enumerate(goal.allowed_effects):
        if effect not in ADMISSIBLE_EFFECTS:
            yield Problem(f"allowed_effects[{index}]", f"is {shown(effect)}, {_effect_rule(effect)}")


def _tasks(goal: Goal, adapters: Mapping[str, Adapter]) -> Iterator[Problem]:
    if not 1 <= len(goal.tasks) <= MAX_TASKS:
        yield Problem("tasks", f"has {len(goal.tasks)} tasks, expected 1 to {MAX_TASKS}")
    every_id = {task.id for task in goal.tasks}
    earlier: set[str] = set()
    for index, task in enumerate(goal.tasks):
        place = f"tasks[{index}]"
        yield from _identifier(f"{place}.id", task.id)
        if task.id in earlier:
            yield Problem(f"{place}.id", f"repeats {task.id!r}; every task id is used once")
        yield from _dependencies(place, task, earlier, every_id)
        yield from _adapter(place, task, adapters)
        yield from _task_effect(place, task, goal, adapters)
        yield from _integer(f"{place}.units", task.units, 0, MAX_SAFE_INTEGER)
        yield from _input(place, task, goal.limits)
        earlier.add(task.id)


def _dependencies(place: str, task: Task, earlier: set[str], every_id: set[str]) -> Iterator[Problem]:
    for index, needed in enumerate(task.depends_on):
        field = f"{place}.depends_on[{index}]"
        if needed in earlier:
            continue
        if needed == task.id:
            yield Problem(field, f"is {needed!r}, the task itself")
        elif needed in every_id:
            yield Problem(field, f"is {needed!r}, which comes later or closes a cycle; list it before {task.id!r}")
        else:
            yield Problem(field, f"is {needed!r}, which is no task{_suggestion(needed, sorted(every_id))}")
    if len(set(task.depends_on)) != len(task.depends_on):
        yield Problem(f"{place}.depends_on", "names a task twice")


def _adapter(place: str, task: Task, adapters: Mapping[str, Adapter]) -> Iterator[Problem]:
    adapter = adapters.get(task.adapter)
    if adapter is None:
        yield Problem(
            f"{place}.adapter", f"is {task.adapter!r}, which is not registered{_suggestion(task.adapter, adapters)}"
        )
        return
    yield from _identifier(f"{place}.adapter", adapter.name)
    yield from _identifier(f"{place}.adapter.version", adapter.version)
    yield from _canonical(f"{place}.adapter", adapter_to_json(adapter))


def _task_effect(place: str, task: Task, goal: Goal, adapters: Mapping[str, Adapter]) -> Iterator[Problem]:
    field = f"{place}.effect"
    if task.effect not in ADMISSIBLE_EFFECTS:
        yield Problem(field, f"is {shown(task.effect)}, {_effect_rule(task.effect)}")
        return
    if task.effect not in goal.allowed_effects:
        yield Problem(field, f"is {task.effect}, the goal allows {_listed(goal.allowed_effects)}")
    adapter = adapters.get(task.adapter)
    if adapter is not None and task.effect not in adapter.effects:
        yield Problem(field, f"is {task.effect}, adapter {adapter.name!r} offers {_listed(adapter.effects)}")


def _input(place: str, task: Task, limits: Limits) -> Iterator[Problem]:
    field = f"{place}.input"
    if type(task.input) is not dict:
        yield Problem(field, f"is {shown(task.input)}, expected a JSON object")
        return
    try:
        size = len(stored_json(task.input))
    except CanonicalizationError as error:
        yield Problem(field + error.path.removeprefix("$"), error.problem)
        return
    if type(limits.max_input_bytes) is int and size > limits.max_input_bytes:
        yield Problem(field, f"is {size} bytes in canonical form, expected at most {limits.max_input_bytes}")


def _checks(goal: Goal, adapters: Mapping[str, Adapter]) -> Iterator[Problem]:
    tasks = {task.id: task for task in goal.tasks}
    names: set[str] = set()
    verified = False
    if len(goal.checks) > MAX_CHECKS:
        yield Problem("checks", f"has {len(goal.checks)} checks, expected at most {MAX_CHECKS}")
    for index, check in enumerate(goal.checks):
        place = f"checks[{index}]"
        yield from _identifier(f"{place}.name", check.name)
        if check.name in names:
            yield Problem(f"{place}.name", f"repeats {check.name!r}; every check name is used once")
        names.add(check.name)
        found = list(_check(place, check, tasks, adapters))
        yield from found
        verified = verified or (check.required and not found)
    if not verified:
        yield Problem("checks", "has no required check on a VERIFY adapter; add one, or nothing can prove completion")


def _check(place: str, check: Check, tasks: Mapping[str, Task], adapters: Mapping[str, Adapter]) -> Iterator[Problem]:
    required: object = check.required
    if type(required) is not bool:
        yield Problem(f"{place}.required", f"is {shown(required)}, expected true or false")
    task = tasks.get(check.task)
    if task is None:
        yield Problem(f"{place}.task", f"is {check.task!r}, which is no task{_suggestion(check.task, tasks)}")
        return
    adapter = adapters.get(task.adapter)
    if adapter is not None and adapter.kind is not AdapterKind.VERIFY:
        yield Problem(f"{place}.task", f"is {check.task!r}, whose adapter is of kind {adapter.kind}, expected VERIFY")


def _identifier(field: str, value: object) -> Iterator[Problem]:
    if type(value) is not str or not _ID.fullmatch(value):
        yield Problem(
            field,
            f"is {shown(value)}, expected 1 to 128 letters, digits or . _ : @ / + -, the first a letter or digit",
        )


def _integer(field: str, value: object, low: int, high: int) -> Iterator[Problem]:
    if type(value) is not int or not low <= value <= high:
        yield Problem(field, f"is {shown(value)}, expected an integer from {low} to {high}")


def _canonical(field: str, value: Any) -> Iterator[Problem]:  # noqa: ANN401 - any JSON value
    try:
        stored_json(value)
    except CanonicalizationError as error:
        yield Problem(field + error.path.removeprefix("$"), error.problem)


def _effect_rule(effect: object) -> str:
    if effect is Effect.EXTERNAL_WRITE:
        return "which never runs here; publish through trailforge.publishing"
    return f"expected one of {_listed(ADMISSIBLE_EFFECTS)}"


def _listed(effects: tuple[Effect, ...]) -> str:
    return ", ".join(str(effect) if type(effect) is Effect else shown(effect) for effect in effects) or "nothing"


def _names(enumeration: type[Recovery]) -> str:
    return ", ".join(enumeration)


def _suggestion(wanted: object, known: Mapping[str, Any] | list[str]) -> str:
    close = get_close_matches(wanted, list(known), n=1) if type(wanted) is str else []
    return f"; did you mean {close[0]!r}?" if close else ""
