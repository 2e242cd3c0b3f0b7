"""An issuer signs a second root that contradicts its first one."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from mast.ids import ClaimName
from mast.organizations.messages import Provide
from mast.scenario.entry import Name, Problem, Values
from mast.scenario.faults.fault import Fault, tasks_resting_on, unknown_claim, unknown_value, with_affected
from mast.scenario.world import World


class ConflictingSource(Fault):
    """The issuer of a root signs another one of another value and hands it to every task owner."""

    kind: Literal["conflicting_source"] = "conflicting_source"
    claim: Name
    changes: Values
    """The parts of the value that differ in the second root."""
    name: Name | None = None
    """Name of the second root; when left out, ``conflicting_`` and the first one's name."""

    def problems(self, world: World) -> Iterator[Problem]:
        """Yield what stops this fault from being applied to *world*."""
        yield from unknown_claim(world, self.claim)
        if self._second_name in world.claims:
            yield Problem(("name",), f"is {self._second_name!r}, which is a claim of the topology already")
        if any(self._second_name in provide.claims for _, provide in world.extra_seeds):
            yield Problem(("name",), f"is {self._second_name!r}, which an earlier fault uses; give another name")
        if self.claim in world.claims:
            first = world.claims[ClaimName(self.claim)]
            yield from unknown_value(first, self.changes)
            if first.statement.parents:
                parents = ", ".join(first.statement.parents)
                yield Problem(("claim",), f"is {self.claim!r}, which derives from {parents}; expected a root")

    @property
    def _second_name(self) -> str:
        return self.name or f"conflicting_{self.claim}"

    def applied(self, world: World) -> World:
        """Return *world* in which the second root is handed out after the routes."""
        claim = ClaimName(self.claim)
        first = world.claims[claim]
        second = replace(
            first.statement,
            name=ClaimName(self._second_name),
            value={**first.statement.value, **self.changes},
        )
        owners = dict.fromkeys(task.owner for task in world.tasks if task.owner != first.issuer)
        seeds = tuple(
            (first.issuer, Provide(statements=(second,), claims=(second.name,), recipient=owner)) for owner in owners
        )
        return with_affected(replace(world, extra_seeds=(*world.extra_seeds, *seeds)), tasks_resting_on(world, claim))
