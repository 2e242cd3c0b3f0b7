"""A preferential tree: each claim builds on one earlier one, drawn by how much is attached to it already.

Few early claims end up carrying most of the world, as in package registries.

References:
    A.-L. Barabasi and R. Albert, "Emergence of scaling in random networks", Science 286, 1999 (with m = 1).
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from mast.scenario.generators.draws import draw
from mast.scenario.generators.generator import Count, Generator, Seed, Sketch
from mast.scenario.generators.growth import grow, let_act


class PreferentialTree(Generator):
    """Claims of random organizations, each built on one earlier claim, popular ones preferred."""

    name: Literal["preferential_tree"] = "preferential_tree"
    claims: Count = 100
    organizations: Annotated[int, Field(ge=2)] = 20
    """Organizations that derive claims; source, authority and receivers are not counted."""
    receivers: Annotated[int, Field(ge=1, le=1_000)] = 4
    """Organizations that each act on one of the newest claims."""
    seed: Seed = 0

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.claims < 1 + self.receivers:
            raise ValueError(f"claims is {self.claims}, expected at least 1 + receivers = {1 + self.receivers}")
        return self

    def sketch(self) -> Sketch:
        """Return the claims, routes and tasks of the world."""
        sketch = Sketch()
        ends: list[int] = []

        def parents_of(index: int) -> list[int]:
            """Draw an end of an earlier derivation: each claim is there once per claim it touches."""
            parent = ends[draw(self.seed, "parent", index, 0, len(ends))] if ends else 0
            ends.extend((parent, index))
            return [parent]

        claims = grow(
            sketch,
            claims=self.claims,
            roots=1,
            organizations=self.organizations,
            seed=self.seed,
            parents_of=parents_of,
        )
        let_act(sketch, claims, self.receivers)
        return sketch
