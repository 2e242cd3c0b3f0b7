"""The neutral plan of a development: one to three rounds of six tasks, declared before admission. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from trailforge.errors import AdmissionError, Problem
from trailforge.errors.showing import shown
from trailforge.profiles.develop.phases import HOST_PHASES, READING_EFFECTS, HostPhase, Phase
from trailforge.work import Check, Effect, Goal, Limits, Task

MAX_ROUNDS: Final = 3
"""Most rounds of one development; ours, so that every development is finite and declared as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The trees a development starts from; 64 hex digits each."""

    candidate: str
    checks: str

    def to_record(self) -> dict[str, str]:
        """Return the baseline as a JSON object."""
        return {"candidate": self.candidate, "checks": self.checks}


def task_id(number: int, phase: Phase) -> str:
    """Return the id of *phase* in round *number*, as ``round-1-build``."""
    return f"round-{number}-{phase.value.lower()}"


def adapter_name(phase: Phase) -> str:
    """Return the name of the adapter that runs *phase*, as ``develop.build``."""
    return f"develop.{phase.value.lower()}"


def effect_of(phase: Phase, host: Mapping[Phase, HostPhase]) -> Effect:
    """Return what *phase* may do: only BUILD writes candidates, HEALTH reads them."""
    if phase is Phase.BUILD:
        return Effect.CANDIDATE_WRITE
    return Effect.SCOPED_READ if phase is Phase.HEALTH else host[phase].effect


def require_host_phases(host: Mapping[Phase, HostPhase]) -> None:
    """Return if the host brings each of its five phases with an effect it may have.

    Raises:
        AdmissionError: naming every problem.
    """
    problems = [
        Problem(f"phases.{phase}", "is missing, expected a HostPhase") for phase in HOST_PHASES if phase not in host
    ]
    if Phase.HEALTH in host:
        problems.append(Problem("phases.HEALTH", "is given, but HEALTH is built in"))
    for phase, part in host.items():
        if phase is not Phase.BUILD and part.effect not in READING_EFFECTS:
            allowed = " or ".join(effect.value for effect in READING_EFFECTS)
            problems.append(Problem(f"phases.{phase}.effect", f"is {part.effect}, expected {allowed}"))
    if problems:
        raise AdmissionError(problems)


def develop_goal(
    *,
    tenant: str,
    resource: str,
    objective: str,
    rounds: int,
    baseline: Baseline,
    host: Mapping[Phase, HostPhase],
    limits: Limits,
) -> Goal:
    """Return the goal of a development of *rounds* rounds from *baseline*.

    The last round's VERIFY and HEALTH are required checks; those of earlier rounds are recorded.

    Raises:
        AdmissionError: if *rounds* is not 1 to `MAX_ROUNDS`.
    """
    if type(rounds) is not int or not 1 <= rounds <= MAX_ROUNDS:
        raise AdmissionError([Problem("rounds", f"is {shown(rounds)}, expected 1 to {MAX_ROUNDS}")])
    tasks: list[Task] = []
    checks: list[Check] = []
    for number in range(1, rounds + 1):
        for phase in Phase:
            tasks.append(_task(number, phase, tasks, baseline, host, objective))
        for phase in (Phase.VERIFY, Phase.HEALTH):
            required = number == rounds
            task = task_id(number, phase)
            checks.append(Check(name=task, task=task, required=required))
    return Goal(
        tenant=tenant,
        resource=resource,
        objective=objective,
        tasks=tuple(tasks),
        checks=tuple(checks),
        allowed_effects=(Effect.PURE, Effect.SCOPED_READ, Effect.CANDIDATE_WRITE),
        limits=limits,
    )


def declared_goal(goal: Goal, host: Mapping[Phase, HostPhase], *, tenant: str, resource: str) -> Goal:
    """Return the goal of the development that *goal* claims to be, as it is declared with the phases of *host*.

    Objective, rounds, baseline, limits and recovery are what *goal* says; everything else follows from them.

    Raises:
        AdmissionError: if it claims no number of rounds or no baseline that a development has.
    """
    rounds, rest = divmod(len(goal.tasks), len(Phase))
    baseline = goal.tasks[0].input.get("baseline")
    problems = []
    if rest or not 1 <= rounds <= MAX_ROUNDS:
        problems.append(
            Problem("tasks", f"are {len(goal.tasks)}, expected {len(Phase)} for each of 1 to {MAX_ROUNDS} rounds")
        )
    if type(baseline) is not dict or sorted(baseline) != sorted(Baseline.__dataclass_fields__):
        problems.append(Problem("tasks[0].input.baseline", "does not name the trees a development starts from"))
    if problems:
        raise AdmissionError(problems)
    declared = develop_goal(
        tenant=tenant,
        resource=resource,
        objective=goal.objective,
        rounds=rounds,
        baseline=Baseline(**goal.tasks[0].input["baseline"]),
        host=host,
        limits=goal.limits,
    )
    return replace(declared, recovery=goal.recovery)


def _task(
    number: int,
    phase: Phase,
    before: list[Task],
    baseline: Baseline,
    host: Mapping[Phase, HostPhase],
    objective: str,
) -> Task:
    facts: dict[str, Any] = {"objective": objective, "phase": phase.value, "round": number}
    if not before:
        facts["baseline"] = baseline.to_record()
    needed = [task.id for task in before if task.id.startswith(f"round-{number}-")]
    if not needed and before:
        needed = [task_id(number - 1, Phase.VERIFY), task_id(number - 1, Phase.HEALTH)]
    return Task(
        id=task_id(number, phase),
        adapter=adapter_name(phase),
        input=facts,
        depends_on=tuple(needed),
        effect=effect_of(phase, host),
        units=0 if phase is Phase.HEALTH else host[phase].units,
    )
