"""A random d-DAG: each claim builds on d different earlier ones, all equally likely.

References:
    The dependency closure of the newest of n claims grows like sqrt(n) for d = 2: S. Janson, "A limit law for
    the descendants of a random recursive dag", arXiv 2302.12467.
"""

from itertools import count
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from mast.ids import ClaimName, OrganizationName
from mast.scenario.generators.draws import distinct, draw
from mast.scenario.generators.generator import SOURCE, Count, Generator, Seed, Sketch


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
        claims = [sketch.issue(f"c{index}", SOURCE) for index in range(self.parents)]
        handed: dict[OrganizationName, set[ClaimName]] = {}
        for index in range(self.parents, self.claims):
            parents = [claims[step] for step in distinct(self.seed, "parents", index, self.parents, index)]
            issuer = self._issuer(index, {sketch.claims[parent].issuer for parent in parents})
            _hand_missing(sketch, parents, issuer, handed.setdefault(issuer, set()))
            claims.append(sketch.issue(f"c{index}", issuer, parents))
        self._add_tasks(sketch, claims)
        sketch.middle = sketch.claims[claims[-1]].statement.parents[0]
        return sketch

    def _issuer(self, index: int, taken: set[OrganizationName]) -> OrganizationName:
        """Return a random organization that issued none of the parents."""
        for counter in count():
            name = OrganizationName(f"org_{draw(self.seed, 'issuer', index, counter, self.organizations)}")
            if name not in taken:
                break
        return name

    def _add_tasks(self, sketch: Sketch, claims: list[ClaimName]) -> None:
        """Let the receivers act on the newest claims; claims nobody builds on go to the first receiver."""
        built_on = {parent for spec in sketch.claims.values() for parent in spec.statement.parents}
        receivers = [OrganizationName(f"receiver_{index}") for index in range(self.receivers)]
        newest = claims[-self.receivers :]
        for receiver, claim in zip(receivers, newest, strict=True):
            sketch.hand([claim], receiver)
            sketch.act(receiver, claim)
        for claim in claims:
            if claim not in built_on and claim not in newest:
                sketch.hand([claim], receivers[0])


def _hand_missing(sketch: Sketch, claims: list[ClaimName], recipient: OrganizationName, handed: set[ClaimName]) -> None:
    """Hand *claims* that *recipient* was not handed before, in one handoff per sender."""
    by_sender: dict[OrganizationName, list[ClaimName]] = {}
    for claim in claims:
        if claim not in handed:
            by_sender.setdefault(sketch.claims[claim].issuer, []).append(claim)
    for group in by_sender.values():
        sketch.hand(group, recipient)
    handed.update(claims)
