"""A ladder of diamonds: each join splits into two sides that join again, so paths double at every rung.

The number of paths from root to end is 2 ** rungs, while claims and routes grow only linearly: whoever walks
paths instead of claims does not finish.
"""

from typing import Literal

from mast.ids import OrganizationName
from mast.scenario.generators.generator import SOURCE, Count, Generator, Sketch


class DiamondLadder(Generator):
    """Diamonds one after the other between the source and one receiver."""

    name: Literal["diamond_ladder"] = "diamond_ladder"
    rungs: Count = 4

    def sketch(self) -> Sketch:
        """Return the claims, routes and tasks of the world."""
        sketch = Sketch()
        joins = [sketch.issue("join_0", SOURCE)]
        for rung in range(1, self.rungs + 1):
            join = OrganizationName(f"join_{rung}")
            sides = []
            for side in ("left", "right"):
                organization = OrganizationName(f"{side}_{rung}")
                sketch.hand([joins[-1]], organization)
                sides.append(sketch.issue(f"{side}_{rung}", organization, [joins[-1]]))
            for claim in sides:
                sketch.hand([claim], join)
            joins.append(sketch.issue(f"join_{rung}", join, sides))
        receiver = OrganizationName("receiver")
        sketch.hand([joins[-1]], receiver)
        sketch.act(receiver, joins[-1])
        sketch.middle = joins[(self.rungs + 1) // 2]
        return sketch
