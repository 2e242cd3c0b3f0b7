"""The agent that proceeds whenever it is asked: what the protocol alone prevents is then plain to see."""

from collections.abc import Mapping
from typing import Any

from mast.errors import ScenarioError
from mast.organizations.messages import Decision, Question


class AlwaysProceed:
    """Answers ``proceed`` to everything."""

    name = "always_proceed"

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], _seed: int) -> "AlwaysProceed":
        """Return the agent; it has no settings.

        Raises:
            ScenarioError: if there are any.
        """
        if settings:
            raise ScenarioError([f"agents.settings has {', '.join(sorted(settings))}; always_proceed has none"])
        return cls()

    def decide(self, question: Question) -> Decision:
        """Answer ``proceed``."""
        return Decision(stage=question.stage, action="proceed")
