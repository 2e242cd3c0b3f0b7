"""Fact evidence: asking the fact authority whether an amount agrees with its record.

The authority answers CONFIRMED, CONTRADICTED or UNKNOWN and never gives the amount away. A contradiction becomes a
dispute, which never lapses and is not a revocation.
"""

from collections.abc import Mapping
from typing import Any, Final, Protocol

from mast.errors import (
    AuthorityRejection,
    BindingRejection,
    DependencyRejection,
    ExpiredRejection,
    MalformedRejection,
)
from mast.ids import ClaimId
from mast.protocol.graph import shown
from mast.protocol.notary import require_issuer
from mast.protocol.packets import Bundle, Claim, FactQuery, FactReply
from mast.protocol.view import LocalView
from trustrail.foundation import SignedEnvelope

SCOPE: Final = "settlement_basis_v1"
"""What the authority is asked about: amounts that settle (behaviour of the earlier system, section 1.9)."""

PREDICATE: Final = "total_charge"
"""Claims within that scope."""

VALIDITY: Final = 300
"""Ticks an answer holds; 300 s in the earlier system, whose tick we take for a second."""


class Entry(Protocol):
    """A record of the authority."""

    @property
    def cents(self) -> int:
        """The amount on record, in cents."""
        ...

    @property
    def version(self) -> str:
        """Which version of the record this is."""
        ...

    @property
    def confirmed(self) -> bool:
        """Whether the authority stands by it; else it answers UNKNOWN."""
        ...


def ask(view: LocalView, claim_id: ClaimId, purpose: bytes, challenge: bytes) -> Bundle:
    """Sign a question about a held claim, for one purpose.

    Raises:
        AuthorityRejection: if no fact authority is configured here.
        DependencyRejection: if the claim is not held.
    """
    if claim_id not in view.claims:
        raise DependencyRejection(f"{view.owner} cannot ask about {shown(claim_id)}, which it does not hold")
    return ask_about(view, view.envelopes[claim_id], purpose, challenge)


def ask_about(view: LocalView, claim: SignedEnvelope, purpose: bytes, challenge: bytes) -> Bundle:
    """Sign a question about *claim*, held or not (a replacement is asked about before it is published).

    Raises:
        AuthorityRejection: if no fact authority is configured here.
    """
    if view.fact_authority is None:
        raise AuthorityRejection(f"{view.owner} trusts no fact authority, so nobody can be asked")
    query = FactQuery(view.owner, view.workflow, view.fact_authority, SCOPE, ClaimId(claim.id), purpose, challenge)
    return Bundle(view.notary.sign(query), (claim,))


def reply(view: LocalView, registry: Mapping[tuple[str, str], Entry], question: Bundle, now: int) -> SignedEnvelope:
    """Answer as the fact authority, from its private *registry* by (order, currency).

    CONFIRMED iff a confirmed entry has the same amount, CONTRADICTED iff a confirmed entry has another, else UNKNOWN.

    Raises:
        BindingRejection: if the question is for somebody else or carries another claim than it names.
        MalformedRejection: if the scope is unknown or the claim is no well-formed amount.
    """
    query = view.notary.read(question.packet, FactQuery)
    if query.authority != view.owner:
        raise BindingRejection(f"fact query is for {query.authority!r}, and reached {view.owner!r}")
    if query.scope != SCOPE:
        raise MalformedRejection(f"fact query by {query.issuer} has the scope {query.scope!r}, expected {SCOPE!r}")
    if len(question.attached) != 1 or question.attached[0].id != query.claim:
        raise BindingRejection(f"fact query by {query.issuer} does not carry exactly the claim {shown(query.claim)}")
    claim = view.claims.get(query.claim) or view.notary.read(question.attached[0], Claim)
    entry = registry.get(settlement_key(claim))
    if entry is None or not entry.confirmed:
        status, version = "UNKNOWN", None
    else:
        status = "CONFIRMED" if entry.cents == claim.value["cents"] else "CONTRADICTED"
        version = entry.version
    view.journal.append("fact_replied", query.claim, status)
    return view.notary.sign(
        FactReply(
            issuer=view.owner,
            workflow=view.workflow,
            query=question.packet.id,
            scope=SCOPE,
            claim=query.claim,
            status=status,  # type: ignore[arg-type] # one of the three by construction
            version=version,
            issued_at=now,
            expires_at=now + VALIDITY,
        )
    )


def receive(view: LocalView, question: SignedEnvelope, asked: bytes, answer: SignedEnvelope, now: int) -> FactReply:
    """Check the authority's answer to *question* about *asked* and return it.

    Raises:
        BindingRejection: if it is not the authority's answer to exactly this question.
        ExpiredRejection: if it is not valid at tick *now*, or claims to be valid for too long.
    """
    packet = check_reply(view, question.id, asked, answer)
    if not packet.issued_at <= now < packet.expires_at:
        raise ExpiredRejection(
            f"fact reply is valid from tick {packet.issued_at} until before {packet.expires_at}, read at tick {now}"
        )
    view.journal.append("fact_received", asked, packet.status)
    return packet


def check_reply(view: LocalView, query_id: bytes, asked: bytes, answer: SignedEnvelope) -> FactReply:
    """Check everything about an answer but the time at which it is read.

    Raises:
        BindingRejection: if it is not the trusted authority's answer to this question, or is inconsistent.
        ExpiredRejection: if it is never valid, or for longer than allowed.
    """
    packet = view.notary.read(answer, FactReply)
    require_issuer(packet, view.fact_authority or "")
    if packet.query != query_id or packet.claim != asked or packet.scope != SCOPE:
        raise BindingRejection(
            f"fact reply answers {shown(packet.query)} about {shown(packet.claim)} in {packet.scope!r}, "
            f"expected {shown(query_id)} about {shown(asked)} in {SCOPE!r}"
        )
    if bool(packet.version) is (packet.status == "UNKNOWN"):
        raise BindingRejection(f"fact reply is {packet.status} with the version {packet.version!r}")
    if not 0 < packet.expires_at - packet.issued_at <= VALIDITY:
        raise ExpiredRejection(
            f"fact reply is valid for {packet.expires_at - packet.issued_at} ticks, expected 1 to {VALIDITY}"
        )
    return packet


def read_dispute(view: LocalView, evidence: Bundle, claim_id: bytes) -> FactReply:
    """Return the contradiction in *evidence* (reply, with its query beside it) about *claim_id*.

    Judged at its own issue time, so it never lapses.

    Raises:
        BindingRejection: if it is not the trusted authority's contradiction of exactly this claim.
    """
    if len(evidence.attached) != 1:
        raise BindingRejection(f"a dispute needs its query beside it, {len(evidence.attached)} packets came")
    query = view.notary.read(evidence.attached[0], FactQuery)
    if query.claim != claim_id or query.authority != view.fact_authority or query.scope != SCOPE:
        raise BindingRejection(
            f"fact query by {query.issuer} asks {query.authority!r} about {shown(query.claim)}, "
            f"expected {view.fact_authority!r} about {shown(claim_id)}"
        )
    packet = check_reply(view, evidence.attached[0].id, claim_id, evidence.packet)
    if packet.status != "CONTRADICTED":
        raise BindingRejection(f"fact reply about {shown(claim_id)} is {packet.status}, which disputes nothing")
    return packet


def apply_dispute(view: LocalView, claim_id: ClaimId, evidence: Bundle) -> set[ClaimId]:
    """Record a checked dispute and return the held claims that fell by it; a known one changes nothing."""
    if claim_id in view.disputes:
        return set()
    view.disputes[claim_id] = evidence
    fallen = view.graph.withdraw(claim_id)
    view.journal.append("dispute_recorded", claim_id, evidence.packet.id)
    return fallen


def is_settlement(claim: Claim) -> bool:
    """Whether the authority can be asked about *claim*."""
    return claim.predicate == PREDICATE


def settlement_key(claim: Claim) -> tuple[str, str]:
    """Return the (order, currency) under which the amount in *claim* is on record.

    Raises:
        MalformedRejection: if it states no amount: exactly order, currency and cents, the last an integer from 0 on.
    """
    value: Mapping[str, Any] = claim.value
    well_formed = (
        claim.predicate == PREDICATE
        and set(value) == {"order", "currency", "cents"}
        and isinstance(value["order"], str)
        and isinstance(value["currency"], str)
        and type(value["cents"]) is int
        and value["cents"] >= 0
    )
    if not well_formed:
        raise MalformedRejection(f"claim {claim.name!r} states {claim.predicate} {dict(value)}, which is no amount")
    return value["order"], value["currency"]
