"""Writes what the customer agreed to into the stream, as confirmation events bound to their proposals."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from trustrail.consent.rules import rules_for
from trustrail.consent.trail import DERIVED_SOURCE, CallConsent, ConsentStatus, read_consent
from trustrail.events import Body, ConfirmationEvent, Event
from trustrail.objects import DomainPack


@dataclass(frozen=True, slots=True)
class BoundStream:
    """A stream with its derived confirmations, and what consent says about each of its consequential calls."""

    events: tuple[Event, ...]
    consents: tuple[CallConsent, ...]


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
    return read_and_bind(events, pack, languages).events


def read_and_bind(events: Sequence[Event], pack: DomainPack, languages: tuple[str, ...] | None = None) -> BoundStream:
    """Do what `bind_consent` does, and return what was decided along with the stream, so that it is read once."""
    recorded = _numbered([event for event in events if event.source != DERIVED_SOURCE])
    consents = read_consent(recorded, rules_for(pack, languages))
    agreed: dict[int, dict[int | None, list[CallConsent]]] = {}
    for consent in consents:
        if consent.status is ConsentStatus.COVERED and not consent.is_recorded and consent.answer_seq is not None:
            agreed.setdefault(consent.answer_seq, {}).setdefault(consent.proposal_seq, []).append(consent)
    if not agreed:
        return BoundStream(recorded, consents)
    stream: list[Event] = []
    moved: dict[int, int] = {}
    for event in recorded:
        moved[event.seq] = seq = len(stream)
        # NOTE: a stream of a million events is gone through here; most of them only get another number.
        if type(event.body) is ConfirmationEvent:
            stream.append(_moved(event, moved))
        else:
            stream.append(event if event.seq == seq else _replaced(event, seq, event.body))
        for proposal, agreements in agreed.get(event.seq, {}).items():
            stream.append(_confirmation(event, len(stream), proposal, agreements, moved))
    return BoundStream(tuple(stream), tuple(_at_new_places(consent, moved) for consent in consents))


def _at_new_places(consent: CallConsent, moved: dict[int, int]) -> CallConsent:
    return replace(
        consent,
        call_seq=moved[consent.call_seq],
        proposal_seq=moved[consent.proposal_seq] if consent.proposal_seq is not None else None,
        answer_seq=moved[consent.answer_seq] if consent.answer_seq is not None else None,
    )


def _numbered(events: list[Event]) -> tuple[Event, ...]:
    if all(event.seq == place for place, event in enumerate(events)):
        return tuple(events)
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
    return _replaced(event, seq, body)


_new, _set = object.__new__, object.__setattr__


def _replaced(event: Event, seq: int, body: Body) -> Event:
    """Return a copy of *event* with *seq* and *body*: what ``model_copy`` does, without its deep bookkeeping.

    A stream of a million events is renumbered here, and ``model_copy`` takes as long as scoring does.
    """
    copied = _new(Event)
    _set(copied, "__dict__", {**event.__dict__, "seq": seq, "body": body})
    _set(copied, "__pydantic_fields_set__", event.__pydantic_fields_set__)
    _set(copied, "__pydantic_extra__", None)
    _set(copied, "__pydantic_private__", None)
    return copied


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
