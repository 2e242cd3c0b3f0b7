"""Asking the questions the gate wants answered, one after another, without waiting for ever."""

from msgspec import Struct

from mast.errors import Rejection
from mast.ids import ClaimId, ClaimName, OrganizationName
from mast.organizations import records
from mast.organizations.messages import Effect, Message, Parcel, ParcelKind, Woken
from mast.organizations.signed import spreading
from mast.organizations.signed.sending import is_refusal, send
from mast.organizations.state import SignedState, challenge
from mast.protocol import facts, status
from mast.protocol.gate import Questions
from mast.protocol.notary import decode
from mast.protocol.packets import Bundle, FactReply, StatusReply
from trustrail.foundation import SignedEnvelope, digest


class _Asked(Struct, frozen=True):
    """A question that waits for its answer: what kind of parcel brings it, about which claim, from whom."""

    kind: ParcelKind
    claim: ClaimId
    subject: ClaimName
    query: SignedEnvelope
    to: OrganizationName


class Asking:
    """Status questions until one is not answered ``active``; then, if all were, every fact question.

    Attributes:
        statuses: status answers so far, ``unavailable`` where none came that could be accepted.
        facts: fact answers so far, ``UNAVAILABLE`` likewise.
        replies: ids of the replies accepted, in order.
    """

    def __init__(self, questions: Questions, stage: str) -> None:
        self.statuses: list[str] = []
        self.facts: list[str] = []
        self.replies: list[bytes] = []
        self._status = list(reversed(questions.status))
        self._facts = list(reversed(questions.facts))
        self._purpose = digest(stage.encode())
        self._open: _Asked | None = None

    def go_on(self, state: SignedState, out: list[Effect]) -> bool:
        """Ask the next question; return whether there is none left to ask."""
        if self._status and (not self.statuses or self.statuses[-1] == "active"):
            self._ask_status(state, self._status.pop(), out)
            return False
        if self._facts and set(self.statuses) <= {"active"} and state.settings.fact_authority is None:
            self._nobody_to_ask(state, out)
        elif self._facts and set(self.statuses) <= {"active"}:
            self._ask_fact(state, self._facts.pop(), out)
            return False
        return True

    def take(self, state: SignedState, message: Message, out: list[Effect]) -> bool:
        """Take an answer, or the end of the time for one; return whether everything is answered."""
        if self._open is None:
            return False
        asked = self._open
        if isinstance(message, Woken):
            state.given_up.add(asked.query.id)
            self._unanswered(state, asked, out)
        elif not isinstance(message, Parcel) or not isinstance(message.packet, SignedEnvelope):
            return False
        elif message.kind is ParcelKind.REFUSAL:
            if not is_refusal(state, message.packet, asked.query.id, asked.to):
                return False
            self._unanswered(state, asked, out)
        elif message.kind is not asked.kind or message.sender != asked.to or is_late(state, message.packet, asked.kind):
            return False
        else:
            self._answer(state, asked, message, out)
        self._open = None
        return self.go_on(state, out)

    def _answer(self, state: SignedState, asked: _Asked, parcel: Parcel, out: list[Effect]) -> None:
        packet = parcel.packet
        assert isinstance(packet, SignedEnvelope)
        attached: tuple[SignedEnvelope, ...] = ()
        if parcel.attached:
            attached = tuple([item for item in parcel.attached if isinstance(item, SignedEnvelope)])
        take = self._take_status if asked.kind is ParcelKind.STATUS_REPLY else self._take_fact
        try:
            take(state, asked, Bundle(packet, attached), out)
        except Rejection as rejection:
            out.append(records.refused(asked.kind.value, rejection, state.turn, packet.id))
            self._unanswered(state, asked, out)
        else:
            self.replies.append(packet.id)

    def _ask_status(self, state: SignedState, claim: ClaimId, out: list[Effect]) -> None:
        query = status.ask(state.view, claim, challenge(state))
        about = state.view.claims[claim]
        self._open = _Asked(ParcelKind.STATUS_REPLY, claim, about.name, query, about.issuer)
        out.append(records.asked(records.STATUS_QUERY, about.name, about.issuer, state.turn, query.id))
        send(state, ParcelKind.STATUS_QUERY, about.issuer, Bundle(query), out)

    def _ask_fact(self, state: SignedState, claim: ClaimId, out: list[Effect]) -> None:
        question = facts.ask(state.view, claim, self._purpose, challenge(state))
        to = state.settings.fact_authority
        assert to is not None
        subject = state.view.claims[claim].name
        self._open = _Asked(ParcelKind.FACT_REPLY, claim, subject, question.packet, to)
        out.append(records.asked(records.FACT_QUERY, subject, to, state.turn, question.packet.id))
        send(state, ParcelKind.FACT_QUERY, to, question, out)

    def _nobody_to_ask(self, state: SignedState, out: list[Effect]) -> None:
        """Where no fact authority is trusted, an amount cannot be confirmed: the same as an answer that never came."""
        for claim in reversed(self._facts):
            self.facts.append("UNAVAILABLE")
            name = state.view.claims[claim].name
            out.append(records.answered(records.FACT_QUERY, name, "", "UNAVAILABLE", state.turn))
        self._facts.clear()

    def _take_status(self, state: SignedState, asked: _Asked, bundle: Bundle, out: list[Effect]) -> None:
        answer = status.receive(state.view, asked.query, asked.claim, bundle)
        self.statuses.append(answer.status)
        tool, turn = records.STATUS_QUERY, state.turn
        out.append(records.answered(tool, asked.subject, asked.to, answer.status, turn, bundle.packet.id))
        for learned in answer.learned:
            spreading.spread(state, "revocation", learned, turn, out)

    def _take_fact(self, state: SignedState, asked: _Asked, bundle: Bundle, out: list[Effect]) -> None:
        reply = facts.receive(state.view, asked.query, asked.claim, bundle.packet, state.now)
        self.facts.append(reply.status)
        tool, turn = records.FACT_QUERY, state.turn
        out.append(records.answered(tool, asked.subject, reply.issuer, reply.status, turn, bundle.packet.id))
        if reply.status == "CONTRADICTED":
            facts.apply_dispute(state.view, asked.claim, Bundle(bundle.packet, (asked.query,)))
            spreading.spread(state, "dispute", asked.claim, turn, out)

    def _unanswered(self, state: SignedState, asked: _Asked, out: list[Effect]) -> None:
        tool, answers, word = (
            (records.STATUS_QUERY, self.statuses, "unavailable")
            if asked.kind is ParcelKind.STATUS_REPLY
            else (records.FACT_QUERY, self.facts, "UNAVAILABLE")
        )
        answers.append(word)
        out.append(records.answered(tool, asked.subject, asked.to, word, state.turn))


def is_late(state: SignedState, answer: object, kind: ParcelKind) -> bool:
    """Whether *answer* is to a question that was given up; what is no answer at all is not late but wrong."""
    if not state.given_up or not isinstance(answer, SignedEnvelope):
        return False
    packet: type[StatusReply | FactReply] = StatusReply if kind is ParcelKind.STATUS_REPLY else FactReply
    try:
        return decode(answer.payload, packet, answer.issuer).query in state.given_up
    except Rejection:
        return False
