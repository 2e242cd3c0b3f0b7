"""What derives from what among the claims of a world, before anything has been issued.

Claims of a `World` stand in an order in which parents precede children, so one pass over them is enough.
"""

from collections.abc import Collection, Iterable, Mapping

from mast.ids import ClaimName, TaskName
from mast.scenario.world import ClaimSpec, TaskSpec


def dependents(claims: Mapping[ClaimName, ClaimSpec], origins: Collection[ClaimName]) -> frozenset[ClaimName]:
    """Return *origins* and every claim that derives from one of them."""
    reached = set(origins)
    for name, spec in claims.items():
        if any(parent in reached for parent in spec.statement.parents):
            reached.add(name)
    return frozenset(reached)


def tasks_using(tasks: Iterable[TaskSpec], claims: Collection[ClaimName]) -> frozenset[TaskName]:
    """Return the names of the tasks that rest on at least one of *claims*."""
    return frozenset(task.name for task in tasks if any(claim in claims for claim in task.claims))
