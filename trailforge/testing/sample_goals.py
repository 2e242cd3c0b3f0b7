"""A small goal and its adapters, for trying out authorities and hosts."""

from typing import Any, Final

from trailforge.work import Adapter, AdapterKind, Check, Effect, Goal, Limits, Recovery, Request, Task


def sample_goal(
    *, tenant: str = "acme", objective: str = "echo and verify", recovery: Recovery = Recovery.HOLD, tasks: int = 3
) -> Goal:
    """Return a goal of *tasks* tasks, 2 units each: echoes, each seeing the one before, then one verification."""
    echoes = tuple(
        Task(
            id=f"echo-{number}",
            adapter="echo",
            input={"number": number},
            depends_on=(f"echo-{number - 1}",) if number > 1 else (),
            effect=Effect.SCOPED_READ if number % 2 == 0 else Effect.PURE,
            units=2,
        )
        for number in range(1, tasks)
    )
    verify = Task(id="verify", adapter="verify", depends_on=(f"echo-{tasks - 1}",) if tasks > 1 else (), units=2)
    return Goal(
        tenant=tenant,
        resource="sample@1",
        objective=objective,
        tasks=(*echoes, verify),
        checks=(Check(name="echoed", task="verify"),),
        limits=Limits(max_units=1_000, max_attempts_per_task=3, lease_seconds=60),
        recovery=recovery,
    )


def _echo(request: Request) -> dict[str, Any]:
    return {"number": request.input["number"]}


def _verify(request: Request) -> dict[str, Any]:
    whole = all(type(output.get("number")) is int for output in request.outputs.values())
    return {"verdict": "PASS" if whole else "FAIL"}


SAMPLE_ADAPTERS: Final = {
    adapter.name: adapter
    for adapter in (
        Adapter(
            name="echo",
            version="1",
            kind=AdapterKind.RESEARCH,
            call=_echo,
            effects=(Effect.PURE, Effect.SCOPED_READ),
        ),
        Adapter(name="verify", version="1", kind=AdapterKind.VERIFY, call=_verify),
    )
}
"""The adapters `sample_goal` names, by name."""
