"""What a signing organization does with each kind of parcel that reaches it."""

from mast.errors import MalformedRejection, Rejection
from mast.ids import PacketId
from mast.organizations import records
from mast.organizations.messages import Effect, Parcel, ParcelKind, Send, Woken
from mast.organizations.signed import spreading
from mast.organizations.signed.sending import name_of, shown_claim
from mast.organizations.state import SignedState
from mast.protocol import facts, handoffs, notices, revocations, status
from mast.protocol.packets import Bundle, RecoveryEnvelope, Refusal
from trustrail.foundation import SignedEnvelope

_ANSWERED = frozenset(
    {ParcelKind.HANDOFF, ParcelKind.STATUS_QUERY, ParcelKind.FACT_QUERY, ParcelKind.NOTICE, ParcelKind.REBUILD}
)
"""Kinds whose sender waits for an answer and is told of a refusal."""


def handoff(state: SignedState, parcel: Parcel, out: list[Effect]) -> None:
    """Accept a handoff, answer with the receipt, and let the current work look at what came."""
    bundle = bundle_of(parcel)
    received = handoffs.accept(state.view, bundle)
    claims = [shown_claim(state.view, target) for target in received.handoff.targets]
    out.append(records.handed_on(parcel, claims, received.receipt.status, parcel.turn, bundle.packet.id))
    answer(state, parcel, ParcelKind.HANDOFF_RECEIPT, Bundle(received.receipt_envelope), out)
    to_activity(state, parcel, out)


def handoff_receipt(state: SignedState, parcel: Parcel, out: list[Effect]) -> None:
    """Record a receipt and let the current work see whether it was waiting for it."""
    handoffs.acknowledge(state.view, bundle_of(parcel).packet)
    to_activity(state, parcel, out)


def status_query(state: SignedState, parcel: Parcel, out: list[Effect]) -> None:
    """Answer whether a claim of ours is still good."""
    answer(state, parcel, ParcelKind.STATUS_REPLY, status.reply(state.view, bundle_of(parcel).packet), out)


def fact_query(state: SignedState, parcel: Parcel, out: list[Effect]) -> None:
    """Answer, as the fact authority, whether an amount agrees with our record."""
    reply = facts.reply(state.view, state.settings.registry, bundle_of(parcel), state.now)
    answer(state, parcel, ParcelKind.FACT_REPLY, Bundle(reply), out)


def revocation(state: SignedState, parcel: Parcel, out: list[Effect]) -> None:
    """Apply a broadcast revocation; it is not passed on, because everybody got it."""
    envelope = bundle_of(parcel).packet
    packet = revocations.read_revocation(state.view, envelope)
    revocations.apply_revocation(state.view, packet, envelope)
    subject = name_of(state.view, packet.claim)
    out.append(records.learned("revocation", subject, parcel.sender, parcel.turn, envelope.id))


def notice(state: SignedState, parcel: Parcel, out: list[Effect]) -> None:
    """Apply a notice, answer with the receipt, and pass the news on."""
    packet, receipt = notices.accept(state.view, bundle_of(parcel))
    subject = name_of(state.view, packet.claim)
    out.append(records.learned(packet.about, subject, parcel.sender, parcel.turn, packet.proof))
    answer(state, parcel, ParcelKind.NOTICE_RECEIPT, Bundle(receipt), out)
    spreading.spread(state, packet.about, packet.claim, parcel.turn, out)


def notice_receipt(state: SignedState, parcel: Parcel, out: list[Effect]) -> None:  # noqa: ARG001 - a handler
    """Take an answered notice out of the outbox."""
    notices.acknowledge(state.view, bundle_of(parcel).packet)


def rebuild(state: SignedState, parcel: Parcel, out: list[Effect]) -> None:  # noqa: ARG001 - a handler
    """Queue a request to rebuild: the agent is asked before anything is signed, but never by a stranger."""
    state.view.notary.read(bundle_of(parcel).packet, RecoveryEnvelope)
    state.waiting.append(parcel)


def to_activity(state: SignedState, parcel: Parcel, out: list[Effect]) -> None:
    """Let the current work have the parcel; without work it is late and means nothing any more."""
    if state.current is not None:
        state.turn = state.current.stage
        state.current.receive(state, parcel, out)


def woken(state: SignedState, message: Woken, out: list[Effect]) -> None:
    """Send a notice again that has not been answered."""
    if message.token.startswith(spreading.TOKEN):
        spreading.send_again(state, PacketId(bytes.fromhex(message.token.removeprefix(spreading.TOKEN))), out)


def refuse(state: SignedState, parcel: Parcel, rejection: Rejection, out: list[Effect]) -> None:
    """Tell the sender of a refused packet that, and in one word why."""
    if parcel.kind in _ANSWERED and isinstance(parcel.packet, SignedEnvelope):
        refusal = Refusal(state.settings.name, state.view.workflow, parcel.packet.id, rejection.reason)
        answer(state, parcel, ParcelKind.REFUSAL, Bundle(state.view.notary.sign(refusal)), out)


def answer(state: SignedState, parcel: Parcel, kind: ParcelKind, bundle: Bundle, out: list[Effect]) -> None:
    """Send *bundle* back to where *parcel* came from."""
    recipient = parcel.sender
    out.append(Send(Parcel(kind, state.settings.name, recipient, bundle.packet, bundle.attached, parcel.turn)))


def bundle_of(parcel: Parcel) -> Bundle:
    """Return the signed packets in *parcel*.

    Raises:
        MalformedRejection: if any of them is not signed.
    """
    if not isinstance(parcel.packet, SignedEnvelope):
        raise MalformedRejection(f"{parcel.kind} from {parcel.sender} is not signed")
    return Bundle(parcel.packet, signed_only(parcel) if parcel.attached else ())


def signed_only(parcel: Parcel) -> tuple[SignedEnvelope, ...]:
    """Return the packets beside the main one.

    Raises:
        MalformedRejection: if any of them is not signed.
    """
    for item in parcel.attached:
        if not isinstance(item, SignedEnvelope):
            raise MalformedRejection(f"{parcel.kind} from {parcel.sender} carries a statement that is not signed")
    return parcel.attached  # type: ignore[return-value] # checked just above
