"""A chain: each organization derives its claim from the one before, and a receiver acts on the last."""

from typing import Literal

from mast.ids import OrganizationName
from mast.scenario.generators.generator import SOURCE, Count, Generator, Sketch


class Chain(Generator):
    """A line of organizations between the source and one receiver."""

    name: Literal["chain"] = "chain"
    length: Count = 8
    """Organizations that derive a claim, the source not counted."""

    def sketch(self) -> Sketch:
        """Return the claims, routes and tasks of the world."""
        sketch = Sketch()
        claims = [sketch.issue("c0", SOURCE)]
        for position in range(1, self.length + 1):
            link = OrganizationName(f"link_{position}")
            sketch.hand([claims[-1]], link)
            claims.append(sketch.issue(f"c{position}", link, [claims[-1]]))
        receiver = OrganizationName("receiver")
        sketch.hand([claims[-1]], receiver)
        sketch.act(receiver, claims[-1])
        sketch.middle = claims[(self.length + 1) // 2]
        return sketch
