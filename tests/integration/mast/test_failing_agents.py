"""An agent that fails: a provider's failure is an outcome, a defect stops the run, and no actor is left behind."""

from dataclasses import replace
from typing import Any

import pykka
import pytest

from mast.errors import MastError
from mast.experiments.scoring import score
from mast.organizations.agents import AGENTS
from mast.organizations.messages import Decision, Question
from mast.protocol.mechanisms import LAYERS
from mast.runtime import RUNTIMES, run_world
from mast.scenario import load_world
from mast.scenario.world import AgentSpec, World


class ProviderError(MastError):
    """The provider of decisions cannot be reached."""


class Failing:
    """Raises an error when asked about one stage, and proceeds otherwise."""

    name = "failing"

    def __init__(self, stage: str, error: type[Exception]) -> None:
        self._stage = stage
        self._error = error

    def decide(self, question: Question) -> Decision:
        if question.stage == self._stage:
            raise self._error("the line is dead")
        return Decision(stage=question.stage, action="proceed")


def world_with(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> World:
    def make(settings: Any, _seed: int) -> Failing:
        return Failing(settings["stage"], error)

    monkeypatch.setitem(AGENTS, "failing", make)
    return replace(load_world("long_chain_fork"), agents=AgentSpec(kind="failing", settings={"stage": "task/A_a"}))


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("layer", ["L0", "L4"])
def test_a_providers_failure_holds_one_task_as_a_transport_failure(
    monkeypatch: pytest.MonkeyPatch, layer: str, runtime: str
):
    world = world_with(monkeypatch, ProviderError)
    record = run_world(world, LAYERS[layer], run_id="x", runtime=runtime)
    tasks = score(world, record.lines, signatures=0, verifications=0).tasks
    assert {task.task: (task.result, task.cause) for task in tasks} == {
        "A_a": ("HELD", "transport"),
        "A_b": ("COMPLETED", None),
        "C_a": ("COMPLETED", None),
        "C_b": ("COMPLETED", None),
    }


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_defect_in_an_agent_stops_the_run_and_every_actor(monkeypatch: pytest.MonkeyPatch, runtime: str):
    before = set(pykka.ActorRegistry.get_all())
    with pytest.raises(ZeroDivisionError, match="the line is dead"):
        run_world(world_with(monkeypatch, ZeroDivisionError), LAYERS["L4"], run_id="x", runtime=runtime)
    assert set(pykka.ActorRegistry.get_all()) == before
