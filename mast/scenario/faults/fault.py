"""What every fault is: a frozen value that turns a world into the world in which it happens.

A fault adds its instructions, taps and revisions, and its share of the `Truth`. It knows nothing of other
faults, so any number of them combine on any targets. A new kind is one new file beside this one.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import ClassVar

from mast.errors import nearest
from mast.ids import ClaimName, TaskName
from mast.scenario.entry import Entry, Problem
from mast.scenario.lineage import dependents, tasks_using
from mast.scenario.world import ClaimSpec, Edge, World


class Fault(Entry):
    """Something that goes wrong, or becomes known, in a world."""

    kinds: ClassVar[dict[str, type["Fault"]]] = {}
    """Every kind of fault, by name."""

    kind: str

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: object) -> None:
        """Register the kind named by the default of the ``kind`` field."""
        super().__pydantic_init_subclass__(**kwargs)
        Fault.kinds[cls.model_fields["kind"].default] = cls

    @abstractmethod
    def problems(self, world: World) -> Iterator[Problem]:
        """Yield what stops this fault from being applied to *world*."""
        ...

    @abstractmethod
    def applied(self, world: World) -> World:
        """Return *world* with this fault in it; call it only when there are no `problems`."""
        ...


def with_affected(world: World, tasks: Collection[TaskName]) -> World:
    """Return *world* whose truth says that a fault reaches *tasks*, too."""
    return replace(world, truth=replace(world.truth, affected=world.truth.affected | frozenset(tasks)))


def tasks_resting_on(world: World, claim: ClaimName) -> frozenset[TaskName]:
    """Return the tasks that use *claim* or something derived from it."""
    return tasks_using(world.tasks, dependents(world.claims, [claim]))


def tasks_beyond(world: World, claim: ClaimName, edge: Edge) -> frozenset[TaskName]:
    """Return the tasks that *claim* reaches through *edge*: the recipient's own, and those built on its claims."""
    carried = dependents(world.claims, [claim])
    own = [task for task in world.tasks if task.owner == edge.recipient]
    issued = [name for name in carried if world.claims[name].issuer == edge.recipient]
    return tasks_using(own, carried) | tasks_using(world.tasks, dependents(world.claims, issued))


def unknown_claim(world: World, claim: str) -> Iterator[Problem]:
    """Yield a problem if *world* has no such claim."""
    yield from unknown_name(claim, world.claims)


def unknown_name(claim: str | None, known: Collection[str]) -> Iterator[Problem]:
    """Yield a problem if *claim* is given and is none of the *known* claims."""
    if claim is not None and claim not in known:
        yield Problem(("claim",), f"is {claim!r}, which is not a claim of the topology{nearest(claim, known)}")


def claim_without_order(world: World, claim: str) -> Iterator[Problem]:
    """Yield a problem if *claim* is unknown or is about no order."""
    yield from unknown_claim(world, claim)
    if claim in world.claims and world.claims[ClaimName(claim)].order is None:
        yield Problem(("claim",), f"is {claim!r}, which names no order; give the claim an order")


def after_the_end(world: World, at: int) -> Iterator[Problem]:
    """Yield a problem if the run ends before tick *at*."""
    if at > world.schedule.end:
        yield Problem(("at",), f"is {at}, but the run ends at tick {world.schedule.end}")


def edge_of(world: World, text: str) -> Edge | None:
    """Return the edge that *text* names or spells (``a -> b``), or None if there is none."""
    if text in world.critical_edges:
        return world.critical_edges[text]
    sender, _, recipient = (part.strip() for part in text.partition("->"))
    known = [name for name in world.organizations if name in (sender, recipient)]
    if sender == recipient or len(known) < 2:
        return None
    return Edge(*(known if known[0] == sender else reversed(known)))


def unknown_edge(world: World, text: str | None) -> Iterator[Problem]:
    """Yield a problem if *text* is given and names no edge of *world*."""
    if text is None or edge_of(world, text) is not None:
        return
    ends = [part.strip() for part in text.split("->")]
    if len(ends) != 2:
        yield Problem(("edge",), f"is {text!r}, which names no edge{_nearest_edge(text, world)}")
        return
    strangers = [end for end in ends if end not in world.organizations]
    for end in strangers:
        yield Problem(("edge",), f"is {text!r}, but {end!r} is no organization{nearest(end, world.organizations)}")
    if not strangers:
        yield Problem(("edge",), f"is {text!r}; expected two different organizations")


def _nearest_edge(text: str, world: World) -> str:
    return nearest(text, world.critical_edges) if world.critical_edges else "; expected 'sender -> recipient'"


def unknown_value(spec: ClaimSpec, changes: Iterable[str]) -> Iterator[Problem]:
    """Yield a problem for each changed key that the claim's value does not have."""
    for key in changes:
        if key not in spec.statement.value:
            yield Problem(("changes", key), f"is no part of the claim's value{nearest(key, spec.statement.value)}")
