"""Parcels are lost on the wire."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field

from mast.ids import TaskName
from mast.organizations.messages import Parcel, ParcelKind
from mast.scenario.entry import Name, ParcelKindName, Problem
from mast.scenario.faults.fault import Fault, edge_of, tasks_beyond, unknown_edge, with_affected
from mast.scenario.world import Edge, Tap, World


@dataclass(frozen=True, slots=True)
class Loss:
    """Loses the first matching parcels of each edge.

    It counts per edge because the order of parcels along one edge is the same in every runtime, while the order
    across edges need not be. The count belongs to one run: see `fresh`.
    """

    kinds: tuple[ParcelKind, ...]
    """Empty stands for all kinds."""
    edge: Edge | None
    """None stands for every edge."""
    first: int
    _seen: Counter[tuple[str, str]] = field(default_factory=Counter, compare=False)

    def transit(self, parcel: Parcel) -> Parcel | None:
        """Return None for the first matching parcels of an edge, later ones as they are."""
        along = (parcel.sender, parcel.recipient)
        if self.kinds and parcel.kind not in self.kinds:
            return parcel
        if self.edge is not None and along != (self.edge.sender, self.edge.recipient):
            return parcel
        self._seen[along] += 1
        return None if self._seen[along] <= self.first else parcel

    def delay(self, parcel: Parcel, latency: int) -> int:  # noqa: ARG002 - this tap delays nothing
        """Return *latency* unchanged."""
        return latency

    def fresh(self) -> Tap:
        """Return a tap that has seen nothing yet."""
        return Loss(self.kinds, self.edge, self.first)


class DropInTransit(Fault):
    """The first parcels along an edge, or along every edge, never arrive."""

    kind: Literal["drop_in_transit"] = "drop_in_transit"
    first: Annotated[int, Field(ge=1)] = 1
    """How many parcels of each edge are lost."""
    parcels: tuple[ParcelKindName, ...] = Field(default=(), strict=False)
    """Kinds of parcels that are lost; none named means all."""
    edge: Name | None = None
    """``sender -> recipient``, or the name of a critical edge; when left out, every edge."""

    def problems(self, world: World) -> Iterator[Problem]:
        """Yield what stops this fault from being applied to *world*."""
        yield from unknown_edge(world, self.edge)

    def applied(self, world: World) -> World:
        """Return *world* with the losing tap; tasks that rest on a lost handoff are affected."""
        edge = None if self.edge is None else edge_of(world, self.edge)
        reached: frozenset[TaskName] = frozenset()
        if not self.parcels or ParcelKind.HANDOFF in self.parcels:
            for route in world.routes:
                along = Edge(route.sender, route.recipient)
                if edge in (None, along):
                    reached = reached.union(*(tasks_beyond(world, claim, along) for claim in route.claims))
        return with_affected(replace(world, taps=(*world.taps, Loss(self.parcels, edge, self.first))), reached)
