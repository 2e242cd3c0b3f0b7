"""Handing out claims: those of the initial graph, and corrected ones published again."""

from dataclasses import replace

from mast.ids import ClaimId
from mast.organizations.messages import Effect, Message, Provide, Republish
from mast.organizations.signed.sending import Delivery, held, issue
from mast.organizations.state import SignedState
from mast.organizations.step import finish
from mast.protocol.rules import derive


class Providing:
    """Issue what is not issued yet, hand all of it to one recipient, wait for the answer."""

    def __init__(self, instruction: Provide) -> None:
        self.instruction = instruction
        self.stage = instruction.stage
        self.delivery: Delivery | None = None

    def start(self, state: SignedState, out: list[Effect]) -> None:
        """Issue and send."""
        for statement in self.instruction.statements:
            if statement.name not in state.view.latest:
                issue(state, statement, out)
        targets = [held(state.view, name) for name in self.instruction.claims]
        self.delivery = Delivery(state, targets, self.instruction.recipient, out)

    def receive(self, state: SignedState, message: Message, out: list[Effect]) -> None:
        """Finish when the recipient has answered."""
        result = self.delivery.result(state, message) if self.delivery else None
        if result is not None:
            finish(state, result, out)


class Republishing:
    """Derive claims again from corrected parents and hand them on, without confirmation or binding."""

    def __init__(self, instruction: Republish) -> None:
        self.instruction = instruction
        self.stage = instruction.stage
        self.delivery: Delivery | None = None

    def start(self, state: SignedState, out: list[Effect]) -> None:
        """Derive and send what is new; finish at once when nothing is."""
        targets: list[ClaimId] = []
        for statement in self.instruction.statements:
            current = state.view.latest.get(statement.name)
            if current is None:
                continue
            claim = state.view.claims[current]
            newest = [held(state.view, parent) for parent in statement.parents]
            if list(claim.parents) != newest:
                predicate, value = derive(claim.rule, [state.view.claims[parent] for parent in newest])
                again = replace(statement, predicate=predicate, value=value, revision=claim.revision + 1)
                targets.append(issue(state, again, out))
            elif claim.revision > 1:
                targets.append(current)
        if targets:
            self.delivery = Delivery(state, targets, self.instruction.recipient, out)
        else:
            finish(state, "nothing_new", out)

    def receive(self, state: SignedState, message: Message, out: list[Effect]) -> None:
        """Finish when the recipient has answered."""
        result = self.delivery.result(state, message) if self.delivery else None
        if result is not None:
            finish(state, result, out)
