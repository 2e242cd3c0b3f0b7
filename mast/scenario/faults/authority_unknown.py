"""The fact authority has nothing confirmed about an order."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from mast.errors import nearest
from mast.scenario.entry import Name, Problem
from mast.scenario.faults.fault import Fault, with_affected
from mast.scenario.world import World


class AuthorityUnknown(Fault):
    """The registry's entries about *order* are not confirmed, so the authority answers UNKNOWN."""

    kind: Literal["authority_unknown"] = "authority_unknown"
    order: Name

    def problems(self, world: World) -> Iterator[Problem]:
        """Yield what stops this fault from being applied to *world*."""
        orders = {order for order, _ in world.registry}
        if not orders:
            yield Problem(("order",), f"is {self.order!r}, but the fact authority has no record of any order")
        elif self.order not in orders:
            yield Problem(("order",), f"is {self.order!r}, which is not on record{nearest(self.order, orders)}")

    def applied(self, world: World) -> World:
        """Return *world* in which tasks of the order cannot be confirmed."""
        registry = {
            key: replace(entry, confirmed=False) if key[0] == self.order else entry
            for key, entry in world.registry.items()
        }
        tasks = [task.name for task in world.tasks if task.order == self.order]
        return with_affected(replace(world, registry=registry), tasks)
