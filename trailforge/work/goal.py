"""A finite goal: who it is for, what it touches, its ordered tasks, its checks and its limits.

These are plain values; `trailforge.work.admission` decides whether they may become a run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from trailforge.work.effect import Effect, Recovery

MAX_TASKS: Final = 128
"""Most tasks one goal may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds one run never exceeds, over all its process lives."""

    max_units: int = 1_000
    """Units the run may reserve in all; a unit is whatever the host counts (calls, cents, tokens)."""
    max_attempts_per_task: int = 3
    """Attempts one task may begin, the first included."""
    lease_seconds: int = 300
    """How long one attempt may run before its result is refused."""
    deadline_seconds: int = 86_400
    """How long after its start a run may begin attempts."""
    max_input_bytes: int = 65_536
    """Canonical bytes of one task's input."""
    max_output_bytes: int = 65_536
    """Canonical bytes of one task's output; larger results belong in an artifact store, by digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One bounded call of one registered adapter."""

    id: str
    adapter: str
    """Name of the adapter that runs it."""
    input: Mapping[str, Any] = field(default_factory=dict)
    """JSON object handed to the adapter, detached."""
    depends_on: tuple[str, ...] = ()
    """Ids of earlier tasks whose outputs the adapter sees."""
    effect: Effect = Effect.PURE
    units: int = 1
    """Units reserved before each attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A named criterion, judged by the output of one VERIFY task."""

    name: str
    task: str
    required: bool = True
    """Whether the run can only complete when the verdict is PASS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """Everything one run may do, fixed before it starts."""

    tenant: str
    resource: str
    """What the run is about, as a revision-bound name (``repository@commit``)."""
    objective: str
    tasks: tuple[Task, ...]
    """Between 1 and `MAX_TASKS`, every task after the ones it depends on."""
    checks: tuple[Check, ...]
    allowed_effects: tuple[Effect, ...] = (Effect.PURE, Effect.SCOPED_READ)
    limits: Limits = Limits()
    recovery: Recovery = Recovery.HOLD


def goal_to_json(goal: Goal) -> dict[str, Any]:
    """Return *goal* as the JSON object that is bound and stored."""
    return {
        "tenant": goal.tenant,
        "resource": goal.resource,
        "objective": goal.objective,
        "tasks": [_task_to_json(task) for task in goal.tasks],
        "checks": [{"name": check.name, "task": check.task, "required": check.required} for check in goal.checks],
        "allowed_effects": sorted(str(effect) for effect in goal.allowed_effects),
        "limits": {name: getattr(goal.limits, name) for name in Limits.__dataclass_fields__},
        "recovery": str(goal.recovery),
    }


def goal_from_json(value: Mapping[str, Any]) -> Goal:
    """Return the goal that `goal_to_json` wrote as *value*."""
    return Goal(
        tenant=value["tenant"],
        resource=value["resource"],
        objective=value["objective"],
        tasks=tuple(
            Task(**{**task, "depends_on": tuple(task["depends_on"]), "effect": Effect(task["effect"])})
            for task in value["tasks"]
        ),
        checks=tuple(Check(**check) for check in value["checks"]),
        allowed_effects=tuple(Effect(effect) for effect in value["allowed_effects"]),
        limits=Limits(**value["limits"]),
        recovery=Recovery(value["recovery"]),
    )


def _task_to_json(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "adapter": task.adapter,
        "input": task.input,
        "depends_on": list(task.depends_on),
        "effect": str(task.effect),
        "units": task.units,
    }
