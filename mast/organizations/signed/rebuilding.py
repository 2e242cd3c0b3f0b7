"""Rebuilding one's own claims under somebody's recovery envelope, when the agent agrees."""

from mast.errors import Rejection
from mast.ids import ClaimId, OrganizationName
from mast.organizations import records
from mast.organizations.deciding import consult
from mast.organizations.messages import (
    Decision,
    Effect,
    Message,
    Parcel,
    ParcelKind,
    Question,
    View,
)
from mast.organizations.signed import spreading
from mast.organizations.signed.sending import send
from mast.organizations.state import SignedState
from mast.protocol import claims, handoffs, recovery
from mast.protocol.notary import decode, kind_of
from mast.protocol.packets import Bundle, Claim, RecoveryEnvelope, Refusal
from trustrail.foundation import SignedEnvelope


class Rebuilding:
    """Serve one request to rebuild."""

    def __init__(self, begun: Parcel) -> None:
        assert isinstance(begun.packet, SignedEnvelope)
        self.parcel = begun
        self.packet: SignedEnvelope = begun.packet
        self.stage = f"{begun.turn}/rebuild"

    def start(self, state: SignedState, out: list[Effect]) -> None:
        """Ask the agent."""
        question = Question(
            organization=state.settings.name,
            stage=self.stage,
            operation="rebuild",
            claims=(),
            allowed=("proceed", "hold"),
            view=View(facts={}, blocked=frozenset()),
        )
        stopped = consult(state, question, out)
        if stopped is not None:
            out.append(records.decided(question, stopped, "budget"))
            self._refuse(state, "budget", out)

    def receive(self, state: SignedState, message: Message, out: list[Effect]) -> None:
        """Rebuild everything of ours that is ready, and hand it over."""
        if not isinstance(message, Decision):
            return
        if message.action != "proceed":
            self._refuse(state, "held", out)
            return
        try:
            targets, recipient = self._rebuild(state, out)
            bundle = handoffs.prepare(state.view, targets, recipient)
        except Rejection as rejection:
            out.append(records.refused("rebuild", rejection, state.turn, self.packet.id))
            self._refuse(state, rejection.reason, out)
            return
        state.current = None
        state.turn = self.parcel.turn
        send(state, ParcelKind.HANDOFF, recipient, bundle, out)

    def _rebuild(self, state: SignedState, out: list[Effect]) -> tuple[list[ClaimId], OrganizationName]:
        view = state.view
        attached = tuple(item for item in self.parcel.attached if isinstance(item, SignedEnvelope))
        envelope = recovery.read_envelope(view, Bundle(self.packet, attached), state.settings.serves)
        for old, _ in envelope.replaced:
            if old in view.revocations:
                spreading.spread(state, "revocation", old, state.turn, out)
        completed = self._completed(state, envelope, attached)
        ready = recovery.frontier(view, envelope, completed).ready
        targets = []
        for node in ready:
            if node[1] == view.owner:
                claim_id = recovery.rebuild(view, self.packet.id, envelope, node[0], completed)
                targets.append(claim_id)
                claim = view.claims[claim_id]
                content = {"predicate": claim.predicate, "value": claim.value}
                out.append(records.issued(claim.name, claim.revision, content, state.turn, claim_id))
        return targets, envelope.issuer

    def _completed(
        self, state: SignedState, envelope: RecoveryEnvelope, attached: tuple[SignedEnvelope, ...]
    ) -> dict[ClaimId, ClaimId]:
        """Take in what others have rebuilt before, parents first."""
        completed: dict[ClaimId, ClaimId] = {}
        for item in attached:
            if kind_of(item.payload) != "claim":
                continue
            claim = decode(item.payload, Claim, item.issuer)
            if claim.recovery is None:
                continue
            admitted = claims.admit(state.view, (item,))
            old = recovery.check_completion(state.view, self.packet.id, envelope, claim, completed)
            claims.hold_all(state.view, admitted)
            completed[old] = ClaimId(item.id)
        return completed

    def _refuse(self, state: SignedState, reason: str, out: list[Effect]) -> None:
        refusal = Refusal(state.settings.name, state.view.workflow, self.packet.id, reason)
        state.current = None
        state.turn = self.parcel.turn
        send(state, ParcelKind.REFUSAL, self.parcel.sender, Bundle(state.view.notary.sign(refusal)), out)
