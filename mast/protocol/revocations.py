"""Taking claims back: only the issuer may, and never undo it."""

from mast.errors import AuthorityRejection, BindingRejection, DependencyRejection
from mast.ids import ClaimId
from mast.protocol.graph import shown
from mast.protocol.packets import Claim, Revocation
from mast.protocol.view import LocalView
from trustrail.foundation import SignedEnvelope


def revoke(view: LocalView, claim_id: ClaimId) -> SignedEnvelope:
    """Sign and apply the revocation of one's own claim; revoking again returns the same packet.

    Raises:
        DependencyRejection: if the claim is not held.
        AuthorityRejection: if somebody else issued it.
    """
    known = view.revocations.get(claim_id)
    if known is not None:
        return known
    revocation = build_revocation(view, claim_id)
    envelope = view.notary.sign(revocation)
    apply_revocation(view, revocation, envelope)
    return envelope


def build_revocation(view: LocalView, claim_id: ClaimId) -> Revocation:
    """Return the revocation of one's own claim, unsigned.

    Raises:
        DependencyRejection: if the claim is not held.
        AuthorityRejection: if somebody else issued it.
    """
    claim = view.claims.get(claim_id)
    if claim is None:
        raise DependencyRejection(f"{view.owner} cannot revoke {shown(claim_id)}, which it does not hold")
    if claim.issuer != view.owner:
        raise AuthorityRejection(f"{view.owner} cannot revoke {claim.name!r}, which {claim.issuer} issued")
    original = view.envelopes[claim_id]
    return Revocation(view.owner, view.workflow, claim_id, original.payload, original.signature)


def read_revocation(view: LocalView, envelope: SignedEnvelope) -> Revocation:
    """Return the revocation in *envelope* once it is shown to be by the issuer of the claim it names.

    Raises:
        SignatureRejection, MalformedRejection, WorkflowRejection: for the revocation or the claim inside it.
        BindingRejection: if the claim inside is another than the one named.
        AuthorityRejection: if somebody else issued that claim.
    """
    revocation = view.notary.read(envelope, Revocation)
    original = SignedEnvelope(revocation.claim_payload, revocation.issuer, revocation.claim_signature)
    if original.id != revocation.claim:
        raise BindingRejection(f"revocation names {shown(revocation.claim)} but carries the claim {shown(original.id)}")
    held = view.envelopes.get(revocation.claim)
    # What is held has been checked before: the same bytes need no second check.
    known = held is not None and held.signature == original.signature
    claim = view.claims[revocation.claim] if known else view.notary.read(original, Claim)
    if claim.issuer != revocation.issuer:
        raise AuthorityRejection(f"{revocation.issuer} cannot revoke {claim.name!r}, which {claim.issuer} issued")
    return revocation


def apply_revocation(view: LocalView, revocation: Revocation, envelope: SignedEnvelope) -> set[ClaimId]:
    """Record a checked revocation and return the held claims that fell by it; a known one changes nothing."""
    claim_id = revocation.claim
    if claim_id in view.revocations:
        return set()
    view.revocations[claim_id] = envelope
    fallen = view.graph.withdraw(claim_id)
    view.journal.append("revocation_recorded", claim_id, envelope.id)
    return fallen
