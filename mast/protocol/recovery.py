"""Recovery: rebuilding what a refused action depends on, by the organizations that issued it.

The refused receiver signs an envelope that says what was replaced and which derived claims are affected. Each
affected claim is rebuilt by its original issuer, parents first, bound to that envelope and task. Nothing here
authorizes an action: when all is rebuilt, the action is proposed again and passes the full gate.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mast.errors import (
    BindingRejection,
    BlockedRejection,
    DependencyRejection,
    DuplicateRejection,
    RecoveryRejection,
)
from mast.ids import ClaimId, OrganizationName
from mast.protocol.claims import issue
from mast.protocol.graph import shown
from mast.protocol.notary import require_issuer
from mast.protocol.packets import Bundle, Claim, Outcome, RecoveryEnvelope
from mast.protocol.revisions import Offer, adopt, read_offer
from mast.protocol.rules import check_derivation, derive
from mast.protocol.view import LocalView
from trustrail.foundation import SignedEnvelope

REFUSED: Final = frozenset({"REQUEST_EVIDENCE", "ESCALATE", "BLOCKED"})
"""Results that may be recovered from; what completed, or may have, is never tried again."""

Node = tuple[ClaimId, OrganizationName, tuple[ClaimId, ...], str]
"""(old id, issuer, parents, rule) of an affected claim."""


@dataclass(frozen=True, slots=True)
class Frontier:
    """How far a recovery has come.

    Attributes:
        ready: affected claims whose parents all have a usable replacement, not yet rebuilt themselves.
        remaining: affected claims without a usable replacement, ready ones included.
        replaced: old to new, usable replacements only.
        invalidated: old ids whose replacement does not stand any more.
        suspended: affected claims that wait for an invalidated replacement.
        requires_replan: whether a replacement was invalidated, so that this envelope cannot complete.
    """

    ready: tuple[Node, ...]
    remaining: int
    replaced: Mapping[ClaimId, ClaimId]
    invalidated: tuple[ClaimId, ...]
    suspended: tuple[ClaimId, ...]

    @property
    def requires_replan(self) -> bool:
        """Whether a replacement has been invalidated."""
        return bool(self.invalidated)

    @property
    def complete(self) -> bool:
        """Whether everything is rebuilt and stands."""
        return not self.remaining and not self.invalidated


def prepare(view: LocalView, outcome_envelope: SignedEnvelope, offers: Sequence[Bundle]) -> Bundle:
    """Sign the envelope for one's own refused action, after adopting the offers.

    Raises:
        RecoveryRejection: if the action was not refused, rests on a claim that is not held, or there is no offer, or
            one is repeated, derives from another, or is of no use to the task.
        Rejection: if an offer fails a check of `mast.protocol.revisions.read_offer`.
    """
    outcome = view.notary.read(outcome_envelope, Outcome)
    require_issuer(outcome, view.owner)
    if outcome.result not in REFUSED or outcome.task is None:
        raise RecoveryRejection(
            f"{outcome.stage} ended {outcome.result}; only a refused task is recovered, never one that may have acted"
        )
    if not offers:
        raise RecoveryRejection(f"there is no offer to recover {outcome.task!r} with")
    unheld = [claim for claim in outcome.claims if claim not in view.claims]
    if unheld:
        raise RecoveryRejection(f"{outcome.task!r} rests on {shown(unheld[0])}, which {view.owner} does not hold")
    checked = [read_offer(view, offer) for offer in offers]
    replaced = _replacements(view, outcome, checked)
    for offer in checked:
        adopt(view, offer)
    affected = _affected(view, outcome, replaced)
    envelope = RecoveryEnvelope(
        issuer=view.owner,
        workflow=view.workflow,
        task=outcome.task,
        outcome=outcome_envelope.id,
        offers=tuple(offer.bundle.packet.id for offer in checked),
        replaced=tuple(sorted(replaced.items())),
        affected=affected,
    )
    signed = view.notary.sign(envelope)
    view.journal.append("recovery_prepared", signed.id, outcome.task)
    pieces = [outcome_envelope]
    for offer in checked:
        pieces += [offer.bundle.packet, *offer.bundle.attached]
    return Bundle(signed, tuple(pieces))


def read_envelope(view: LocalView, bundle: Bundle, served: Collection[str]) -> RecoveryEnvelope:
    """Return the envelope another organization asks to be served under, after adopting its offers.

    Raises:
        RecoveryRejection: if its signer is not among *served*, the task was not refused, or an offer derives from
            another.
        BindingRejection: if the outcome beside it is not the signer's own, for that task, or what it replaces is not
            exactly what its offers replace.
        Rejection: if an offer beside it fails its checks.
    """
    packet = view.notary.read(bundle.packet, RecoveryEnvelope)
    if packet.issuer not in served:
        raise RecoveryRejection(f"{view.owner} serves no recovery of {packet.issuer!r}; it serves {sorted(served)}")
    beside = {envelope.id: envelope for envelope in bundle.attached}
    if packet.outcome not in beside:
        raise DependencyRejection(f"envelope by {packet.issuer} does not carry its outcome {shown(packet.outcome)}")
    outcome = view.notary.read(beside[packet.outcome], Outcome)
    if (outcome.issuer, outcome.task) != (packet.issuer, packet.task):
        raise BindingRejection(
            f"envelope by {packet.issuer} for {packet.task!r} rests on an outcome of {outcome.issuer} "
            f"for {outcome.task!r}"
        )
    if outcome.result not in REFUSED:
        raise RecoveryRejection(f"task {packet.task!r} ended {outcome.result}, expected one of {sorted(REFUSED)}")
    offers = []
    for offer_id in packet.offers:
        if offer_id not in beside:
            raise DependencyRejection(f"envelope by {packet.issuer} does not carry its offer {shown(offer_id)}")
        offers.append(read_offer(view, Bundle(beside[offer_id], bundle.attached)))
    _check_replaced(packet, offers)
    _require_apart(view, dict(packet.replaced))
    for offer in offers:
        adopt(view, offer)
    return packet


def _check_replaced(packet: RecoveryEnvelope, offers: Sequence[Offer]) -> None:
    """What the envelope replaces is what its offers replace, each exactly once."""
    stated = dict(packet.replaced)
    for offer in offers:
        if stated.pop(offer.packet.old, None) != offer.packet.new:
            raise BindingRejection(
                f"envelope by {packet.issuer} does not use its offer for {shown(offer.packet.old)} once"
            )
    if stated or len(packet.replaced) != len(offers):
        names = ", ".join(shown(old) for old, _ in packet.replaced)
        raise BindingRejection(f"envelope by {packet.issuer} replaces {names}, but carries {len(offers)} offers")


def frontier(view: LocalView, envelope: RecoveryEnvelope, completed: Mapping[ClaimId, ClaimId]) -> Frontier:
    """Compute what can be rebuilt next, given the completed replacements by old id."""
    everything = dict(envelope.replaced) | dict(completed)
    replaced = {old: new for old, new in everything.items() if view.graph.stands(new)}
    invalidated = tuple(sorted(old for old in everything if old not in replaced))
    affected = {node[0] for node in envelope.affected}
    concerned = affected | everything.keys()
    open_nodes = [node for node in envelope.affected if node[0] not in everything]
    ready = tuple(node for node in open_nodes if all(parent in replaced for parent in node[2] if parent in concerned))
    suspended = tuple(node[0] for node in envelope.affected if any(parent in invalidated for parent in node[2]))
    remaining = sum(node[0] not in replaced for node in envelope.affected)
    return Frontier(ready, remaining, replaced, invalidated, suspended)


def rebuild(
    view: LocalView,
    envelope_id: bytes,
    envelope: RecoveryEnvelope,
    old_id: ClaimId,
    completed: Mapping[ClaimId, ClaimId],
) -> ClaimId:
    """Issue the replacement of one's own affected claim and return its id; asking again returns the same.

    Raises:
        RecoveryRejection: if the claim is not in the envelope, not ready, not this organization's, described
            otherwise than it is held, depends on nothing replaced, or its replacement was invalidated.
        BlockedRejection: if a new parent does not stand here.
    """
    node = next((node for node in envelope.affected if node[0] == old_id), None)
    old = view.claims.get(old_id)
    if node is None or old is None:
        raise RecoveryRejection(f"{shown(old_id)} is not among what the envelope for {envelope.task!r} affects")
    if node[1] != view.owner or (old.issuer, old.parents, old.rule) != node[1:]:
        raise RecoveryRejection(f"{old.name!r} is not {view.owner}'s claim as the envelope describes it")
    state = frontier(view, envelope, completed)
    if old_id in state.invalidated:
        raise RecoveryRejection(f"the replacement of {old.name!r} was invalidated; it needs a new envelope")
    if node not in state.ready and old_id not in completed:
        raise RecoveryRejection(f"{old.name!r} is not ready: a parent has no usable replacement yet")
    parents = translated(old.parents, state.replaced)
    if parents == old.parents:
        raise RecoveryRejection(f"{old.name!r} depends on nothing that the envelope for {envelope.task!r} replaces")
    for parent in parents:
        if not view.graph.stands(parent):
            raise BlockedRejection(f"{old.name!r} cannot be rebuilt on {shown(parent)}, which does not stand here")
    predicate, value = derive(old.rule, [view.claims[parent] for parent in parents])
    return issue(
        view,
        name=old.name,
        parents=parents,
        rule=old.rule,
        predicate=predicate,
        value=value,
        revision=old.revision + 1,
        supersedes=old_id,
        recovery=(envelope_id, envelope.task),
    )


def check_completion(
    view: LocalView, envelope_id: bytes, envelope: RecoveryEnvelope, claim: Claim, completed: Mapping[ClaimId, ClaimId]
) -> ClaimId:
    """Return the old id that *claim* replaces under this envelope, once it may count as completed.

    Raises:
        RecoveryRejection: if it is bound to another envelope or task, replaces nothing affected, is not by the
            original issuer, or skips a parent that is not rebuilt.
        BindingRejection: if its parents, rule or fact are not the translated ones.
    """
    if claim.recovery != (envelope_id, envelope.task):
        raise RecoveryRejection(f"claim {claim.name!r} is not bound to this envelope and the task {envelope.task!r}")
    node = next((node for node in envelope.affected if node[0] == claim.supersedes), None)
    if node is None:
        raise RecoveryRejection(f"claim {claim.name!r} replaces nothing that the envelope affects")
    old_id, issuer, parents, rule = node
    if claim.issuer != issuer:
        raise RecoveryRejection(f"claim {claim.name!r} is rebuilt by {claim.issuer!r}, expected its issuer {issuer!r}")
    concerned = {other[0] for other in envelope.affected} | {old for old, _ in envelope.replaced}
    replaced = dict(envelope.replaced) | dict(completed)
    unfinished = [parent for parent in parents if parent in concerned and parent not in replaced]
    if unfinished:
        raise RecoveryRejection(f"claim {claim.name!r} skips its unfinished parent {shown(unfinished[0])}")
    expected = translated(parents, replaced)
    if claim.parents != expected or claim.rule != rule:
        raise BindingRejection(f"claim {claim.name!r} is not derived from the replaced parents by {rule}")
    old = view.claims.get(old_id)
    if old is not None and (claim.name, claim.revision) != (old.name, old.revision + 1):
        raise BindingRejection(
            f"claim {claim.name!r} of revision {claim.revision} replaces {old.name!r} of revision {old.revision}, "
            f"expected the same name and revision {old.revision + 1}"
        )
    check_derivation(claim, [view.claims[parent] for parent in expected])
    return old_id


def translated(parents: Sequence[ClaimId], replaced: Mapping[ClaimId, ClaimId]) -> tuple[ClaimId, ...]:
    """Return *parents* with those that have a replacement replaced."""
    return tuple(replaced.get(parent, parent) for parent in parents)


def _replacements(view: LocalView, outcome: Outcome, offers: Sequence[Offer]) -> dict[ClaimId, ClaimId]:
    replaced: dict[ClaimId, ClaimId] = {}
    closure = set(view.graph.closure(outcome.claims))
    for offer in offers:
        if offer.packet.old in replaced:
            raise DuplicateRejection(f"two offers revise {shown(offer.packet.old)}")
        if offer.packet.old not in closure:
            raise RecoveryRejection(f"the offer for {shown(offer.packet.old)} is of no use to {outcome.task!r}")
        replaced[offer.packet.old] = offer.packet.new
    _require_apart(view, replaced)
    return replaced


def _require_apart(view: LocalView, olds: Collection[ClaimId]) -> None:
    """Return when none of the claims that offers replace derives from another of them."""
    for old in olds:
        for above in view.graph.closure([old]):
            if above != old and above in olds:
                raise RecoveryRejection(
                    f"the offer for {shown(old)} derives from another offered claim, {shown(above)}"
                )


def _affected(view: LocalView, outcome: Outcome, replaced: Mapping[ClaimId, ClaimId]) -> tuple[Node, ...]:
    touched = set(replaced)
    affected: list[Node] = []
    for claim_id in view.graph.closure(outcome.claims):
        claim = view.claims[claim_id]
        if claim_id not in replaced and touched.intersection(claim.parents):
            touched.add(claim_id)
            affected.append((claim_id, claim.issuer, claim.parents, claim.rule))
    return tuple(affected)
