"""One step of an organization: a message in, effects out. Pure, whatever the organization is like inside.

``step(state, message, now) -> (state, effects)``. The kind of state decides which handlers take the message.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mast.errors import MalformedRejection, Rejection
from mast.organizations import records
from mast.organizations.messages import (
    UNANSWERED,
    Consult,
    Decision,
    Effect,
    Message,
    Parcel,
    ParcelKind,
    Report,
    WakeAfter,
    Woken,
)
from mast.organizations.state import Activity, OrganizationState
from mast.protocol.packets import Bundle

S = TypeVar("S", bound=OrganizationState)


@dataclass(frozen=True, slots=True)
class Behaviour(Generic[S]):
    """What a kind of organization does with what it is told.

    Attributes:
        parcels: how each kind of parcel is handled when it arrives.
        activities: what each kind of instruction (or parcel that needs a decision) starts.
        woken: what to do when the clock rings for something no activity waits for.
        refuse: how the sender of a refused parcel is told.
    """

    parcels: Mapping[ParcelKind, Callable[[S, Parcel, list[Effect]], None]]
    activities: Mapping[type, Callable[[Any], Activity[S]]]
    woken: Callable[[S, Woken, list[Effect]], None]
    refuse: Callable[[S, Parcel, Rejection, list[Effect]], None]

    def step(self, state: S, message: Message, now: int) -> tuple[S, list[Effect]]:
        """Handle *message* at tick *now*; what is refused leaves the state as it was and is recorded.

        A question to the agent is always the last effect: its answer is the next message.
        """
        out: list[Effect] = []
        state.now = now
        if isinstance(message, Parcel):
            state.turn = message.turn
            try:
                handler = self.parcels.get(message.kind)
                if handler is None:
                    raise MalformedRejection(
                        f"{message.recipient} takes no {message.kind} and got one from {message.sender}"
                    )
                handler(state, message, out)
            except Rejection as rejection:
                out.append(records.refused(message.kind.value, rejection, message.turn, _packet_id(message)))
                self.refuse(state, message, rejection, out)
        elif isinstance(message, Decision):
            self._go_on(state, message, out)
        elif isinstance(message, Woken):
            if message.token == UNANSWERED:
                state.watched = False
                self._check_overdue(state, message, out)
            else:
                self.woken(state, message, out)
        else:
            state.waiting.append(message)
        while state.current is None and state.waiting:
            self._start_next(state, out)
        if state.current is not None and not state.watched and not (out and isinstance(out[-1], Consult)):
            state.watched = True
            left = state.asked_at + state.settings.query_timeout - now
            out.append(WakeAfter(max(left, 1), UNANSWERED))
        return state, out

    def _check_overdue(self, state: S, message: Woken, out: list[Effect]) -> None:
        """Let the current activity know when what it waits for has not come in time."""
        if state.current is not None and state.now - state.asked_at >= state.settings.query_timeout:
            state.asked_at = state.now
            self._go_on(state, message, out)

    def _go_on(self, state: S, message: Decision | Woken, out: list[Effect]) -> None:
        """Let the current activity go on; what the protocol refuses it ends it, and nothing else."""
        if state.current is None:
            return
        state.turn = state.current.stage
        try:
            state.current.receive(state, message, out)
        except Rejection as rejection:
            out.append(records.refused(type(message).__name__.lower(), rejection, state.turn))
            finish(state, "refused", out)

    def _start_next(self, state: S, out: list[Effect]) -> None:
        begun = state.waiting.popleft()
        state.current = self.activities[type(begun)](begun)
        state.turn = state.current.stage
        state.asked_at = state.now
        try:
            state.current.start(state, out)
        except Rejection as rejection:
            out.append(records.refused(type(begun).__name__.lower(), rejection, state.turn))
            finish(state, "refused", out)


def finish(state: OrganizationState, result: str, out: list[Effect], offers: tuple[Bundle, ...] = ()) -> None:
    """End the current activity and tell the workload."""
    state.current = None
    out.append(Report(state.turn, result, offers))


def _packet_id(parcel: Parcel) -> bytes | None:
    return getattr(parcel.packet, "id", None)
