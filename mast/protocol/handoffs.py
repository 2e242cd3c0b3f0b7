"""Handing claims on: recipient-bound, complete, receipted.

The ids of the targets commit to everything they derive from, because a claim's id covers the ids of its parents.
A handoff therefore signs the targets only; the packets of their closure travel beside it, less what the recipient
has acknowledged before. The recipient accepts all of it or nothing.
"""

from collections.abc import Sequence

from mast.errors import (
    BindingRejection,
    BlockedRejection,
    ConflictRejection,
    DependencyRejection,
    DuplicateRejection,
    RecipientRejection,
)
from mast.ids import ClaimId, OrganizationName, PacketId
from mast.protocol.claims import Admitted, admit, hold_all
from mast.protocol.graph import shown
from mast.protocol.notary import require_issuer
from mast.protocol.packets import Blocked, Bundle, Handoff, HandoffReceipt
from mast.protocol.view import LocalView, ReceivedHandoff, SentHandoff
from trustrail.foundation import SignedEnvelope


def prepare(view: LocalView, targets: Sequence[ClaimId], recipient: OrganizationName) -> Bundle:
    """Sign a handoff, register it, and return it with the packets to send; an identical one is the same packet.

    Raises:
        RecipientRejection: if the recipient is unknown or this organization itself.
        DuplicateRejection: if a target is named twice.
        DependencyRejection: if there are no targets, or one is not held.
        BlockedRejection: if a target does not stand here.
    """
    check_recipient(view, recipient)
    check_targets(targets)
    for target in targets:
        if target not in view.claims:
            raise DependencyRejection(f"{view.owner} cannot hand on {shown(target)}, which it does not hold")
        if not view.graph.stands(target):
            blockers = ", ".join(shown(blocker) for blocker in view.graph.blockers(target))
            raise BlockedRejection(f"{view.owner} cannot hand on {shown(target)}: blocked by {blockers}")
    envelope = view.notary.sign(Handoff(view.owner, view.workflow, recipient, tuple(targets)))
    handoff_id = PacketId(envelope.id)
    acknowledged = view.delivered.get(recipient, set())
    # What a recipient has acknowledged is closed under ancestors, so nothing above an acknowledged target is missing.
    missing = [target for target in targets if target not in acknowledged]
    above = view.graph.closure(missing) if missing else ()
    bundle = Bundle(envelope, tuple([view.envelopes[claim] for claim in above if claim not in acknowledged]))
    if handoff_id not in view.sent:
        view.sent[handoff_id] = SentHandoff(bundle, recipient, tuple(targets))
        for target in targets:
            view.sent_by_target.setdefault(target, []).append(handoff_id)
        view.journal.append("handoff_prepared", handoff_id, recipient)
    return bundle


def accept(view: LocalView, bundle: Bundle) -> ReceivedHandoff:
    """Accept a handoff addressed to this organization and return it with its receipt.

    A handoff accepted before returns the stored receipt and changes nothing.

    Raises:
        RecipientRejection: if it is addressed to somebody else or comes from this organization.
        DuplicateRejection: if a target or a claim beside it is repeated.
        DependencyRejection: if the closure is incomplete, out of order, or something unrelated is beside it.
        Rejection: if a claim beside it fails a check of `mast.protocol.claims.admit`.
    """
    known = view.received.get(PacketId(bundle.packet.id))
    if known is not None and known.signature == bundle.packet.signature:
        return known
    handoff = view.notary.read(bundle.packet, Handoff)
    if handoff.recipient != view.owner or handoff.issuer == view.owner:
        raise RecipientRejection(
            f"handoff {shown(bundle.packet.id)} by {handoff.issuer} is for {handoff.recipient!r}, "
            f"and reached {view.owner!r}"
        )
    check_targets(handoff.targets)
    admitted = admit(view, bundle.attached)
    _check_closure(view, handoff, bundle.attached, admitted)
    hold_all(view, admitted)
    blocked = _blocked(view, handoff)
    view.journal.append("handoff_received", bundle.packet.id, handoff.issuer)
    receipt = HandoffReceipt(
        issuer=view.owner,
        workflow=view.workflow,
        sender=handoff.issuer,
        handoff=bundle.packet.id,
        status="blocked" if blocked else "accepted",
        blocked=blocked,
        sequence=view.journal.length,
        head=view.journal.head,
    )
    received = ReceivedHandoff(handoff, bundle.packet.signature, receipt, view.notary.sign(receipt))
    view.received[PacketId(bundle.packet.id)] = received
    return received


def acknowledge(view: LocalView, envelope: SignedEnvelope) -> HandoffReceipt:
    """Record the receipt for a handoff sent from here. It authorizes no action.

    Raises:
        BindingRejection: if no such handoff was sent, or the receipt is not by its recipient and for its sender.
        ConflictRejection: if another receipt is recorded already, or the countersigned journal forked.
    """
    receipt = view.notary.read(envelope, HandoffReceipt)
    sent = view.sent.get(PacketId(receipt.handoff))
    if sent is None:
        raise BindingRejection(f"receipt is for the handoff {shown(receipt.handoff)}, which {view.owner} never sent")
    require_issuer(receipt, sent.recipient)
    if receipt.sender != view.owner:
        raise BindingRejection(f"receipt names the sender {receipt.sender!r}, expected {view.owner!r}")
    if bool(receipt.blocked) != (receipt.status == "blocked"):
        raise BindingRejection(f"receipt is {receipt.status!r} but lists {len(receipt.blocked)} blocked claims")
    if receipt.blocked:
        _check_blocked(receipt, sent.targets)
    if sent.receipt is not None:
        if sent.receipt.id != envelope.id:
            raise ConflictRejection(
                f"{receipt.issuer} signed two receipts for the handoff {shown(receipt.handoff)}: "
                f"{shown(sent.receipt.id)} and {shown(envelope.id)}"
            )
        return receipt
    note_head(view, receipt.issuer, receipt.sequence, receipt.head)
    sent.receipt, sent.status = envelope, receipt.status
    acknowledged = view.delivered.setdefault(sent.recipient, set())
    acknowledged.update([ClaimId(claim.id) for claim in sent.bundle.attached])
    view.journal.append("handoff_acknowledged", receipt.handoff, receipt.status)
    return receipt


def _check_blocked(receipt: HandoffReceipt, targets: Sequence[ClaimId]) -> None:
    """Every blocked claim of *receipt* is a target of its handoff, named once, with what blocks it."""
    named = [target for target, _ in receipt.blocked]
    for target, blockers in receipt.blocked:
        if target not in targets or named.count(target) > 1 or not blockers:
            raise BindingRejection(
                f"receipt by {receipt.issuer} calls {shown(target)} blocked by {len(blockers)} claims, expected each "
                f"blocked one of the {len(targets)} targets of {shown(receipt.handoff)} once, with what blocks it"
            )


def note_head(view: LocalView, organization: str, length: int, head: bytes) -> None:
    """Remember the journal head that *organization* has signed for *length* entries.

    Raises:
        ConflictRejection: if it has signed another head for the same length: its journal is forked.
    """
    heads = view.heads.setdefault(OrganizationName(organization), {})
    known = heads.setdefault(length, head)
    if known != head:
        raise ConflictRejection(
            f"{organization} signed two heads of its journal at length {length}: {shown(known)} and {shown(head)}"
        )


def check_recipient(view: LocalView, recipient: str) -> None:
    """Return when *recipient* is a known organization other than this one.

    Raises:
        RecipientRejection: if it is not.
    """
    if recipient == view.owner or not view.notary.knows(recipient):
        what = "itself" if recipient == view.owner else f"the unknown organization {recipient!r}"
        raise RecipientRejection(f"{view.owner} cannot address {what}")


def check_targets(targets: Sequence[bytes]) -> None:
    """Return when there are targets and none is repeated.

    Raises:
        DependencyRejection, DuplicateRejection: otherwise.
    """
    if not targets:
        raise DependencyRejection("a handoff needs at least one target")
    if len(set(targets)) != len(targets):
        twice = next(target for target in targets if targets.count(target) > 1)
        raise DuplicateRejection(f"a handoff names the target {shown(twice)} {targets.count(twice)} times")


def _check_closure(view: LocalView, handoff: Handoff, attached: Sequence[SignedEnvelope], admitted: Admitted) -> None:
    """Everything the targets need is here, and everything that came beside them is needed.

    What the sender leaves out is closed under ancestors, so each claim it attaches must be reachable from a target
    through attached claims alone.
    """
    beside = {claim.id for claim in attached}
    waiting = list(handoff.targets)
    reached: set[bytes] = set()
    while waiting:
        claim_id = ClaimId(waiting.pop())
        if claim_id in reached:
            continue
        reached.add(claim_id)
        claim = admitted[claim_id][0] if claim_id in admitted else view.claims.get(claim_id)
        if claim is None:
            raise DependencyRejection(
                f"handoff by {handoff.issuer} targets {shown(claim_id)}, "
                f"which neither came with it nor is held by {view.owner}"
            )
        if claim_id in beside:
            waiting.extend(claim.parents)
    unrelated = beside - reached
    if unrelated:
        raise DependencyRejection(
            f"handoff by {handoff.issuer} carries {len(unrelated)} claims its targets do not derive from, "
            f"{shown(min(unrelated))} among them"
        )


def _blocked(view: LocalView, handoff: Handoff) -> Blocked:
    return tuple(
        [
            (target, tuple(sorted(view.graph.blockers(target))))
            for target in handoff.targets
            if not view.graph.stands(target)
        ]
    )
