"""Confirmed revisions: the issuer of a disputed claim replaces it, once the authority confirms the replacement.

The corrected value comes from the issuer; it is never inferred from the denial. Nothing is committed before the
confirmation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mast.errors import (
    AuthorityRejection,
    BindingRejection,
    BlockedRejection,
    DependencyRejection,
    RecoveryRejection,
)
from mast.ids import ClaimId
from mast.protocol.claims import check_content
from mast.protocol.facts import SCOPE, ask_about, check_reply, read_dispute
from mast.protocol.graph import shown
from mast.protocol.notary import require_issuer
from mast.protocol.packets import Bundle, Claim, FactQuery, RevisionOffer
from mast.protocol.revocations import apply_revocation, read_revocation, revoke
from mast.protocol.view import LocalView
from trustrail.foundation import SignedEnvelope, digest

SCOPE_FIELDS: Final = ("order", "currency", "operation")
"""Fields of a value that a revision may not change (behaviour of the earlier system, section 7.3)."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A replacement that is signed but not yet published."""

    old: ClaimId
    claim: Claim
    envelope: SignedEnvelope


@dataclass(frozen=True, slots=True)
class Offer:
    """A checked offer and the packets it rests on."""

    packet: RevisionOffer
    bundle: Bundle
    claim: Claim
    claim_envelope: SignedEnvelope
    revocation_envelope: SignedEnvelope


def draft(view: LocalView, old_id: ClaimId, value: Mapping[str, Any]) -> Draft:
    """Sign the replacement of one's own disputed claim, without holding it yet.

    Raises:
        DependencyRejection: if the claim is not held.
        AuthorityRejection: if somebody else issued it.
        RecoveryRejection: if it is not disputed here, is revoked, or the revision would change its scope.
        BlockedRejection: if a parent does not stand.
    """
    old = view.claims.get(old_id)
    if old is None:
        raise DependencyRejection(f"{view.owner} cannot revise {shown(old_id)}, which it does not hold")
    if old.issuer != view.owner:
        raise AuthorityRejection(f"{view.owner} cannot revise {old.name!r}, which {old.issuer} issued")
    if old_id not in view.disputes:
        raise RecoveryRejection(f"{old.name!r} is not disputed, so there is nothing to confirm a revision against")
    if old_id in view.revocations:
        raise RecoveryRejection(f"{old.name!r} is revoked already; an offer for it has been made")
    claim = Claim(
        issuer=view.owner,
        workflow=view.workflow,
        name=old.name,
        parents=old.parents,
        rule=old.rule,
        predicate=old.predicate,
        value=dict(sorted(value.items())),
        revision=old.revision + 1,
        supersedes=old_id,
    )
    check_scope(old, claim)
    for parent in old.parents:
        if not view.graph.stands(parent):
            raise BlockedRejection(f"{old.name!r} cannot be revised: its parent {shown(parent)} does not stand")
    check_content(view, claim, {})
    return Draft(old_id, claim, view.notary.sign(claim))


def intent(old_id: bytes, new_id: bytes) -> bytes:
    """Return the purpose that binds a confirmation to exactly this replacement of exactly this claim."""
    return digest(b"revision-intent\x00" + old_id + new_id)


def ask_confirmation(view: LocalView, revision: Draft, challenge: bytes) -> Bundle:
    """Sign the question whether the authority confirms the replacement."""
    purpose = intent(revision.old, revision.envelope.id)
    return ask_about(view, revision.envelope, purpose, challenge)


def publish(view: LocalView, revision: Draft, query: SignedEnvelope, answer: SignedEnvelope, now: int) -> Bundle:
    """Revoke the old claim, hold the replacement, and sign the offer.

    Raises:
        RecoveryRejection: if the authority did not confirm; nothing was committed.
        BindingRejection: if the answer is about something else.
    """
    packet = check_reply(view, query.id, revision.envelope.id, answer)
    if packet.status != "CONFIRMED" or not packet.issued_at <= now < packet.expires_at:
        raise RecoveryRejection(
            f"the authority answered {packet.status} about the revision of {revision.claim.name!r}, expected CONFIRMED"
        )
    revocation = revoke(view, revision.old)
    view.hold(ClaimId(revision.envelope.id), revision.claim, revision.envelope)
    dispute = view.disputes[revision.old]
    view.journal.append("revision_published", revision.old, revision.envelope.id)
    offer = RevisionOffer(
        issuer=view.owner,
        workflow=view.workflow,
        old=revision.old,
        new=ClaimId(revision.envelope.id),
        revocation=revocation.id,
        dispute=(dispute.attached[0].id, dispute.packet.id),
        confirmation=(query.id, answer.id),
        checked_at=now,
    )
    beside = (revision.envelope, revocation, dispute.attached[0], dispute.packet, query, answer)
    return Bundle(view.notary.sign(offer), beside)


def read_offer(view: LocalView, bundle: Bundle) -> Offer:
    """Return the offer once everything it rests on is shown to hold, for anyone who holds the old claim.

    Raises:
        DependencyRejection: if the old claim is not held, or a packet the offer names is not beside it.
        AuthorityRejection: if the issuers of offer, old and new claim are not one.
        BindingRejection: if the replacement, revocation, dispute or confirmation is about something else.
        RecoveryRejection: if the claim is disputed here and the offer does not resolve the dispute.
    """
    packet = view.notary.read(bundle.packet, RevisionOffer)
    beside = {envelope.id: envelope for envelope in bundle.attached}
    old = view.claims.get(packet.old)
    if old is None:
        raise DependencyRejection(f"offer by {packet.issuer} revises {shown(packet.old)}, not held by {view.owner}")
    claim_envelope = _beside(beside, packet.new, packet)
    claim = view.notary.read(claim_envelope, Claim)
    if not packet.issuer == old.issuer == claim.issuer:
        raise AuthorityRejection(
            f"offer by {packet.issuer!r} replaces a claim of {old.issuer!r} by one of {claim.issuer!r}; "
            "expected one issuer"
        )
    if claim.supersedes != packet.old or (claim.parents, claim.rule) != (old.parents, old.rule):
        raise BindingRejection(
            f"claim {shown(packet.new)} does not replace {shown(packet.old)} under the same derivation"
        )
    if (claim.name, claim.revision) != (old.name, old.revision + 1):
        raise BindingRejection(
            f"claim {claim.name!r} of revision {claim.revision} replaces {old.name!r} of revision {old.revision}, "
            f"expected the same name and revision {old.revision + 1}"
        )
    check_scope(old, claim)
    check_content(view, claim, {})
    revocation_envelope = _beside(beside, packet.revocation, packet)
    if read_revocation(view, revocation_envelope).claim != packet.old:
        raise BindingRejection(f"offer by {packet.issuer} carries the revocation of another claim")
    _check_resolution(view, packet, beside)
    return Offer(packet, bundle, claim, claim_envelope, revocation_envelope)


def adopt(view: LocalView, offer: Offer) -> None:
    """Apply a checked offer: the old claim is revoked and the replacement held. Authorizes nothing."""
    apply_revocation(view, read_revocation(view, offer.revocation_envelope), offer.revocation_envelope)
    new_id = offer.packet.new
    if new_id not in view.claims:
        view.hold(new_id, offer.claim, offer.claim_envelope)
        view.journal.append("revision_adopted", new_id)


def check_scope(old: Claim, new: Claim) -> None:
    """Return when *new* is about the same thing as *old*.

    Raises:
        RecoveryRejection: if the predicate, order, currency or operation differs.
    """
    if new.predicate != old.predicate:
        raise RecoveryRejection(f"revision of {old.name!r} states {new.predicate}, expected {old.predicate}")
    for name in SCOPE_FIELDS:
        if old.value.get(name) != new.value.get(name):
            raise RecoveryRejection(
                f"revision of {old.name!r} has {name} {new.value.get(name)!r}, expected {old.value.get(name)!r}"
            )


def _check_resolution(view: LocalView, packet: RevisionOffer, beside: Mapping[bytes, SignedEnvelope]) -> None:
    if packet.dispute is None or packet.confirmation is None:
        if packet.old in view.disputes:
            raise RecoveryRejection(f"{shown(packet.old)} is disputed here, and the offer does not resolve the dispute")
        return
    dispute_query, dispute_reply = (_beside(beside, packet_id, packet) for packet_id in packet.dispute)
    read_dispute(view, Bundle(dispute_reply, (dispute_query,)), packet.old)
    query_envelope, reply_envelope = (_beside(beside, packet_id, packet) for packet_id in packet.confirmation)
    query = view.notary.read(query_envelope, FactQuery)
    require_issuer(query, packet.issuer)
    if query.claim != packet.new or query.purpose != intent(packet.old, packet.new):
        raise BindingRejection(f"confirmation was asked for {shown(query.claim)}, expected {shown(packet.new)}")
    if (query.authority, query.scope) != (view.fact_authority, SCOPE):
        raise BindingRejection(
            f"confirmation was asked of {query.authority!r} in {query.scope!r}, "
            f"expected {view.fact_authority!r} in {SCOPE!r}"
        )
    reply = check_reply(view, query_envelope.id, packet.new, reply_envelope)
    if reply.status != "CONFIRMED" or not reply.issued_at <= packet.checked_at < reply.expires_at:
        raise RecoveryRejection(
            f"the revision of {shown(packet.old)} was {reply.status} when checked at tick {packet.checked_at}, "
            "expected CONFIRMED"
        )


def _beside(beside: Mapping[bytes, SignedEnvelope], packet_id: bytes, offer: RevisionOffer) -> SignedEnvelope:
    envelope = beside.get(packet_id)
    if envelope is None:
        raise DependencyRejection(f"offer by {offer.issuer} names {shown(packet_id)}, which did not come with it")
    return envelope
