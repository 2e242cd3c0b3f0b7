"""A claim is altered on the wire, after it was signed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from msgspec import structs

from mast.ids import ClaimName
from mast.organizations.messages import Parcel, ParcelKind, altered_claim, claim_name_of
from mast.protocol.rules import identical
from mast.scenario.entry import Name, Problem, Values
from mast.scenario.faults.fault import (
    Fault,
    edge_of,
    tasks_beyond,
    tasks_resting_on,
    unknown_claim,
    unknown_edge,
    unknown_value,
    with_affected,
)
from mast.scenario.lineage import dependents
from mast.scenario.world import Edge, Tap, World


@dataclass(frozen=True, slots=True)
class Tampering:
    """Alters one claim in the handoffs of a sender."""

    claim: ClaimName
    changes: Mapping[str, Any]
    sender: str
    recipient: str | None
    """None stands for everybody."""

    def transit(self, parcel: Parcel) -> Parcel | None:
        """Return *parcel* with the claim altered, if it is a handoff along the edge that carries it."""
        if parcel.kind is not ParcelKind.HANDOFF or parcel.sender != self.sender:
            return parcel
        if self.recipient is not None and parcel.recipient != self.recipient:
            return parcel
        attached = tuple(
            altered_claim(item, self.changes) if claim_name_of(item) == self.claim else item for item in parcel.attached
        )
        return structs.replace(parcel, attached=attached)

    def delay(self, parcel: Parcel, latency: int) -> int:  # noqa: ARG002 - this tap delays nothing
        """Return *latency* unchanged."""
        return latency

    def fresh(self) -> Tap:
        """Return itself: it keeps nothing."""
        return self


class TamperInTransit(Fault):
    """Somebody on the wire changes parts of a claim's value in handoffs."""

    kind: Literal["tamper_in_transit"] = "tamper_in_transit"
    claim: Name
    changes: Values
    """The parts of the value that change, with what they become."""
    edge: Name | None = None
    """Where; when left out, wherever the claim's issuer hands it to."""

    def problems(self, world: World) -> Iterator[Problem]:
        """Yield what stops this fault from being applied to *world*."""
        yield from unknown_claim(world, self.claim)
        yield from unknown_edge(world, self.edge)
        edge = None if self.edge is None else edge_of(world, self.edge)
        if edge is not None and self.claim in world.claims and not _carries(world, edge, ClaimName(self.claim)):
            yield Problem(("edge",), f"is {self.edge!r}, and no route along it carries {self.claim!r}")
        if self.claim in world.claims:
            spec = world.claims[ClaimName(self.claim)]
            yield from unknown_value(spec, self.changes)
            if all(identical(spec.statement.value.get(key), item) for key, item in self.changes.items()):
                yield Problem(("changes",), "leave the claim as it is; expected another value for one of its keys")

    def applied(self, world: World) -> World:
        """Return *world* with the altering tap; the tasks it can reach are affected."""
        claim = ClaimName(self.claim)
        edge = None if self.edge is None else edge_of(world, self.edge)
        tap = Tampering(
            claim,
            dict(self.changes),
            edge.sender if edge else world.claims[claim].issuer,
            edge.recipient if edge else None,
        )
        reached = tasks_beyond(world, claim, edge) if edge else tasks_resting_on(world, claim)
        return with_affected(replace(world, taps=(*world.taps, tap)), reached)


def _carries(world: World, edge: Edge, claim: ClaimName) -> bool:
    """Return whether a handoff along *edge* has *claim* among its targets or what they derive from."""
    carrying = dependents(world.claims, [claim])
    return any(
        (route.sender, route.recipient) == (edge.sender, edge.recipient) and not carrying.isdisjoint(route.claims)
        for route in world.routes
    )
