"""The system of record behind the demo's tools, in memory: it answers a lookup and carries out an action."""

import copy
from dataclasses import dataclass, field
from typing import Any

from trustrail.demo.journey import Journey


@dataclass(slots=True)
class SystemOfRecord:
    """The fixture's records, as they stand in one run."""

    journey: Journey
    records: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.records = copy.deepcopy(dict(self.journey.fixture.records))

    def tools(self) -> dict[str, list[str]]:
        """Return the tools it answers, each with its arguments' names."""
        reason = [self.journey.action.reason_argument] if self.journey.reason is not None else []
        return {
            self.journey.lookup_tool: ["customer_ref"],
            self.journey.action_tool: [self.journey.entity_argument, *reason],
        }

    def answer(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Answer a call of *tool*."""
        if tool == self.journey.lookup_tool:
            return self.look_up(str(arguments.get("customer_ref")))
        reason = arguments.get(self.journey.action.reason_argument)
        return self.act(str(arguments.get(self.journey.entity_argument)), reason)

    def look_up(self, customer_ref: str) -> dict[str, Any]:
        """Return the records of the customer; nobody else's are kept here."""
        if customer_ref != self.journey.fixture.customer.ref:
            return {name: [] for name in self.records}
        return copy.deepcopy(self.records)

    def act(self, entity_id: str, reason: str | None) -> dict[str, Any]:
        """Carry out the action on one entity and return what the pack counts as success."""
        for entity in self.journey.candidates(self.records):
            if self.journey.entity_id(entity) == entity_id:
                done = _success(self.journey)
                entity.update(done)
                return {**done, self.journey.entity_argument: entity_id, "reason": reason}
        return {"status": "NOT_FOUND", self.journey.entity_argument: entity_id}


def _success(journey: Journey) -> dict[str, Any]:
    """Return the first result that the pack's success rule accepts."""
    rule = journey.action.success
    if rule is None or not rule.any_of:
        return {"status": "DONE"}
    first = rule.any_of[0]
    return {first.path.removeprefix("$."): first.equals}
