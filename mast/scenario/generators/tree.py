"""A tree: each organization hands its claim to a few others, and those at the leaves act on it."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from mast.ids import OrganizationName
from mast.scenario.generators.generator import SOURCE, Generator, Sketch

_MOST_LEAVES: Final = 1_000_000


class Tree(Generator):
    """A tree of organizations under the source."""

    name: Literal["tree"] = "tree"
    branching: Annotated[int, Field(ge=1, le=1_000)] = 2
    """Organizations to which each one hands its claim."""
    depth: Annotated[int, Field(ge=1, le=64)] = 4
    """Levels of organizations that derive a claim, the source's and the leaves' not counted."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.branching ** (self.depth + 1) > _MOST_LEAVES:
            leaves = f"branching ** (depth + 1) = {self.branching}**{self.depth + 1}"
            raise ValueError(f"{leaves} leaves are too many, expected at most {_MOST_LEAVES}")
        return self

    def sketch(self) -> Sketch:
        """Return the claims, routes and tasks of the world."""
        sketch = Sketch()
        level = [sketch.issue("root", SOURCE)]
        for depth in range(1, self.depth + 1):
            below = []
            for index in range(len(level) * self.branching):
                node = OrganizationName(f"node_{depth}_{index}")
                parent = level[index // self.branching]
                sketch.hand([parent], node)
                below.append(sketch.issue(f"c{depth}_{index}", node, [parent]))
            level = below
            if depth == (self.depth + 1) // 2:
                sketch.middle = level[0]
        for index in range(len(level) * self.branching):
            leaf = OrganizationName(f"leaf_{index}")
            sketch.hand([level[index // self.branching]], leaf)
            sketch.act(leaf, level[index // self.branching])
        return sketch
