"""One consequential call of a run, with what its result says happened."""

from dataclasses import dataclass
from typing import Any

from trustrail.consent import Execution, Outcome
from trustrail.objects import Action


@dataclass(frozen=True, slots=True)
class ActionCall:
    """One consequential call."""

    index: int
    """Position among the consequential calls of the run, from 0."""
    execution: Execution
    action: Action
    outcome: Outcome

    @property
    def seq(self) -> int:
        """``seq`` of the ``tool_call`` event."""
        return self.execution.seq

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self.execution.call.tool

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The call's arguments; None when they were not recorded."""
        return self.execution.call.arguments

    @property
    def lost_arguments(self) -> str:
        """Words that say the arguments were not recorded, and why where the source tells."""
        why = self.execution.call.missing
        return "the call's arguments were not recorded" + (f": {why}" if why else "")

    @property
    def lost_result(self) -> str:
        """Words that say the result was not recorded, and why where the source tells."""
        why = self.execution.result.missing if self.execution.result is not None else None
        return "the call's result was not recorded" + (f": {why}" if why else "")

    @property
    def is_executed(self) -> bool:
        """False for a call that stopped before it acted, to ask."""
        return self.outcome is not Outcome.PAUSED
