"""A signed amount is wrong from the start; only the fact authority has the right one."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from mast.ids import ClaimName
from mast.protocol.facts import PREDICATE
from mast.scenario.entry import Cents, Name, Problem
from mast.scenario.faults.fault import Fault, claim_without_order, with_affected
from mast.scenario.world import World


class FalseFact(Fault):
    """What *claim* publishes stays; the truth and the registry get the correct amount of its order.

    Every claim about that order states the same amount, so all tasks of the order are affected, wherever it is found.
    """

    kind: Literal["false_fact"] = "false_fact"
    claim: Name
    correct: Cents
    """The correct amount of the claim's order, in cents."""

    def problems(self, world: World) -> Iterator[Problem]:
        """Yield what stops this fault from being applied to *world*."""
        yield from claim_without_order(world, self.claim)
        order = self._order(world)
        if order is None:
            return
        published, expected = published_amount(world, order), world.truth.expected.get(order)
        if published is None:
            yield Problem(("claim",), f"is {self.claim!r}, but nobody states an amount for its order {order!r}")
        elif expected != published:
            yield Problem(("claim",), f"is {self.claim!r}, whose order {order!r} an earlier fault made {expected}")
        elif self.correct == published:
            yield Problem(("correct",), f"is {self.correct}, which is what is published; nothing would be false")

    def applied(self, world: World) -> World:
        """Return *world* in which tasks that rest on the claim would act on a wrong amount."""
        order = self._order(world) or ""
        registry = {
            key: replace(entry, cents=self.correct) if key[0] == order else entry
            for key, entry in world.registry.items()
        }
        truth = replace(world.truth, expected={**world.truth.expected, order: self.correct})
        affected = [task.name for task in world.tasks if task.order == order]
        return with_affected(replace(world, registry=registry, truth=truth), affected)

    def _order(self, world: World) -> str | None:
        spec = world.claims.get(ClaimName(self.claim))
        return spec.order if spec is not None else None


def published_amount(world: World, order: str) -> int | None:
    """Return the amount that the claims of *world* state for *order*, in cents; None when none does."""
    amounts = [
        spec.statement.value.get("cents")
        for spec in world.claims.values()
        if spec.order == order and spec.statement.predicate == PREDICATE
    ]
    return next((amount for amount in amounts if type(amount) is int), None)
