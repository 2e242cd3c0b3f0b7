"""Acting on ordinary messages: the agent proposes, only the business contract checks."""

from mast.ids import ClaimId, ClaimName, OrganizationName
from mast.organizations import records
from mast.organizations.deciding import ACTIONS, consult, read_action, refs_match
from mast.organizations.messages import (
    Act,
    Decision,
    Effect,
    Message,
    Parcel,
    ParcelKind,
    PlainNote,
    Question,
    Send,
    View,
    Woken,
)
from mast.organizations.plain.incoming import note_of, shown
from mast.organizations.plain.providing import hand_on
from mast.organizations.state import PlainState
from mast.organizations.step import finish
from mast.protocol.contracts import CONTRACTS, StatedFact
from mast.protocol.facts import PREDICATE
from mast.protocol.gate import Refusal, check_contract
from trustrail.foundation import digest


class Acting:
    """One action on ordinary messages."""

    def __init__(self, instruction: Act) -> None:
        self.instruction = instruction
        self.stage = instruction.stage
        self.round = 0
        self.last_result: str | None = None
        self.names: tuple[ClaimName, ...] = ()
        self.missing = False
        self.questions: list[tuple[ParcelKind, ClaimName]] = []

    def start(self, state: PlainState, out: list[Effect]) -> None:
        """Find the messages and ask the agent."""
        self.names = tuple(name for name in self.instruction.claims if name in state.facts)
        self.missing = len(self.names) < len(self.instruction.claims)
        self._consult(state, out)

    def receive(self, state: PlainState, message: Message, out: list[Effect]) -> None:
        """Go on with a decision or with an answer the agent wanted."""
        if isinstance(message, Decision):
            self._decided(state, message, out)
        elif not self.questions:
            return
        elif isinstance(message, Woken):
            self._take(state, "unavailable", out)
        elif isinstance(message, Parcel):
            kind, name = self.questions[0]
            if message.kind is _REPLY[kind] and message.sender == self._asked(state, kind, name):
                note = note_of(message)
                if note.subject == name:
                    self._take(state, str(note.value.get("status", "unavailable")), out)

    def _consult(self, state: PlainState, out: list[Effect]) -> None:
        claims = tuple(ClaimId(digest(name.encode())) for name in self.names)
        facts = {
            claim: {"issuer": item.sender, "predicate": item.predicate, "value": item.value}
            for claim, item in zip(claims, (state.facts[name] for name in self.names), strict=True)
        }
        question = Question(
            organization=state.settings.name,
            stage=self.stage,
            operation=self.instruction.operation,
            claims=claims,
            allowed=ACTIONS if self.round == 0 else ("proceed", "hold"),
            view=View(facts=facts, blocked=frozenset()),
            last_result=self.last_result,
            round=self.round,
        )
        stopped = consult(state, question, out)
        if stopped is not None:
            out.append(records.decided(question, stopped, "budget"))
            self._decided(state, stopped, out)

    def _decided(self, state: PlainState, decision: Decision, out: list[Effect]) -> None:
        action, cause = read_action(decision, ACTIONS if self.round == 0 else ("proceed", "hold"))
        claims = [digest(name.encode()) for name in self.names]
        if action == "hold":
            self._conclude(state, "HELD", decision.reason or "hold", out, cause=cause)
        elif self.instruction.task is not None and not refs_match(decision, claims):
            self._conclude(state, "INVALID", "claim_refs", out, cause="program")
        elif self.missing:
            self._refused(state, Refusal("BLOCKED", "missing_message"), out)
        elif action == "verify":
            self._ask_all(state, out)
        else:
            self._apply(state, out)

    def _ask_all(self, state: PlainState, out: list[Effect]) -> None:
        """Queue what ``verify`` asks: each sender about its statement, the authority about each amount."""
        self.questions = [(ParcelKind.STATUS_QUERY, name) for name in self.names]
        if state.settings.fact_authority is not None:
            self.questions += [
                (ParcelKind.FACT_QUERY, name) for name in self.names if state.facts[name].predicate == PREDICATE
            ]
        self._ask(state, out)

    def _ask(self, state: PlainState, out: list[Effect]) -> None:
        kind, name = self.questions[0]
        state.asked_at = state.now
        to = self._asked(state, kind, name)
        value = {} if kind is ParcelKind.STATUS_QUERY else dict(state.facts[name].value)
        out.append(records.asked(_TOOL[kind], name, to, state.turn))
        out.append(Send(Parcel(kind, state.settings.name, to, PlainNote(name, value), (), state.turn)))

    def _take(self, state: PlainState, status: str, out: list[Effect]) -> None:
        kind, name = self.questions.pop(0)
        out.append(records.answered(_TOOL[kind], name, self._asked(state, kind, name), status, state.turn))
        if status not in ("active", "CONFIRMED"):
            self.questions.clear()
            self._again(state, "REQUEST_EVIDENCE", status.lower(), out)
        elif self.questions:
            self._ask(state, out)
        else:
            refusal = self._contract(state)
            self._again(
                state, refusal.result if refusal else "VERIFIED", refusal.reason if refusal else "verified", out
            )

    def _asked(self, state: PlainState, kind: ParcelKind, name: ClaimName) -> OrganizationName:
        """Return who is asked: the sender about its statement, the authority about an amount."""
        if kind is ParcelKind.STATUS_QUERY:
            return state.facts[name].sender
        assert state.settings.fact_authority is not None
        return state.settings.fact_authority

    def _again(self, state: PlainState, result: str, reason: str, out: list[Effect]) -> None:
        out.append(records.verdict(result, reason, self.stage))
        self.round += 1
        self.last_result = result
        self._consult(state, out)

    def _apply(self, state: PlainState, out: list[Effect]) -> None:
        refusal = self._contract(state)
        if refusal is not None:
            self._refused(state, refusal, out)
            return
        out.append(records.verdict("PASS", "no checks on this layer", self.stage))
        if self.instruction.recipient is not None:
            hand_on(state, self.names, self.instruction.recipient, out)
        self._conclude(state, "COMPLETED", "effect applied", out)

    def _contract(self, state: PlainState) -> Refusal | None:
        operation = self.instruction.operation
        if operation == "forward":
            return None
        if operation not in CONTRACTS:
            return Refusal("BLOCKED", "unknown_operation")
        facts = [StatedFact(state.facts[name].predicate, state.facts[name].value) for name in self.names]
        return check_contract(operation, facts, self.instruction.order)

    def _refused(self, state: PlainState, refusal: Refusal, out: list[Effect]) -> None:
        out.append(records.verdict(refusal.result, refusal.reason, self.stage))
        self._conclude(state, refusal.result, refusal.reason, out, cause="program")

    def _conclude(
        self, state: PlainState, result: str, reason: str, out: list[Effect], *, cause: str | None = None
    ) -> None:
        detail = {
            "cause": cause,
            "claims": [shown(state.facts[name]) for name in self.names],
            "order": self.instruction.order,
            "phase": self.instruction.phase,
            "reason": reason,
            "task": self.instruction.task,
        }
        out.append(records.ended(self.instruction.operation, result, detail, self.stage))
        finish(state, result, out)


_TOOL = {ParcelKind.STATUS_QUERY: records.STATUS_QUERY, ParcelKind.FACT_QUERY: records.FACT_QUERY}
_REPLY = {ParcelKind.STATUS_QUERY: ParcelKind.STATUS_REPLY, ParcelKind.FACT_QUERY: ParcelKind.FACT_REPLY}
