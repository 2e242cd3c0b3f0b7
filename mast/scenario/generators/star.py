"""A star: one hub hands one claim to every spoke, and each spoke acts on it."""

from typing import Literal

from mast.ids import OrganizationName
from mast.scenario.generators.generator import SOURCE, Count, Generator, Sketch


class Star(Generator):
    """One hub between the source and its spokes."""

    name: Literal["star"] = "star"
    spokes: Count = 8

    def sketch(self) -> Sketch:
        """Return the claims, routes and tasks of the world."""
        sketch = Sketch()
        hub = OrganizationName("hub")
        root = sketch.issue("root", SOURCE)
        sketch.hand([root], hub)
        sketch.middle = sketch.issue("claim", hub, [root])
        for index in range(self.spokes):
            spoke = OrganizationName(f"spoke_{index}")
            sketch.hand([sketch.middle], spoke)
            sketch.act(spoke, sketch.middle)
        return sketch
