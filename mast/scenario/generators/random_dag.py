"""A random d-DAG: each claim builds on d different earlier ones, all equally likely.

References:
    The dependency closure of the newest of n claims grows like sqrt(n) for d = 2: S. Janson, "A limit law for
    the descendants of a random recursive dag", arXiv 2302.12467.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from mast.scenario.generators.draws import distinct
from mast.scenario.generators.generator import Count, Generator, Seed, Sketch
from mast.scenario.generators.growth import grow, let_act


class RandomDag(Generator):
    """Claims of random organizations, each built on random earlier claims."""

    name: Literal["random_dag"] = "random_dag"
    claims: Count = 100
    organizations: Count = 20
    """Organizations that derive claims; source, authority and receivers are not counted."""
    parents: Annotated[int, Field(ge=1, le=16)] = 2
    """Parents of every claim (the d of the d-DAG); the first d claims are the source's roots."""
    receivers: Annotated[int, Field(ge=1, le=1_000)] = 4
    """Organizations that each act on one of the newest claims."""
    seed: Seed = 0

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.organizations <= self.parents:
            raise ValueError(
                f"organizations is {self.organizations}, expected more than parents = {self.parents}, "
                "so that nobody builds on a claim of its own"
            )
        if self.claims < self.parents + self.receivers:
            least = self.parents + self.receivers
            raise ValueError(f"claims is {self.claims}, expected at least parents + receivers = {least}")
        return self

    def sketch(self) -> Sketch:
        """Return the claims, routes and tasks of the world."""
        sketch = Sketch()
        claims = grow(
            sketch,
            claims=self.claims,
            roots=self.parents,
            organizations=self.organizations,
            seed=self.seed,
            parents_of=lambda index: distinct(self.seed, "parents", index, self.parents, index),
        )
        let_act(sketch, claims, self.receivers)
        return sketch
