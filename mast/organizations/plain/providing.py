"""Sending statements, retracting them, and sending corrected ones: all of it without any proof."""

from mast.errors import DependencyRejection
from mast.ids import ClaimName, OrganizationName
from mast.organizations import records
from mast.organizations.deciding import consult
from mast.organizations.messages import (
    Decision,
    Effect,
    Message,
    Parcel,
    ParcelKind,
    PlainClaim,
    PlainNote,
    Provide,
    Question,
    Recover,
    Republish,
    Revise,
    Revoke,
    Send,
    Statement,
    View,
)
from mast.organizations.plain.incoming import check_statement
from mast.organizations.state import PlainState
from mast.organizations.step import finish


class Providing:
    """State what is not stated yet and send all of it."""

    def __init__(self, instruction: Provide) -> None:
        self.instruction = instruction
        self.stage = instruction.stage

    def start(self, state: PlainState, out: list[Effect]) -> None:
        """State and send."""
        for statement in self.instruction.statements:
            if statement.name not in state.facts:
                put(state, _claim(state, statement), out)
        hand_on(state, self.instruction.claims, self.instruction.recipient, out)
        finish(state, "sent", out)

    def receive(self, state: PlainState, message: Message, out: list[Effect]) -> None:
        """Nothing is waited for."""


class Revoking:
    """Retract one's own statement, in one's own books only."""

    def __init__(self, instruction: Revoke) -> None:
        self.instruction = instruction
        self.stage = instruction.stage

    def start(self, state: PlainState, out: list[Effect]) -> None:
        """Note the retraction."""
        state.retracted.add(self.instruction.claim)
        out.append(records.revoked(self.instruction.claim, state.turn))
        finish(state, "revoked", out)

    def receive(self, state: PlainState, message: Message, out: list[Effect]) -> None:
        """Nothing is waited for."""


class Revising:
    """State a corrected fact, when the agent agrees."""

    def __init__(self, instruction: Revise) -> None:
        self.instruction = instruction
        self.stage = instruction.stage

    def start(self, state: PlainState, out: list[Effect]) -> None:
        """Ask the agent."""
        question = Question(
            organization=state.settings.name,
            stage=self.stage,
            operation="revise",
            claims=(),
            allowed=("proceed", "hold"),
            view=View(facts={}, blocked=frozenset()),
        )
        stopped = consult(state, question, out)
        if stopped is not None:
            out.append(records.decided(question, stopped, "budget"))
            finish(state, "budget", out)

    def receive(self, state: PlainState, message: Message, out: list[Effect]) -> None:
        """State the correction."""
        if not isinstance(message, Decision):
            return
        old = state.facts.get(self.instruction.claim)
        if message.action != "proceed" or old is None:
            finish(state, "held", out)
            return
        value = self.instruction.value
        put(state, PlainClaim(old.name, state.settings.name, old.predicate, value, old.revision + 1), out)
        finish(state, "published", out)


class Republishing:
    """Send corrected statements on: one's own are restated from the newest one they build on."""

    def __init__(self, instruction: Republish) -> None:
        self.instruction = instruction
        self.stage = instruction.stage

    def start(self, state: PlainState, out: list[Effect]) -> None:
        """Restate and send what is corrected."""
        corrected: list[ClaimName] = []
        for statement in self.instruction.statements:
            parents = [state.facts[parent] for parent in statement.parents if parent in state.facts]
            newest = max((parent.revision for parent in parents), default=1)
            own = state.facts.get(statement.name)
            if own is not None and newest > own.revision:
                source = next(parent for parent in parents if parent.revision == newest)
                put(state, PlainClaim(own.name, state.settings.name, own.predicate, source.value, newest), out)
            if own is not None and state.facts[statement.name].revision > 1:
                corrected.append(statement.name)
        if corrected:
            hand_on(state, corrected, self.instruction.recipient, out)
        finish(state, "sent" if corrected else "nothing_new", out)

    def receive(self, state: PlainState, message: Message, out: list[Effect]) -> None:
        """Nothing is waited for."""


class Recovering:
    """There is nothing to rebuild where nothing is signed."""

    def __init__(self, instruction: Recover) -> None:
        self.stage = instruction.stage

    def start(self, state: PlainState, out: list[Effect]) -> None:
        """Finish at once."""
        finish(state, "not_attempted", out)

    def receive(self, state: PlainState, message: Message, out: list[Effect]) -> None:
        """Nothing is waited for."""


def put(state: PlainState, claim: PlainClaim, out: list[Effect]) -> None:
    """State something new, or in place of what was stated before.

    Raises:
        MalformedRejection: if the value has no canonical form.
    """
    check_statement(claim)
    state.facts[claim.name] = claim
    content = {"predicate": claim.predicate, "value": claim.value}
    out.append(records.issued(claim.name, claim.revision, content, state.turn))


def _claim(state: PlainState, statement: Statement) -> PlainClaim:
    return PlainClaim(statement.name, state.settings.name, statement.predicate, statement.value, statement.revision)


def hand_on(
    state: PlainState, names: list[ClaimName] | tuple[ClaimName, ...], recipient: OrganizationName, out: list[Effect]
) -> None:
    """Send the newest statements of those names.

    Raises:
        DependencyRejection: if one was never received.
    """
    for name in names:
        if name not in state.facts:
            raise DependencyRejection(f"{state.settings.name} has no statement called {name!r}")
    items = tuple(state.facts[name] for name in names)
    packet = PlainNote(names[0], {"handoff": len(names)})
    out.append(Send(Parcel(ParcelKind.HANDOFF, state.settings.name, recipient, packet, items, state.turn)))
