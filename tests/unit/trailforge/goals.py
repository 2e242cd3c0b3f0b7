"""Goals and adapters small enough to read in a test."""

from collections.abc import Callable

from trailforge.work import Adapter, AdapterKind, Check, Effect, Goal, Limits, Recovery, Task


def work_adapter(call: Callable = lambda request: {"done": request.task_id}, version: str = "1") -> Adapter:
    """An adapter named ``work`` that can be asked for every admissible effect."""
    effects = (Effect.PURE, Effect.SCOPED_READ, Effect.CANDIDATE_WRITE)
    return Adapter(name="work", version=version, kind=AdapterKind.BUILD, call=call, effects=effects)


def verify_adapter(verdict: object = "PASS") -> Adapter:
    """An adapter named ``verify`` that always says *verdict*."""
    return Adapter(name="verify", version="1", kind=AdapterKind.VERIFY, call=lambda request: {"verdict": verdict})


def make_goal(
    *,
    works: int = 1,
    effect: Effect = Effect.PURE,
    units: int = 1,
    tenant: str = "acme",
    objective: str = "do it",
    recovery: Recovery = Recovery.HOLD,
    required: bool = True,
    **limits: int,
) -> Goal:
    """A goal of *works* work tasks in a chain and one verification."""
    tasks = tuple(
        Task(
            id=f"work-{n}",
            adapter="work",
            input={"n": n},
            depends_on=(f"work-{n - 1}",) if n > 1 else (),
            effect=effect,
            units=units,
        )
        for n in range(1, works + 1)
    )
    checks = (Check(name="accepted", task="verify", required=required),)
    if not required:
        checks += (Check(name="other", task="verify"),)
    return Goal(
        tenant=tenant,
        resource="repository@1",
        objective=objective,
        tasks=(*tasks, Task(id="verify", adapter="verify", units=units)),
        checks=checks,
        allowed_effects=(Effect.PURE, Effect.SCOPED_READ, Effect.CANDIDATE_WRITE),
        limits=Limits(**{"lease_seconds": 60, "max_attempts_per_task": 2, **limits}),
        recovery=recovery,
    )
