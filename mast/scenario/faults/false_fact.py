"""A signed amount is wrong from the start; only the fact authority has the right one."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from mast.ids import ClaimName
from mast.scenario.entry import Cents, Name, Problem
from mast.scenario.faults.fault import Fault, claim_without_order, tasks_resting_on, with_affected
from mast.scenario.world import World


class FalseFact(Fault):
    """What *claim* publishes stays; the truth and the registry get the correct amount of its order."""

    kind: Literal["false_fact"] = "false_fact"
    claim: Name
    correct: Cents
    """The correct amount of the claim's order, in cents."""

    def problems(self, world: World) -> Iterator[Problem]:
        """Yield what stops this fault from being applied to *world*."""
        yield from claim_without_order(world, self.claim)

    def applied(self, world: World) -> World:
        """Return *world* in which tasks that rest on the claim would act on a wrong amount."""
        claim = ClaimName(self.claim)
        order = world.claims[claim].order or ""
        registry = {
            key: replace(entry, cents=self.correct) if key[0] == order else entry
            for key, entry in world.registry.items()
        }
        truth = replace(world.truth, expected={**world.truth.expected, order: self.correct})
        return with_affected(replace(world, registry=registry, truth=truth), tasks_resting_on(world, claim))
