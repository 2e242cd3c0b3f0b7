"""Issuing claims, and admitting claims issued by others."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mast.errors import (
    AuthorityRejection,
    BlockedRejection,
    DependencyRejection,
    DuplicateRejection,
    MalformedRejection,
)
from mast.ids import ClaimId, ClaimName, OrganizationName
from mast.protocol.graph import shown
from mast.protocol.packets import MAX_NAME, MAX_PARENTS, Claim
from mast.protocol.rules import check_derivation
from mast.protocol.view import LocalView
from trustrail.foundation import SignedEnvelope

Admitted = dict[ClaimId, tuple[Claim, SignedEnvelope]]
"""Claims that passed every check and are not held yet, parents first."""


def issue(
    view: LocalView,
    *,
    name: ClaimName,
    parents: Sequence[ClaimId],
    rule: str,
    predicate: str,
    value: Mapping[str, Any],
    revision: int = 1,
    supersedes: ClaimId | None = None,
    recovery: tuple[bytes, str] | None = None,
) -> ClaimId:
    """Sign a claim, hold it, and return its id.

    Raises:
        BlockedRejection: if a parent does not stand here.
        DependencyRejection: if a parent is not held.
        DerivationRejection: if the fact does not follow from the parents.
        AuthorityRejection: if a root is not this organization's to state.
        MalformedRejection: if the value has no canonical form, or a name is empty or too long.
    """
    claim = Claim(
        issuer=view.owner,
        workflow=view.workflow,
        name=name,
        parents=tuple(parents),
        rule=rule,
        predicate=predicate,
        value=dict(value),
        revision=revision,
        supersedes=supersedes,
        recovery=recovery,
    )
    for field, text in (("name", name), ("rule", rule), ("predicate", predicate)):
        if not 1 <= len(text) <= MAX_NAME:
            got = f"{text!r:.40} of {len(text)} characters"
            raise MalformedRejection(f"claim by {view.owner} has the {field} {got}, expected 1 to {MAX_NAME}")
    check_content(view, claim, {})
    for parent in parents:
        if not view.graph.stands(parent):
            raise BlockedRejection(f"claim {name!r} cannot build on {shown(parent)}, which is withdrawn")
    envelope = view.notary.sign(claim)
    claim_id = ClaimId(envelope.id)
    if claim_id not in view.claims:
        view.hold(claim_id, claim, envelope)
        view.journal.append("claim_issued", claim_id)
    return claim_id


def admit(view: LocalView, envelopes: Iterable[SignedEnvelope]) -> Admitted:
    """Check claims that come from elsewhere, parents first, and return those not held yet.

    Nothing is stored; `hold_all` does that.

    Raises:
        Rejection: for the first claim that fails a check.
    """
    admitted: Admitted = {}
    seen: set[bytes] = set()
    for envelope in envelopes:
        if envelope.id in seen:
            raise DuplicateRejection(f"claim {shown(envelope.id)} comes twice")
        seen.add(envelope.id)
        claim_id = ClaimId(envelope.id)
        if claim_id in view.claims:
            continue
        claim = view.notary.read(envelope, Claim)
        check_content(view, claim, admitted)
        admitted[claim_id] = (claim, envelope)
    return admitted


def hold_all(view: LocalView, admitted: Admitted) -> None:
    """Store claims that `admit` returned."""
    for claim_id, (claim, envelope) in admitted.items():
        view.hold(claim_id, claim, envelope)


def check_content(view: LocalView, claim: Claim, beside: Admitted) -> None:
    """Return when *claim* may be believed to follow from its parents, held here or in *beside*.

    Raises:
        AuthorityRejection, DependencyRejection, DuplicateRejection, DerivationRejection: if it may not.
    """
    if len(claim.parents) > MAX_PARENTS:
        raise DependencyRejection(
            f"claim {claim.name!r} has {len(claim.parents)} parents, expected at most {MAX_PARENTS}"
        )
    if not claim.parents:
        check_authority(view.authorities, claim)
    elif len(set(claim.parents)) != len(claim.parents):
        twice = next(parent for parent in claim.parents if claim.parents.count(parent) > 1)
        raise DuplicateRejection(f"claim {claim.name!r} by {claim.issuer} names the parent {shown(twice)} twice")
    parents = []
    for parent_id in claim.parents:
        parent = view.claims.get(parent_id)
        if parent is None:
            entry = beside.get(parent_id)
            if entry is None:
                raise DependencyRejection(
                    f"claim {claim.name!r} by {claim.issuer} builds on {shown(parent_id)}, "
                    f"which {view.owner} does not hold"
                )
            parent = entry[0]
        parents.append(parent)
    check_derivation(claim, parents)


def check_authority(authorities: Mapping[str, OrganizationName], claim: Claim) -> None:
    """Return when the issuer of the root *claim* is the authority for its predicate.

    Raises:
        AuthorityRejection: if it is not.
    """
    authority = authorities.get(claim.predicate)
    if claim.issuer != authority:
        raise AuthorityRejection(
            f"claim {claim.name!r} about {claim.predicate} is by {claim.issuer!r}, expected the authority {authority!r}"
        )
