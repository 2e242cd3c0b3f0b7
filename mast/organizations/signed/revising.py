"""Taking one's own claim back, and correcting it."""

from mast.errors import Rejection
from mast.ids import ClaimId
from mast.organizations import records
from mast.organizations.deciding import consult
from mast.organizations.messages import (
    Decision,
    Effect,
    Message,
    Parcel,
    ParcelKind,
    Question,
    Revise,
    Revoke,
    View,
    Woken,
)
from mast.organizations.signed import spreading
from mast.organizations.signed.asking import is_late
from mast.organizations.signed.sending import held, send
from mast.organizations.state import SignedState, challenge
from mast.organizations.step import finish
from mast.protocol import claims, revisions, revocations
from trustrail.foundation import SignedEnvelope


class Revoking:
    """Revoke one's own claim and spread the news."""

    def __init__(self, instruction: Revoke) -> None:
        self.instruction = instruction
        self.stage = instruction.stage

    def start(self, state: SignedState, out: list[Effect]) -> None:
        """Sign, apply, spread."""
        claim = held(state.view, self.instruction.claim)
        envelope = revocations.revoke(state.view, claim)
        out.append(records.revoked(self.instruction.claim, state.turn, envelope.id))
        spreading.spread(state, "revocation", claim, state.turn, out)
        spreading.broadcast(state, claim, state.turn, out)
        finish(state, "revoked", out)

    def receive(self, state: SignedState, message: Message, out: list[Effect]) -> None:
        """Nothing is waited for."""


class Revising:
    """Publish a corrected fact: confirmed by the authority where the mechanisms allow it, else as a new root."""

    def __init__(self, instruction: Revise) -> None:
        self.instruction = instruction
        self.stage = instruction.stage
        self.draft: revisions.Draft | None = None
        self.query: SignedEnvelope | None = None

    def start(self, state: SignedState, out: list[Effect]) -> None:
        """Ask the agent whether to revise."""
        claim = held(state.view, self.instruction.claim)
        content = state.view.claims[claim]
        fact = {"issuer": content.issuer, "predicate": content.predicate, "value": content.value}
        question = Question(
            organization=state.settings.name,
            stage=self.stage,
            operation="revise",
            claims=(claim,),
            allowed=("proceed", "hold"),
            view=View(facts={claim: fact}, blocked=frozenset()),
        )
        stopped = consult(state, question, out)
        if stopped is not None:
            out.append(records.decided(question, stopped, "budget"))
            finish(state, "budget", out)

    def receive(self, state: SignedState, message: Message, out: list[Effect]) -> None:
        """Go on with the decision, then with the authority's answer."""
        if isinstance(message, Decision):
            if message.action != "proceed":
                finish(state, "held", out)
            elif state.settings.mechanisms.confirms_revisions:
                self._ask(state, out)
            else:
                self._publish_root(state, out)
        elif isinstance(message, Woken):
            finish(state, "unconfirmed", out)
        elif not isinstance(message, Parcel) or self.query is None:
            return
        elif message.kind is ParcelKind.FACT_REPLY and not is_late(state, message.packet, message.kind):
            self._confirmed(state, message, out)

    def _publish_root(self, state: SignedState, out: list[Effect]) -> None:
        old = state.view.claims[held(state.view, self.instruction.claim)]
        new_id = claims.issue(
            state.view,
            name=self.instruction.claim,
            parents=(),
            rule=old.rule,
            predicate=old.predicate,
            value=self.instruction.value,
            revision=old.revision + 1,
        )
        new = state.view.claims[new_id]
        content = {"predicate": new.predicate, "value": new.value}
        out.append(records.issued(new.name, new.revision, content, state.turn, new_id))
        finish(state, "published", out)

    def _ask(self, state: SignedState, out: list[Effect]) -> None:
        try:
            self.draft = revisions.draft(state.view, held(state.view, self.instruction.claim), self.instruction.value)
        except Rejection as rejection:
            out.append(records.refused("revision", rejection, state.turn))
            finish(state, "refused", out)
            return
        question = revisions.ask_confirmation(state.view, self.draft, challenge(state))
        self.query = question.packet
        to = state.settings.fact_authority
        assert to is not None
        out.append(records.asked(records.FACT_QUERY, self.instruction.claim, to, state.turn, question.packet.id))
        send(state, ParcelKind.FACT_QUERY, to, question, out)

    def _confirmed(self, state: SignedState, parcel: Parcel, out: list[Effect]) -> None:
        assert self.draft is not None
        assert self.query is not None
        assert isinstance(parcel.packet, SignedEnvelope)
        try:
            offer = revisions.publish(state.view, self.draft, self.query, parcel.packet, state.now)
        except Rejection as rejection:
            out.append(records.refused("revision", rejection, state.turn, parcel.packet.id))
            finish(state, "refused", out)
            return
        name, turn = self.instruction.claim, state.turn
        out.append(records.answered(records.FACT_QUERY, name, parcel.sender, "CONFIRMED", turn, parcel.packet.id))
        new = self.draft.claim
        content = {"predicate": new.predicate, "value": new.value}
        out.append(records.issued(name, new.revision, content, turn, self.draft.envelope.id))
        out.append(records.revoked(name, turn, state.view.revocations[self.draft.old].id))
        spreading.spread(state, "revocation", ClaimId(self.draft.old), turn, out)
        finish(state, "offered", out, (offer,))
