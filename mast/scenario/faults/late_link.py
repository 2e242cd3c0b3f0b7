"""Parcels take longer than they should."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from mast.organizations.messages import Parcel, ParcelKind
from mast.scenario.entry import Name, ParcelKindName, Problem, Ticks
from mast.scenario.faults.fault import Fault, edge_of, unknown_edge
from mast.scenario.world import Edge, Tap, World


@dataclass(frozen=True, slots=True)
class Lateness:
    """Makes matching parcels take at least some ticks."""

    ticks: int
    kinds: tuple[ParcelKind, ...]
    """Empty stands for all kinds."""
    edge: Edge | None
    """None stands for every edge."""

    def transit(self, parcel: Parcel) -> Parcel | None:
        """Return *parcel* as it is."""
        return parcel

    def delay(self, parcel: Parcel, latency: int) -> int:
        """Return the longer of *latency* and this tap's ticks, if *parcel* matches."""
        if self.kinds and parcel.kind not in self.kinds:
            return latency
        if self.edge is not None and (parcel.sender, parcel.recipient) != (self.edge.sender, self.edge.recipient):
            return latency
        return max(latency, self.ticks)

    def fresh(self) -> Tap:
        """Return itself: it keeps nothing."""
        return self


class LateLink(Fault):
    """Parcels take at least *delay* ticks: all, or those of some kinds, or those along one edge."""

    kind: Literal["late_link"] = "late_link"
    delay: Ticks
    """Least time on the way, in ticks."""
    parcels: tuple[ParcelKindName, ...] = Field(default=(), strict=False)
    """Kinds of parcels that are late; none named means all."""
    edge: Name | None = None
    """``sender -> recipient``, or the name of a critical edge; when left out, every edge."""

    def problems(self, world: World) -> Iterator[Problem]:
        """Yield what stops this fault from being applied to *world*."""
        yield from unknown_edge(world, self.edge)

    def applied(self, world: World) -> World:
        """Return *world* with the delaying tap; lateness alone makes no task wrong."""
        edge = None if self.edge is None else edge_of(world, self.edge)
        tap = Lateness(self.delay, self.parcels, edge)
        return replace(world, taps=(*world.taps, tap))
