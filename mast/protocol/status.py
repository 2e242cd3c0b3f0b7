"""Asking a claim's issuer whether the claim is still good."""

from collections.abc import Mapping

from msgspec import Struct

from mast.errors import BindingRejection, DependencyRejection
from mast.ids import ClaimId
from mast.protocol.graph import shown
from mast.protocol.notary import require_issuer
from mast.protocol.packets import Bundle, Revocation, StatusQuery, StatusReply
from mast.protocol.revocations import apply_revocation, read_revocation
from mast.protocol.view import LocalView
from trustrail.foundation import SignedEnvelope


class StatusAnswer(Struct, frozen=True):
    """A checked answer.

    Attributes:
        status: ``active``, ``revoked`` or ``unknown``.
        learned: claims whose revocation was not known here before.
    """

    status: str
    learned: tuple[ClaimId, ...]


def ask(view: LocalView, claim_id: ClaimId, challenge: bytes) -> SignedEnvelope:
    """Sign the question to the issuer of *claim_id* (which may be this organization itself).

    Raises:
        DependencyRejection: if the claim is not held, so its issuer is not known.
    """
    claim = view.claims.get(claim_id)
    if claim is None:
        raise DependencyRejection(f"{view.owner} cannot ask about {shown(claim_id)}, which it does not hold")
    return view.notary.sign(StatusQuery(view.owner, view.workflow, claim.issuer, claim_id, challenge))


def reply(view: LocalView, envelope: SignedEnvelope) -> Bundle:
    """Answer a status question.

    ``unknown`` when the claim is not held, not issued here, or blocked by anything but revocations; ``revoked``,
    with the revocations beside the reply, when revocations block it; else ``active``.

    Raises:
        BindingRejection: if the question is for somebody else.
    """
    query = view.notary.read(envelope, StatusQuery)
    if query.authority != view.owner:
        raise BindingRejection(f"status query is for {query.authority!r}, and reached {view.owner!r}")
    claim_id = query.claim
    claim = view.claims.get(claim_id)
    proofs: tuple[SignedEnvelope, ...] = ()
    if claim is None or claim.issuer != view.owner:
        status = "unknown"
    elif view.graph.stands(claim_id):
        status = "active"
    else:
        blockers = sorted(view.graph.blockers(claim_id))
        if all(blocker in view.revocations for blocker in blockers):
            status = "revoked"
            proofs = tuple(view.revocations[blocker] for blocker in blockers)
        else:
            status = "unknown"
    view.journal.append("status_replied", query.claim, status)
    answer = StatusReply(
        issuer=view.owner,
        workflow=view.workflow,
        query=envelope.id,
        claim=query.claim,
        status=status,  # type: ignore[arg-type] # one of the three by construction
        proofs=tuple([proof.id for proof in proofs]) if proofs else (),
    )
    return Bundle(view.notary.sign(answer), proofs)


def receive(view: LocalView, query: SignedEnvelope, asked: ClaimId, answer: Bundle) -> StatusAnswer:
    """Check the answer to *query* about *asked*, apply the revocations it proves, and return it.

    Raises:
        BindingRejection: if it is not the asked issuer's answer to exactly this question, or its proofs do not
            prove what it says; nothing was applied.
    """
    packet = view.notary.read(answer.packet, StatusReply)
    require_issuer(packet, view.claims[asked].issuer)
    if packet.query != query.id or packet.claim != asked:
        raise BindingRejection(
            f"status reply by {packet.issuer} answers {shown(packet.query)} about {shown(packet.claim)}, "
            f"expected {shown(query.id)} about {shown(asked)}"
        )
    learned = []
    for revocation, envelope in _proofs(view, packet, answer):
        if revocation.claim not in view.revocations:
            apply_revocation(view, revocation, envelope)
            learned.append(revocation.claim)
    view.journal.append("status_received", asked, packet.status)
    return StatusAnswer(packet.status, tuple(learned))


def _proofs(view: LocalView, packet: StatusReply, answer: Bundle) -> list[tuple[Revocation, SignedEnvelope]]:
    """Return the revocations beside the reply, each shown to make the claim inactive."""
    if not packet.proofs and not answer.attached and packet.status != "revoked":
        return []
    beside: Mapping[bytes, SignedEnvelope] = {envelope.id: envelope for envelope in answer.attached}
    if beside.keys() != set(packet.proofs) or len(beside) != len(packet.proofs):
        listed, came = (", ".join(map(shown, sorted(ids))) for ids in (packet.proofs, beside))
        raise BindingRejection(
            f"status reply by {packet.issuer} lists the proofs [{listed}], but [{came}] came with it"
        )
    if bool(packet.proofs) != (packet.status == "revoked"):
        raise BindingRejection(
            f"status reply by {packet.issuer} says {packet.status!r} with {len(packet.proofs)} revocations"
        )
    ancestry = set(view.graph.closure([packet.claim]))
    found = []
    for proof in packet.proofs:
        revocation = read_revocation(view, beside[proof])
        if revocation.claim not in ancestry:
            raise BindingRejection(
                f"status reply by {packet.issuer} proves the revocation of {shown(revocation.claim)}, "
                f"from which {shown(packet.claim)} does not derive"
            )
        found.append((revocation, beside[proof]))
    return found
