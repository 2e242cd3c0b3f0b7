"""Passing the news of a revocation or dispute on, as far as the mechanisms say."""

from typing import Final

from mast.ids import ClaimId, PacketId
from mast.organizations import records
from mast.organizations.messages import Effect, Parcel, ParcelKind, Send, WakeAfter
from mast.organizations.signed.sending import name_of
from mast.organizations.state import SignedState
from mast.protocol import notices
from mast.protocol.mechanisms import Notices

TOKEN: Final = "notice:"  # noqa: S105 - the name of a clock event
"""Prefix of the clock token that asks to send a notice again."""


def spread(state: SignedState, about: notices.Subject, claim: ClaimId, turn: str, out: list[Effect]) -> None:
    """Send what is newly known along the handoffs by which the claim left."""
    if state.settings.mechanisms.notices is not Notices.ROUTED:
        return
    for notice_id in notices.queue(state.view, about, claim):
        _send(state, notice_id, name_of(state.view, claim), about, turn, out)


def broadcast(state: SignedState, claim: ClaimId, turn: str, out: list[Effect]) -> None:
    """Send one's own revocation straight to every other organization, if that is the mechanism."""
    if state.settings.mechanisms.notices is not Notices.BROADCAST:
        return
    envelope = state.view.revocations[claim]
    for recipient in state.settings.everyone:
        if recipient == state.settings.name:
            continue
        parcel = Parcel(ParcelKind.REVOCATION, state.settings.name, recipient, envelope, (), turn)
        out.append(records.noticed("revocation", name_of(state.view, claim), parcel, 1, turn, envelope.id))
        out.append(Send(parcel))


def send_again(state: SignedState, notice_id: PacketId, out: list[Effect]) -> None:
    """Send a notice again when its receipt is missing and the limit is not reached."""
    if not notices.pending(state.view, notice_id) or state.attempts[notice_id] > state.settings.retransmit_limit:
        return
    notice = notices.read_own(state.view, notice_id)
    _send(state, notice_id, name_of(state.view, notice.claim), notice.about, "retransmit", out)


def _send(state: SignedState, notice_id: PacketId, subject: str, about: str, turn: str, out: list[Effect]) -> None:
    sent = state.view.notices[notice_id]
    attempt = state.attempts.get(notice_id, 0) + 1
    state.attempts[notice_id] = attempt
    bundle = sent.bundle
    parcel = Parcel(ParcelKind.NOTICE, state.settings.name, sent.recipient, bundle.packet, bundle.attached, turn)
    out.append(records.noticed(about, subject, parcel, attempt, turn, notice_id))
    out.append(Send(parcel))
    # Exponential backoff: the wait doubles with each attempt.
    out.append(WakeAfter(state.settings.retransmit_after << (attempt - 1), TOKEN + notice_id.hex()))
