"""Acting: the agent proposes, the gate asks and decides, the effect happens, the outcome is signed.

At most two rounds: an agent that answers ``verify`` has everything checked without any effect and is then asked
once more (behaviour of the earlier system, section 2.3).
"""

from mast.errors import Rejection
from mast.ids import ClaimId, ClaimName
from mast.organizations import records
from mast.organizations.deciding import ACTIONS, consult, read_action, refs_match
from mast.organizations.messages import (
    Act,
    Decision,
    Effect,
    Message,
    Question,
    View,
)
from mast.organizations.signed.asking import Asking
from mast.organizations.signed.sending import Delivery, shown_claim
from mast.organizations.state import SignedState
from mast.organizations.step import finish
from mast.protocol import gate
from mast.protocol.packets import Outcome


class Acting:
    """One action of one organization."""

    def __init__(self, instruction: Act) -> None:
        self.instruction = instruction
        self.stage = instruction.stage
        self.round = 0
        self.verifying = False
        self.last_result: str | None = None
        self.claims: tuple[ClaimId, ...] = ()
        self.missing: list[ClaimName] = []
        self.asking: Asking | None = None
        self.delivery: Delivery | None = None

    def start(self, state: SignedState, out: list[Effect]) -> None:
        """Find the claims and ask the agent."""
        latest = state.view.latest
        self.missing = [name for name in self.instruction.claims if name not in latest]
        self.claims = tuple([latest[name] for name in self.instruction.claims if name in latest])
        self._consult(state, out)

    def receive(self, state: SignedState, message: Message, out: list[Effect]) -> None:
        """Go on with a decision, an answer, a receipt, or the end of the time for one."""
        if isinstance(message, Decision):
            self._decided(state, message, out)
        elif self.delivery is not None:
            result = self.delivery.result(state, message)
            if result is not None:
                self._conclude(state, "EFFECT_UNKNOWN" if result == "unanswered" else "COMPLETED", result, out)
        elif self.asking is not None and self.asking.take(state, message, out):
            self._answered(state, self.asking, out)

    def _consult(self, state: SignedState, out: list[Effect]) -> None:
        allowed = ACTIONS if self.round == 0 else ("proceed", "hold")
        question = Question(
            organization=state.settings.name,
            stage=self.stage,
            operation=self.instruction.operation,
            claims=self.claims,
            allowed=allowed,
            view=self._view(state),
            last_result=self.last_result,
            round=self.round,
        )
        stopped = consult(state, question, out)
        if stopped is not None:
            out.append(records.decided(question, stopped, "budget"))
            self._decided(state, stopped, out)

    def _view(self, state: SignedState) -> View:
        view = state.view
        return View(
            facts={
                claim: {"issuer": content.issuer, "predicate": content.predicate, "value": content.value}
                for claim in self.claims
                for content in (view.claims[claim],)
            },
            blocked=frozenset([claim for claim in self.claims if not view.graph.stands(claim)]),
        )

    def _decided(self, state: SignedState, decision: Decision, out: list[Effect]) -> None:
        allowed = ACTIONS if self.round == 0 else ("proceed", "hold")
        action, cause = read_action(decision, allowed)
        if action == "hold":
            self._conclude(state, "HELD", decision.reason or "hold", out, cause=cause)
            return
        if self.instruction.task is not None and not refs_match(decision, self.claims):
            self._conclude(state, "INVALID", "claim_refs", out, cause="program")
            return
        self.verifying = action == "verify"
        refusal = self._missing() or gate.admit(
            state.view, state.settings.mechanisms, self.instruction.operation, self.claims
        )
        if refusal is not None:
            self._refused(state, refusal, out)
            return
        questions = gate.questions(
            state.view,
            state.settings.mechanisms,
            self.claims,
            loss=state.settings.losses.get(self.instruction.operation, 1),
            verify=self.verifying,
        )
        self.asking = Asking(questions, self.stage)
        if self.asking.go_on(state, out):
            self._answered(state, self.asking, out)

    def _missing(self) -> gate.Refusal | None:
        return gate.Refusal("REQUEST_EVIDENCE", "missing_dependency") if self.missing else None

    def _answered(self, state: SignedState, asking: Asking, out: list[Effect]) -> None:
        refusal = gate.decide(
            state.view,
            self.instruction.operation,
            self.claims,
            self.instruction.order,
            statuses=asking.statuses,
            facts=asking.facts,
        )
        if refusal is not None:
            self._refused(state, refusal, out)
            return
        out.append(records.verdict("VERIFIED" if self.verifying else "PASS", "all checks passed", self.stage))
        if self.verifying:
            self._try_again(state, "VERIFIED", out)
        elif self.instruction.operation == "forward":
            self._forward(state, out)
        else:
            self._conclude(state, "COMPLETED", "effect applied", out)

    def _forward(self, state: SignedState, out: list[Effect]) -> None:
        assert self.instruction.recipient is not None
        try:
            self.delivery = Delivery(state, self.claims, self.instruction.recipient, out)
        except Rejection as rejection:
            self._refused(state, gate.Refusal("BLOCKED", rejection.reason), out)

    def _refused(self, state: SignedState, refusal: gate.Refusal, out: list[Effect]) -> None:
        out.append(records.verdict(refusal.result, refusal.reason, self.stage))
        if self.verifying and self.round == 0:
            self._try_again(state, refusal.result, out)
            return
        cause = "transport" if refusal.result == "ESCALATE" else "program"
        self._conclude(state, refusal.result, refusal.reason, out, cause=cause)

    def _try_again(self, state: SignedState, result: str, out: list[Effect]) -> None:
        self.round += 1
        self.verifying = False
        self.last_result = result
        self._consult(state, out)

    def _conclude(
        self, state: SignedState, result: str, reason: str, out: list[Effect], *, cause: str | None = None
    ) -> None:
        """Sign the outcome into the journal, record it, and report it."""
        view = state.view
        replies = tuple(self.asking.replies) if self.asking is not None else ()
        outcome = view.notary.sign(
            Outcome(
                issuer=view.owner,
                workflow=view.workflow,
                sequence=view.journal.length + 1,
                head=view.journal.head,
                stage=self.stage,
                task=self.instruction.task,
                operation=self.instruction.operation,
                claims=self.claims,
                result=result,
                reason=reason,
                replies=replies,
            )
        )
        view.journal.append("outcome", outcome.id, result)
        if self.instruction.task is not None:
            state.outcomes.setdefault(self.instruction.task, outcome)
        if cause is None and result == "EFFECT_UNKNOWN":
            cause = "unknown"
        detail = {
            "cause": cause,
            "claims": [shown_claim(view, claim) for claim in self.claims],
            "order": self.instruction.order,
            "phase": self.instruction.phase,
            "reason": reason,
            "task": self.instruction.task,
        }
        out.append(records.ended(self.instruction.operation, result, detail, self.stage, outcome.id))
        finish(state, result, out)
