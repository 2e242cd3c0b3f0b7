"""Notices: the news of a revocation or dispute, passed on along the handoffs by which the claim travelled.

Hop by hop: whoever learns it tells the direct recipients of its own handoffs, once for each proof and set of
handoffs, and sends again until a receipt arrives. A missing receipt is never read as misconduct.
"""

from collections.abc import Callable
from typing import Final, Literal

from mast.errors import BindingRejection, ConflictRejection, DuplicateRejection, RecipientRejection
from mast.ids import ClaimId, OrganizationName, PacketId
from mast.protocol.facts import apply_dispute, read_dispute
from mast.protocol.graph import shown
from mast.protocol.handoffs import note_head
from mast.protocol.notary import decode, require_issuer
from mast.protocol.packets import Bundle, Notice, NoticeReceipt
from mast.protocol.revocations import apply_revocation, read_revocation
from mast.protocol.view import LocalView, SentNotice
from trustrail.foundation import SignedEnvelope

Subject = Literal["revocation", "dispute"]


def queue(view: LocalView, about: Subject, claim_id: ClaimId) -> list[PacketId]:
    """Put a notice to each affected direct recipient into the outbox; return the new ones, in recipient order.

    The same proof and set of handoffs is never queued twice.
    """
    handoffs: dict[OrganizationName, list[PacketId]] = {}
    for claim in view.graph.reach(claim_id) & view.sent_by_target.keys():
        for handoff_id in view.sent_by_target[claim]:
            handoffs.setdefault(view.sent[handoff_id].recipient, []).append(handoff_id)
    proof = _proof(view, about, claim_id)
    queued = []
    for recipient in sorted(handoffs):
        notice = Notice(
            issuer=view.owner,
            workflow=view.workflow,
            recipient=recipient,
            about=about,
            claim=claim_id,
            proof=proof.packet.id,
            handoffs=tuple(sorted(set(handoffs[recipient]))),
        )
        envelope = view.notary.sign(notice)
        notice_id = PacketId(envelope.id)
        if notice_id not in view.notices:
            view.notices[notice_id] = SentNotice(Bundle(envelope, (proof.packet, *proof.attached)), recipient)
            view.journal.append("notice_queued", notice_id, recipient)
            queued.append(notice_id)
    return queued


def pending(view: LocalView, notice_id: PacketId) -> bool:
    """Whether a queued notice still waits for its receipt."""
    return view.notices[notice_id].receipt is None


def read_own(view: LocalView, notice_id: PacketId) -> Notice:
    """Return a notice from the outbox."""
    return decode(view.notices[notice_id].bundle.packet.payload, Notice, view.owner)


def accept(view: LocalView, bundle: Bundle) -> tuple[Notice, SignedEnvelope]:
    """Apply a notice addressed to this organization; return it and the receipt to send.

    A notice accepted before returns the stored receipt and changes nothing.

    Raises:
        RecipientRejection: if it is addressed to somebody else.
        DuplicateRejection: if a handoff is named twice.
        BindingRejection: if a handoff did not come from the notice's sender or does not contain the claim, or the
            proof is about something else.
        Rejection: if the proof fails its own checks.
    """
    notice = view.notary.read(bundle.packet, Notice)
    if notice.recipient != view.owner:
        raise RecipientRejection(f"notice by {notice.issuer} is for {notice.recipient!r}, and reached {view.owner!r}")
    known = view.notice_receipts.get(PacketId(bundle.packet.id))
    if known is not None:
        return notice, known
    _check_path(view, notice)
    _APPLY[notice.about](view, notice, bundle.attached)
    view.journal.append("notice_received", bundle.packet.id, notice.issuer)
    receipt = view.notary.sign(
        NoticeReceipt(
            issuer=view.owner,
            workflow=view.workflow,
            sender=notice.issuer,
            notice=bundle.packet.id,
            claim=notice.claim,
            proof=notice.proof,
            sequence=view.journal.length,
            head=view.journal.head,
        )
    )
    view.notice_receipts[PacketId(bundle.packet.id)] = receipt
    return notice, receipt


def acknowledge(view: LocalView, envelope: SignedEnvelope) -> NoticeReceipt:
    """Record the receipt for a notice sent from here.

    Raises:
        BindingRejection: if no such notice was sent, or the receipt differs from it in any point.
        ConflictRejection: if another receipt is recorded already, or the countersigned journal forked.
    """
    receipt = view.notary.read(envelope, NoticeReceipt)
    sent = view.notices.get(PacketId(receipt.notice))
    if sent is None:
        raise BindingRejection(f"receipt is for the notice {shown(receipt.notice)}, which {view.owner} never sent")
    require_issuer(receipt, sent.recipient)
    notice = read_own(view, PacketId(receipt.notice))
    if (receipt.sender, receipt.claim, receipt.proof) != (view.owner, notice.claim, notice.proof):
        raise BindingRejection(
            f"receipt by {receipt.issuer} is for {receipt.sender!r} about {shown(receipt.claim)}, "
            f"expected {view.owner!r} about {shown(notice.claim)} with the same proof"
        )
    if sent.receipt is not None and sent.receipt.id != envelope.id:
        raise ConflictRejection(f"{receipt.issuer} signed two receipts for the notice {shown(receipt.notice)}")
    if sent.receipt is None:
        note_head(view, receipt.issuer, receipt.sequence, receipt.head)
        sent.receipt = envelope
        view.journal.append("notice_acknowledged", receipt.notice)
    return receipt


def _check_path(view: LocalView, notice: Notice) -> None:
    """The claim came here by the handoffs named, all of them from the notice's sender."""
    if len(set(notice.handoffs)) != len(notice.handoffs):
        twice = next(handoff for handoff in notice.handoffs if notice.handoffs.count(handoff) > 1)
        raise DuplicateRejection(f"notice by {notice.issuer} names the handoff {shown(twice)} twice")
    reached = view.graph.reach(notice.claim)
    for handoff_id in notice.handoffs:
        received = view.received.get(PacketId(handoff_id))
        if received is None:
            raise BindingRejection(
                f"notice by {notice.issuer} names the handoff {shown(handoff_id)}, not received here"
            )
        if received.handoff.issuer != notice.issuer:
            raise BindingRejection(f"notice by {notice.issuer} names a handoff that {received.handoff.issuer} sent")
        if reached.isdisjoint(received.handoff.targets):
            raise BindingRejection(
                f"notice by {notice.issuer} is about {shown(notice.claim)}, "
                f"which the handoff {shown(handoff_id)} does not contain"
            )


def _apply_revocation(view: LocalView, notice: Notice, attached: tuple[SignedEnvelope, ...]) -> None:
    if len(attached) != 1 or attached[0].id != notice.proof:
        raise BindingRejection(f"notice by {notice.issuer} does not carry exactly the proof {shown(notice.proof)}")
    revocation = read_revocation(view, attached[0])
    if revocation.claim != notice.claim:
        raise BindingRejection(
            f"notice by {notice.issuer} is about {shown(notice.claim)}, its proof about {shown(revocation.claim)}"
        )
    apply_revocation(view, revocation, attached[0])


def _apply_dispute(view: LocalView, notice: Notice, attached: tuple[SignedEnvelope, ...]) -> None:
    if len(attached) != 2 or attached[0].id != notice.proof:
        raise BindingRejection(f"notice by {notice.issuer} does not carry exactly the proof {shown(notice.proof)}")
    evidence = Bundle(attached[0], attached[1:])
    read_dispute(view, evidence, notice.claim)
    apply_dispute(view, notice.claim, evidence)


_APPLY: Final[dict[Subject, Callable[[LocalView, Notice, tuple[SignedEnvelope, ...]], None]]] = {
    "revocation": _apply_revocation,
    "dispute": _apply_dispute,
}


def _proof(view: LocalView, about: Subject, claim_id: ClaimId) -> Bundle:
    return Bundle(view.revocations[claim_id]) if about == "revocation" else view.disputes[claim_id]
