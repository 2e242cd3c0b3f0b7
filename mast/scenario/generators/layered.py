"""A layered random DAG: claims in layers, each built on a few near claims of the layer before.

A claim draws its parents from a window of fixed width at its own position in the previous layer. Closures are
therefore bounded by the number of layers and the window, whatever the size of the world, and the cost per claim
does not grow with it.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from mast.ids import ClaimName, OrganizationName
from mast.scenario.generators.draws import distinct, draw
from mast.scenario.generators.generator import SOURCE, Count, Generator, Seed, Sketch


class Layered(Generator):
    """Layers of organizations between one source and the sinks that act."""

    name: Literal["layered"] = "layered"
    claims: Count = 1_000
    organizations: Count = 100
    """In all: the source, the fact authority, the layers between, the sinks."""
    layers: Annotated[int, Field(ge=2, le=64)] = 6
    """Layers of claims; the first is the source's."""
    parents_min: Annotated[int, Field(ge=1, le=16)] = 1
    parents_max: Annotated[int, Field(ge=1, le=16)] = 3
    window: Annotated[int, Field(ge=1, le=1_000)] = 8
    """Claims of the previous layer among which parents are drawn."""
    tasks_per_sink: Annotated[int, Field(ge=1, le=1_000)] = 3
    seed: Seed = 0

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.parents_min > self.parents_max:
            raise ValueError(f"parents_min is {self.parents_min}, expected at most parents_max = {self.parents_max}")
        if self.window < self.parents_max:
            raise ValueError(f"window is {self.window}, expected at least parents_max = {self.parents_max}")
        if self.organizations < self.layers + 2:
            raise ValueError(f"organizations is {self.organizations}, expected at least layers + 2 = {self.layers + 2}")
        if self.claims < self.layers * self.window:
            least = self.layers * self.window
            raise ValueError(f"claims is {self.claims}, expected at least layers * window = {least}")
        if self.claims < self.organizations + self.layers:
            least = self.organizations + self.layers
            raise ValueError(f"claims is {self.claims}, expected at least organizations + layers = {least}")
        return self

    def sketch(self) -> Sketch:
        """Return the claims, routes and tasks of the world."""
        sketch = Sketch()
        groups = self._groups()
        above = [sketch.issue(f"c0_{index}", SOURCE) for index in range(self._size(0))]
        for layer in range(1, self.layers):
            issuers = groups[layer - 1]
            size = self._size(layer)
            here = [
                (f"c{layer}_{index}", at_same_place(index, size, issuers), self._parents(layer, index, above))
                for index in range(size)
            ]
            hand_over(sketch, above, [(issuer, parents) for _, issuer, parents in here], issuers)
            above = [sketch.issue(*claim) for claim in here]
        hand_over(sketch, above, (), groups[-1])
        self._add_tasks(sketch, above, groups[-1])
        sketch.middle = self._middle(sketch)
        return sketch

    def _middle(self, sketch: Sketch) -> ClaimName:
        """Return a claim of the middle layer on which a task in the middle rests."""
        claim = sketch.tasks[len(sketch.tasks) // 2].claims[0]
        for _ in range(self.layers - 1 - self.layers // 2):
            claim = sketch.claims[claim].statement.parents[0]
        return claim

    def _size(self, layer: int) -> int:
        return self.claims * (layer + 1) // self.layers - self.claims * layer // self.layers

    def _groups(self) -> list[list[OrganizationName]]:
        """Return the organizations of each layer after the first, the sinks last."""
        count = self.organizations - 2
        bounds = [count * layer // self.layers for layer in range(self.layers + 1)]
        return [
            [OrganizationName(f"o{layer}_{index}") for index in range(end - first)]
            for layer, (first, end) in enumerate(pairwise(bounds), start=1)
        ]

    def _parents(self, layer: int, index: int, above: list[ClaimName]) -> list[ClaimName]:
        entity = self.claims * layer // self.layers + index
        count = self.parents_min + draw(self.seed, "count", entity, 0, self.parents_max - self.parents_min + 1)
        centre = index * len(above) // self._size(layer)
        first = min(max(0, centre - self.window // 2), len(above) - self.window)
        return [above[first + step] for step in distinct(self.seed, "parents", entity, count, self.window)]

    def _add_tasks(self, sketch: Sketch, last: list[ClaimName], sinks: list[OrganizationName]) -> None:
        taken: dict[OrganizationName, int] = {}
        for index, claim in enumerate(last):
            owner = at_same_place(index, len(last), sinks)
            taken[owner] = taken.get(owner, 0) + 1
            if taken[owner] <= self.tasks_per_sink:
                sketch.act(owner, claim)


def at_same_place(index: int, size: int, organizations: list[OrganizationName]) -> OrganizationName:
    """Return the organization whose share of *size* positions, in equal blocks, holds *index*."""
    return organizations[index * len(organizations) // size]


def hand_over(
    sketch: Sketch,
    above: list[ClaimName],
    needs: Iterable[tuple[OrganizationName, list[ClaimName]]],
    recipients: list[OrganizationName],
) -> None:
    """Hand to each recipient, in one handoff per sender, the claims of *above* it needs.

    A claim nobody needs goes to the recipient at its own place, so that every claim is handed to somebody.
    """
    wanted: dict[OrganizationName, dict[ClaimName, None]] = {name: {} for name in recipients}
    used: set[ClaimName] = set()
    for recipient, parents in needs:
        wanted[recipient].update(dict.fromkeys(parents))
        used.update(parents)
    for index, claim in enumerate(above):
        if claim not in used:
            wanted[at_same_place(index, len(above), recipients)][claim] = None
    for recipient, claims in wanted.items():
        by_sender: dict[OrganizationName, list[ClaimName]] = {}
        for claim in claims:
            by_sender.setdefault(sketch.claims[claim].issuer, []).append(claim)
        for group in by_sender.values():
            sketch.hand(group, recipient)
