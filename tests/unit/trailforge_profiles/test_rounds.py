"""The neutral plan of a development."""

from dataclasses import replace

import pytest

from trailforge.errors import AdmissionError
from trailforge.profiles.develop import Baseline, HostPhase, Phase
from trailforge.profiles.develop.phases import HOST_PHASES
from trailforge.profiles.develop.rounds import develop_goal, require_host_phases
from trailforge.work import Effect, Goal, Limits

BASELINE = Baseline(candidate="1" * 64, checks="2" * 64)
HOST = {phase: HostPhase(call=lambda context: {}, version="1") for phase in HOST_PHASES}


def goal(rounds: int = 1) -> Goal:
    return develop_goal(
        tenant="acme",
        resource="app@1",
        objective="make it work",
        rounds=rounds,
        baseline=BASELINE,
        host=HOST,
        limits=Limits(),
    )


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_each_round_has_the_six_phases_in_order(rounds: int) -> None:
    names = [task.id for task in goal(rounds).tasks]

    assert names == [
        f"round-{number}-{phase}"
        for number in range(1, rounds + 1)
        for phase in ("plan", "research", "build", "debug", "verify", "health")
    ]


@pytest.mark.parametrize("rounds", [0, 4, -1, True, "1"])
def test_other_numbers_of_rounds_are_refused(rounds: object) -> None:
    with pytest.raises(AdmissionError, match="expected 1 to 3"):
        goal(rounds)


def test_only_build_writes_candidates() -> None:
    writing = [task.id for task in goal(2).tasks if task.effect is Effect.CANDIDATE_WRITE]

    assert writing == ["round-1-build", "round-2-build"]


def test_only_the_last_round_verify_and_health_are_required() -> None:
    checks = {check.task: check.required for check in goal(2).checks}

    assert checks == {
        "round-1-verify": False,
        "round-1-health": False,
        "round-2-verify": True,
        "round-2-health": True,
    }


def test_second_round_starts_from_the_evidence_of_the_first() -> None:
    tasks = {task.id: task for task in goal(2).tasks}

    assert tasks["round-1-plan"].depends_on == ()
    assert tasks["round-2-plan"].depends_on == ("round-1-verify", "round-1-health")
    assert tasks["round-2-research"].depends_on == ("round-2-plan",)


def test_baseline_is_part_of_the_goal() -> None:
    assert goal().tasks[0].input["baseline"] == {"candidate": "1" * 64, "checks": "2" * 64}


@pytest.mark.parametrize("phase", [Phase.PLAN, Phase.RESEARCH, Phase.DEBUG, Phase.VERIFY])
@pytest.mark.parametrize("effect", [Effect.CANDIDATE_WRITE, Effect.EXTERNAL_WRITE])
def test_phase_other_than_build_may_only_read(phase: Phase, effect: Effect) -> None:
    with pytest.raises(AdmissionError, match=f"phases.{phase}.effect: is {effect}"):
        require_host_phases({**HOST, phase: replace(HOST[phase], effect=effect)})


def test_every_missing_phase_and_a_host_health_are_reported_at_once() -> None:
    with pytest.raises(AdmissionError) as caught:
        require_host_phases({Phase.PLAN: HOST[Phase.PLAN], Phase.HEALTH: HOST[Phase.PLAN]})

    assert [problem.field for problem in caught.value.problems] == [
        "phases.RESEARCH",
        "phases.BUILD",
        "phases.DEBUG",
        "phases.VERIFY",
        "phases.HEALTH",
    ]
