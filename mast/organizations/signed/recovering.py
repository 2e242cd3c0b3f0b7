"""Recovering a refused task: have what it depends on rebuilt, then act again through the whole gate."""

from typing import Final

from mast.errors import Rejection
from mast.ids import ClaimId, OrganizationName
from mast.organizations import records
from mast.organizations.messages import (
    Effect,
    Message,
    Parcel,
    ParcelKind,
    Recover,
    Woken,
)
from mast.organizations.signed import spreading
from mast.organizations.signed.sending import is_refusal, send
from mast.organizations.state import SignedState
from mast.organizations.step import finish
from mast.protocol import recovery
from mast.protocol.packets import Bundle, Handoff, RecoveryEnvelope, RevisionOffer
from trustrail.foundation import SignedEnvelope

MAX_ROUNDS: Final = 16
"""Rebuilds asked for in one recovery at the most (behaviour of the earlier system, section 2.7)."""


class Recovering:
    """Walk the frontier of one recovery envelope, one rebuild at a time."""

    def __init__(self, instruction: Recover) -> None:
        self.instruction = instruction
        self.stage = instruction.stage
        self.bundle: Bundle | None = None
        self.envelope: RecoveryEnvelope | None = None
        self.completed: dict[ClaimId, ClaimId] = {}
        self.rounds = 0
        self.asked: OrganizationName | None = None

    def start(self, state: SignedState, out: list[Effect]) -> None:
        """Sign the envelope and ask for the first rebuild."""
        task = self.instruction.act.task
        outcome = state.outcomes.get(task or "")
        if outcome is None:
            finish(state, "not_attempted", out)
            return
        self.bundle = recovery.prepare(state.view, outcome, self.instruction.offers)
        self.envelope = state.view.notary.read(self.bundle.packet, RecoveryEnvelope)
        for offer in self.instruction.offers:
            old = ClaimId(state.view.notary.read(offer.packet, RevisionOffer).old)
            spreading.spread(state, "revocation", old, state.turn, out)
        self._go_on(state, out)

    def receive(self, state: SignedState, message: Message, out: list[Effect]) -> None:
        """Take a rebuilt claim that was handed over, or give up."""
        if isinstance(message, Woken):
            finish(state, "unanswered", out)
        elif isinstance(message, Parcel) and message.kind is ParcelKind.REFUSAL:
            self._refused(state, message, out)
        elif isinstance(message, Parcel) and message.kind is ParcelKind.HANDOFF:
            self._take(state, message, out)

    def _refused(self, state: SignedState, parcel: Parcel, out: list[Effect]) -> None:
        assert self.bundle is not None
        assert isinstance(parcel.packet, SignedEnvelope)
        assert self.asked is not None
        if is_refusal(state, parcel.packet, self.bundle.packet.id, self.asked):
            finish(state, "rebuild_refused", out)

    def _take(self, state: SignedState, parcel: Parcel, out: list[Effect]) -> None:
        assert self.bundle is not None
        assert self.envelope is not None
        assert isinstance(parcel.packet, SignedEnvelope)
        handoff = state.view.notary.read(parcel.packet, Handoff)
        for target in handoff.targets:
            claim = state.view.claims[target]
            if claim.recovery is None or claim.recovery[0] != self.bundle.packet.id:
                continue
            try:
                old = recovery.check_completion(state.view, self.bundle.packet.id, self.envelope, claim, self.completed)
            except Rejection as rejection:
                out.append(records.refused("rebuilt_claim", rejection, state.turn, target))
                finish(state, "rebuild_rejected", out)
                return
            self.completed[old] = target
        self._go_on(state, out)

    def _go_on(self, state: SignedState, out: list[Effect]) -> None:
        assert self.bundle is not None
        assert self.envelope is not None
        frontier = recovery.frontier(state.view, self.envelope, self.completed)
        if frontier.requires_replan:
            finish(state, "requires_replan", out)
        elif frontier.complete:
            state.waiting.appendleft(self.instruction.act)
            finish(state, "recovered", out)
        elif not frontier.ready or self.rounds == MAX_ROUNDS:
            finish(state, "rebuild_incomplete", out)
        else:
            self.rounds += 1
            self.asked = issuer = OrganizationName(frontier.ready[0][1])
            done = tuple(state.view.envelopes[claim] for claim in self.completed.values())
            bundle = Bundle(self.bundle.packet, (*self.bundle.attached, *done))
            send(state, ParcelKind.REBUILD, issuer, bundle, out)
