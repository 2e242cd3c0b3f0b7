"""A claim is revoked by its issuer."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from mast.ids import ClaimName
from mast.organizations.messages import Revoke as RevokeInstruction
from mast.scenario.entry import Name, Problem, Ticks
from mast.scenario.faults.fault import Fault, after_the_end, unknown_claim
from mast.scenario.lineage import dependents, tasks_using
from mast.scenario.world import Injection, World


class Revoke(Fault):
    """The issuer of *claim* revokes it; whatever derives from it should not be relied on either."""

    kind: Literal["revoke"] = "revoke"
    claim: Name
    at: Ticks = 10
    """Tick of the revocation; 10 in the reference cases."""

    def problems(self, world: World) -> Iterator[Problem]:
        """Yield what stops this fault from being applied to *world*."""
        yield from unknown_claim(world, self.claim)
        yield from after_the_end(world, self.at)
        if self.at <= world.schedule.seed:
            first = world.schedule.seed + 1
            yield Problem(("at",), f"is {self.at}, when the claim is only just issued; expected {first} or later")
        if any(
            injection.instruction == RevokeInstruction(claim=ClaimName(self.claim)) for injection in world.injections
        ):
            yield Problem(("claim",), f"is {self.claim!r}, which an earlier fault revokes already")

    def applied(self, world: World) -> World:
        """Return *world* in which the claim's issuer revokes it."""
        claim = ClaimName(self.claim)
        invalid = dependents(world.claims, [claim])
        injection = Injection(
            at=self.at, organization=world.claims[claim].issuer, instruction=RevokeInstruction(claim=claim)
        )
        truth = replace(
            world.truth,
            invalid=world.truth.invalid | invalid,
            affected=world.truth.affected | tasks_using(world.tasks, invalid),
        )
        return replace(world, injections=(*world.injections, injection), truth=truth)
