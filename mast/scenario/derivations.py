"""Whether the claims of a world could be issued at all: each root by its authority, each other as its rule derives it.

A world in which nothing is wrong yet must run without a refusal; what organizations would refuse is a mistake in a
file, not a finding about a protocol.
"""

from collections.abc import Iterator

from mast.errors import Rejection
from mast.ids import ClaimId
from mast.protocol.claims import check_authority
from mast.protocol.facts import is_settlement, settlement_key
from mast.protocol.packets import Claim
from mast.protocol.rules import check_derivation
from mast.scenario.entry import Problem
from mast.scenario.world import World


def derivation_problems(world: World) -> Iterator[Problem]:
    """Yield a problem for each claim of *world* that its issuer would not be believed."""
    stated: dict[str, Claim] = {}
    for name, spec in world.claims.items():
        statement = spec.statement
        claim = Claim(
            issuer=spec.issuer,
            workflow="check",
            name=name,
            parents=tuple(ClaimId(parent.encode()) for parent in statement.parents),
            rule=statement.rule,
            predicate=statement.predicate,
            value=dict(statement.value),
        )
        stated[name] = claim
        try:
            if not statement.parents:
                check_authority(world.authorities, claim)
            check_derivation(claim, [stated[parent] for parent in statement.parents])
            if is_settlement(claim):
                settlement_key(claim)
        except Rejection as rejection:
            yield Problem(("claims", name), f"cannot be issued: {rejection}")
