"""What an organization that signs nothing does with what reaches it."""

from typing import Any

from mast.errors import MalformedRejection, RecipientRejection
from mast.ids import ClaimName
from mast.organizations import records
from mast.organizations.messages import Effect, Parcel, ParcelKind, PlainClaim, PlainNote, Send
from mast.organizations.state import PlainState
from mast.protocol.packets import MAX_VALUE_DEPTH
from trustrail.errors import CanonicalizationError
from trustrail.foundation import canonical_json, require_canonical


def handoff(state: PlainState, parcel: Parcel, out: list[Effect]) -> None:
    """Believe what came."""
    if parcel.recipient != state.settings.name:
        raise RecipientRejection(f"handoff is for {parcel.recipient!r}, and reached {state.settings.name!r}")
    items = [item for item in parcel.attached if isinstance(item, PlainClaim)]
    if len(items) != len(parcel.attached) or not items:
        raise MalformedRejection(f"handoff from {parcel.sender} carries something that is no plain statement")
    for item in items:
        check_statement(item)
    for item in items:
        state.facts[item.name] = item
    out.append(records.handed_on(parcel, [shown(item) for item in items], "accepted", parcel.turn))


def status_query(state: PlainState, parcel: Parcel, out: list[Effect]) -> None:
    """Say whether we still stand by a statement."""
    name = note_of(parcel).subject
    status = "unknown" if name not in state.facts else "revoked" if name in state.retracted else "active"
    _answer(state, parcel, ParcelKind.STATUS_REPLY, name, {"status": status}, out)


def fact_query(state: PlainState, parcel: Parcel, out: list[Effect]) -> None:
    """Say, as the fact authority, whether an amount agrees with our record."""
    note = note_of(parcel)
    entry = state.settings.registry.get((str(note.value.get("order")), str(note.value.get("currency"))))
    if entry is None or not entry.confirmed:
        status = "UNKNOWN"
    else:
        status = "CONFIRMED" if entry.cents == note.value.get("cents") else "CONTRADICTED"
    _answer(state, parcel, ParcelKind.FACT_REPLY, note.subject, {"status": status}, out)


def to_activity(state: PlainState, parcel: Parcel, out: list[Effect]) -> None:
    """Let the current work have the answer."""
    if state.current is not None:
        state.turn = state.current.stage
        state.current.receive(state, parcel, out)


def check_statement(item: PlainClaim) -> None:
    """Return when the value of *item* can be written down: the same rule as for signed claims.

    Raises:
        MalformedRejection: if it has no canonical form.
    """
    try:
        require_canonical(item.value, max_depth=MAX_VALUE_DEPTH)
        canonical_json([item.name, item.predicate, item.value])
    except CanonicalizationError as error:
        raise MalformedRejection(f"statement {item.name!r} by {item.sender} cannot be stated: {error}") from error


def note_of(parcel: Parcel) -> PlainNote:
    """Return the note in *parcel*.

    Raises:
        MalformedRejection: if it holds something else.
    """
    if not isinstance(parcel.packet, PlainNote):
        raise MalformedRejection(f"{parcel.kind} from {parcel.sender} carries no plain note")
    return parcel.packet


def shown(item: PlainClaim) -> dict[str, Any]:
    """Return a statement as events show it."""
    return {"name": item.name, "predicate": item.predicate, "revision": item.revision, "value": item.value}


def _answer(
    state: PlainState, parcel: Parcel, kind: ParcelKind, name: ClaimName, value: dict[str, Any], out: list[Effect]
) -> None:
    recipient = parcel.sender
    out.append(Send(Parcel(kind, state.settings.name, recipient, PlainNote(name, value), (), parcel.turn)))
