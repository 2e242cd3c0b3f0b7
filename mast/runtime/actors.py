"""The actors, one class per kind, written once for every runtime.

Each is mixed into a Pykka actor type by `actor_type`. An actor's message is ``(now, message)``; its answer is the
list of effects, which the engine carries out. No actor holds a reference to another.
"""

from functools import cache
from typing import Any, cast

import pykka

from mast.errors import MastError
from mast.organizations import records
from mast.organizations.agents import Agent
from mast.organizations.messages import Consult, Decision, Effect, Message, Report
from mast.organizations.state import OrganizationState
from mast.organizations.step import Behaviour
from mast.runtime.observer import Observed, Observer
from mast.runtime.workload import Instruct, Workload


class OrganizationActor:
    """One organization: private state, a pure step, and an agent that is asked when the step wants it."""

    def __init__(self, behaviour: Behaviour[Any], state: OrganizationState, agent: Agent) -> None:
        super().__init__()
        self._step = behaviour.step
        self._state = state
        self._agent = agent

    def on_receive(self, delivery: tuple[int, Message]) -> list[Effect]:
        """Take one step; questions to the agent are answered within it."""
        now, message = delivery
        self._state, effects = self._step(self._state, message, now)
        if effects and type(effects[-1]) is Consult:
            return effects[:-1] + self._consult(effects[-1], now)
        return effects

    def _consult(self, effect: Consult, now: int) -> list[Effect]:
        question = effect.question
        try:
            decision = self._agent.decide(question)
        except MastError as error:
            decision = Decision(stage=question.stage, action="hold", origin="provider", reason=str(error))
        answered: list[Effect] = [records.decided(question, decision, self._agent.name)]
        return answered + self.on_receive((now, decision))


class WorkloadActor:
    """The business that gives organizations something to do."""

    def __init__(self, workload: Workload) -> None:
        super().__init__()
        self._workload = workload

    def on_receive(self, delivery: tuple[int, Report | None]) -> list[Instruct]:
        """Take a report, or the passing of time, and give what follows."""
        now, report = delivery
        return self._workload.step(report, now)


class ObserverActor:
    """Writes down what happened."""

    def __init__(self, observer: Observer) -> None:
        super().__init__()
        self._observer = observer

    def on_receive(self, delivery: tuple[int, list[Observed]]) -> list[Effect]:
        """Append events; answer nothing."""
        self._observer.write(delivery[1])
        return []


@cache
def actor_type(kind: type, base: type[pykka.Actor]) -> type[pykka.Actor]:
    """Return the Pykka actor class that behaves like *kind* and runs like *base*."""
    name = f"{base.__name__.removesuffix('Actor')}{kind.__name__}"
    return cast("type[pykka.Actor]", type(name, (kind, base), {"__module__": __name__, "__doc__": kind.__doc__}))


def start(kind: type, base: type[pykka.Actor], *arguments: Any) -> pykka.ActorRef[Any]:  # noqa: ANN401 - constructor's
    """Start an actor of that kind on that runtime's actor type."""
    return actor_type(kind, base).start(*arguments)
