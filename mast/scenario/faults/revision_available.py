"""A claim's issuer learns the right value, and repair begins."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from mast.ids import ClaimName
from mast.scenario.entry import Name, Problem, Ticks, Values
from mast.scenario.faults.fault import Fault, after_the_end, unknown_claim, unknown_value
from mast.scenario.world import Revision, World


class RevisionAvailable(Fault):
    """The issuer of *claim* can publish it again, corrected; how is up to the mechanisms."""

    kind: Literal["revision_available"] = "revision_available"
    claim: Name
    changes: Values
    """The parts of the value that are corrected."""
    at: Ticks = 20
    """Tick at which the correction becomes known; 20 in the reference cases."""

    def problems(self, world: World) -> Iterator[Problem]:
        """Yield what stops this fault from being applied to *world*."""
        yield from unknown_claim(world, self.claim)
        yield from after_the_end(world, self.at)
        if self.claim in world.claims:
            yield from unknown_value(world.claims[ClaimName(self.claim)], self.changes)

    def applied(self, world: World) -> World:
        """Return *world* with the revision; the fault that made it needed tells which tasks are affected."""
        claim = ClaimName(self.claim)
        value = {**world.claims[claim].statement.value, **self.changes}
        return replace(world, revisions=(*world.revisions, Revision(at=self.at, claim=claim, value=value)))
