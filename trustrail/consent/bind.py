"""Writes what the customer agreed to into the stream, as confirmation events bound to their proposals."""

from collections.abc import Sequence
from typing import Any

from trustrail.consent.rules import rules_for
from trustrail.consent.trail import DERIVED_SOURCE, CallConsent, ConsentStatus, read_consent
from trustrail.events import ConfirmationEvent, Event
from trustrail.objects import DomainPack


def bind_consent(
    events: Sequence[Event], pack: DomainPack, languages: tuple[str, ...] | None = None
) -> tuple[Event, ...]:
    """Return *events* with a `confirmation_event` after each answer that agreed to a later call.

    Events are numbered anew. Confirmation events that an earlier call of this function wrote are dropped and
    derived again, so the result of a result is itself.

    Args:
        events: a run's stream.
        pack: which tools act, and how they are spoken of.
        languages: languages to read; the pack's locales when left out.
    """
    recorded = _numbered([event for event in events if event.source != DERIVED_SOURCE])
    decided = read_consent(recorded, rules_for(pack, languages))
    agreed: dict[int, dict[int | None, list[CallConsent]]] = {}
    for consent in decided:
        if consent.status is ConsentStatus.COVERED and not consent.is_recorded and consent.answer_seq is not None:
            agreed.setdefault(consent.answer_seq, {}).setdefault(consent.proposal_seq, []).append(consent)
    if not agreed:
        return recorded
    stream: list[Event] = []
    moved: dict[int, int] = {}
    for event in recorded:
        moved[event.seq] = len(stream)
        stream.append(_moved(event, moved))
        for proposal, consents in agreed.get(event.seq, {}).items():
            stream.append(_confirmation(event, len(stream), proposal, consents, moved))
    return tuple(stream)


def _numbered(events: list[Event]) -> tuple[Event, ...]:
    moved: dict[int, int] = {}
    numbered = []
    for seq, event in enumerate(events):
        moved[event.seq] = seq
        numbered.append(_moved(event, moved))
    return tuple(numbered)


def _moved(event: Event, moved: dict[int, int]) -> Event:
    """Return *event* at its new place, with the places it points at."""
    seq = moved[event.seq]
    body = event.body
    if isinstance(body, ConfirmationEvent):
        proposal = moved.get(body.proposal_seq, body.proposal_seq) if body.proposal_seq is not None else None
        answer = moved.get(body.answer_seq, body.answer_seq) if body.answer_seq is not None else None
        if (proposal, answer) != (body.proposal_seq, body.answer_seq):
            body = body.model_copy(update={"proposal_seq": proposal, "answer_seq": answer})
    if seq == event.seq and body is event.body:
        return event
    return event.model_copy(update={"seq": seq, "body": body})


def _confirmation(
    answer: Event, seq: int, proposal: int | None, consents: list[CallConsent], moved: dict[int, int]
) -> Event:
    covers: list[dict[str, Any]] = []
    for consent in consents:
        covers.extend(named for named in consent.covers if named not in covers)
    return Event(
        seq=seq,
        test_run_id=answer.test_run_id,
        conversation_id=answer.conversation_id,
        turn_id=answer.turn_id,
        source=DERIVED_SOURCE,
        provenance=answer.provenance,
        body=ConfirmationEvent(
            confirmed=True,
            proposal_seq=moved[proposal] if proposal is not None else None,
            answer_seq=moved[answer.seq],
            covers=tuple(covers),
            reason=consents[0].reason,
        ),
    )
