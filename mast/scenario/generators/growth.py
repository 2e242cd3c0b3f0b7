"""Growing a world claim by claim: what generators share in which each claim builds on earlier ones.

A claim's issuer is drawn among the organizations that issued none of its parents, so that nobody builds on a claim
of its own; its parents are handed to it just before, unless it was handed them earlier.
"""

from collections.abc import Callable, Sequence
from itertools import count

from mast.ids import ClaimName, OrganizationName
from mast.scenario.generators.draws import draw
from mast.scenario.generators.generator import SOURCE, Sketch


def grow(
    sketch: Sketch,
    *,
    claims: int,
    roots: int,
    organizations: int,
    seed: int,
    parents_of: Callable[[int], Sequence[int]],
) -> list[ClaimName]:
    """Add *claims* claims to *sketch*, the first *roots* of them the source's, and return them in order.

    *parents_of* gives the parents of a later claim by their numbers, all smaller than its own.
    """
    names = [sketch.issue(f"c{index}", SOURCE) for index in range(roots)]
    handed: dict[OrganizationName, set[ClaimName]] = {}
    for index in range(roots, claims):
        parents = [names[parent] for parent in parents_of(index)]
        issuer = _issuer(index, seed, organizations, {sketch.claims[parent].issuer for parent in parents})
        _hand_missing(sketch, parents, issuer, handed.setdefault(issuer, set()))
        names.append(sketch.issue(f"c{index}", issuer, parents))
    return names


def let_act(sketch: Sketch, claims: Sequence[ClaimName], receivers: int) -> None:
    """Let *receivers* organizations each act on one of the newest *claims*, and revoke a parent of the newest.

    Other claims nobody builds on go to the first receiver, so that every claim is handed to somebody.
    """
    built_on = {parent for spec in sketch.claims.values() for parent in spec.statement.parents}
    names = [OrganizationName(f"receiver_{index}") for index in range(receivers)]
    newest = claims[-receivers:]
    for receiver, claim in zip(names, newest, strict=True):
        sketch.hand([claim], receiver)
        sketch.act(receiver, claim)
    for claim in claims:
        if claim not in built_on and claim not in newest:
            sketch.hand([claim], names[0])
    sketch.middle = sketch.claims[claims[-1]].statement.parents[0]


def _issuer(index: int, seed: int, organizations: int, taken: set[OrganizationName]) -> OrganizationName:
    """Return a random organization that is not *taken*."""
    for counter in count():
        name = OrganizationName(f"org_{draw(seed, 'issuer', index, counter, organizations)}")
        if name not in taken:
            break
    return name


def _hand_missing(
    sketch: Sketch, claims: Sequence[ClaimName], recipient: OrganizationName, handed: set[ClaimName]
) -> None:
    """Hand *claims* that *recipient* was not handed before, in one handoff per sender."""
    by_sender: dict[OrganizationName, list[ClaimName]] = {}
    for claim in claims:
        if claim not in handed:
            by_sender.setdefault(sketch.claims[claim].issuer, []).append(claim)
    for group in by_sender.values():
        sketch.hand(group, recipient)
    handed.update(claims)
