"""Agents: who decides for an organization. One file each; the registry is open.

An agent is a pure function of the question: it sees the local view and nothing else.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from mast.errors import ScenarioError, nearest
from mast.organizations.agents.always_proceed import AlwaysProceed
from mast.organizations.agents.stochastic import Stochastic
from mast.organizations.agents.tape import Tape
from mast.organizations.messages import Decision, Question


class Agent(Protocol):
    """A decision maker inside the protocol."""

    @property
    def name(self) -> str:
        """What events call the decision maker."""
        ...

    def decide(self, question: Question) -> Decision:
        """Answer *question*."""
        ...


AGENTS: Final[dict[str, Callable[[Mapping[str, Any], int], Agent]]] = {
    "always_proceed": AlwaysProceed.from_settings,
    "tape": Tape.from_settings,
    "stochastic": Stochastic.from_settings,
}
"""Makes an agent from its settings and the seed of the run."""


def agent_named(kind: str, settings: Mapping[str, Any], seed: int) -> Agent:
    """Return a new agent of that kind.

    Raises:
        ScenarioError: if no such kind is registered, or a setting is wrong.
    """
    make = AGENTS.get(kind)
    if make is None:
        raise ScenarioError([f"agents.kind is {kind!r}{nearest(kind, AGENTS)}"])
    return make(settings, seed)
