"""Organizations that sign nothing: what comes is believed, and only the business contract stands in the way."""

from collections import deque
from typing import Any

import pytest
from msgspec.structs import replace

from mast.ids import ClaimName, OrganizationName, TaskName
from mast.organizations.agents.always_proceed import AlwaysProceed
from mast.organizations.agents.tape import Tape
from mast.organizations.messages import (
    UNANSWERED,
    Act,
    Consult,
    Parcel,
    ParcelKind,
    PlainClaim,
    PlainNote,
    Provide,
    Record,
    Recover,
    Report,
    Republish,
    Revise,
    Revoke,
    Send,
    Statement,
    Woken,
)
from mast.organizations.plain import PLAIN
from mast.organizations.state import PlainState, Settings
from mast.protocol.mechanisms import LAYERS
from tests.organization_world import AUTHORIZATION
from tests.protocol_world import Entry, amount

NAMES = ("source", "buyer", "receiver")


class Plain:
    """Three plain organizations and a postman who delivers at once."""

    def __init__(self, *actions: str, registry: Any = None) -> None:
        self.states = {name: PlainState(settings=self._settings(name, registry)) for name in NAMES}
        self.agent = Tape({"task/A": list(actions)}) if actions else AlwaysProceed()
        self.bodies: list[dict[str, Any]] = []
        self.sent: list[Parcel] = []
        self.results: list[str] = []
        self.lost: set[ParcelKind] = set()
        self.now = 0

    def _settings(self, name: str, registry: Any) -> Settings:
        return Settings(
            name=OrganizationName(name),
            mechanisms=LAYERS["L0"],
            losses={},
            fact_authority=OrganizationName("buyer"),
            registry=({("A", "CNY"): Entry(12_800)} if registry is None else registry) if name == "buyer" else {},
        )

    def tell(self, name: str, message: Any) -> None:
        waiting = deque([(name, message)])
        while waiting:
            to, current = waiting.popleft()
            for effect in PLAIN.step(self.states[to], current, self.now)[1]:
                if isinstance(effect, Send):
                    self.sent.append(effect.parcel)
                    if effect.parcel.kind not in self.lost:
                        waiting.append((effect.parcel.recipient, effect.parcel))
                elif isinstance(effect, Consult):
                    waiting.appendleft((to, self.agent.decide(effect.question)))
                elif isinstance(effect, Record):
                    self.bodies.append(effect.body)
                elif isinstance(effect, Report):
                    self.results.append(effect.result)

    def seed(self) -> "Plain":
        for sender, name, predicate, value in (
            ("source", "root_A", "total_charge", amount()),
            ("buyer", "authorization_A", "invoice_authorization", AUTHORIZATION),
        ):
            statement = Statement(name=ClaimName(name), parents=(), rule="relay", predicate=predicate, value=value)
            receiver = OrganizationName("receiver")
            self.tell(sender, Provide(statements=(statement,), claims=(ClaimName(name),), recipient=receiver))
        return self

    def act(self, **changes: Any) -> tuple[str, str | None, str]:
        fields = {
            "stage": "task/A",
            "phase": "initial",
            "operation": "approve_invoice",
            "claims": (ClaimName("root_A"), ClaimName("authorization_A")),
            "task": TaskName("A"),
            "order": "A",
        }
        self.tell("receiver", Act(**{**fields, **changes}))
        return self.ended()

    def ended(self) -> tuple[str, str | None, str]:
        result = self.bodies[-1]["result"]
        return result["result"], result["cause"], result["reason"]


def test_an_action_is_performed_without_asking_anybody():
    plain = Plain().seed()
    sent = len(plain.sent)
    assert plain.act() == ("COMPLETED", None, "effect applied")
    assert len(plain.sent) == sent


def test_a_retraction_stays_in_the_books_of_who_made_it():
    plain = Plain().seed()
    plain.tell("source", Revoke(claim=ClaimName("root_A")))
    assert plain.act()[0] == "COMPLETED"


def test_the_business_contract_holds_here_too():
    assert Plain().seed().act(order="C") == ("BLOCKED", "program", "cross_order")
    assert Plain().seed().act(operation="pay") == ("BLOCKED", "program", "unknown_operation")


def test_a_message_that_never_came_blocks():
    assert Plain().act() == ("BLOCKED", "program", "missing_message")


@pytest.mark.parametrize(
    ("retracted", "registry", "expected"),
    [
        (False, None, "COMPLETED"),
        (True, None, "HELD"),
        (False, {("A", "CNY"): Entry(15_600)}, "HELD"),
        (False, {}, "HELD"),
    ],
    ids=["all is well", "retracted", "contradicted", "not on record"],
)
def test_verifying_asks_the_senders_and_the_authority(retracted: bool, registry: Any, expected: str):
    """The tape verifies, and proceeds only where the answer lets it; it has no second entry otherwise."""
    plain = Plain("verify", "proceed" if expected == "COMPLETED" else "hold", registry=registry).seed()
    if retracted:
        plain.tell("source", Revoke(claim=ClaimName("root_A")))
    assert plain.act()[0] == expected
    results = [body["detail"]["result"] for body in plain.bodies if body.get("control_id") == "mast.gate"]
    assert results[0] == ("VERIFIED" if expected == "COMPLETED" else "REQUEST_EVIDENCE")


def test_an_answer_is_recorded_under_who_gave_it():
    plain = Plain("verify", "proceed").seed()
    plain.act()
    given = [
        (body["tool"], body["result"]["by"])
        for body in plain.bodies
        if "status" in body and isinstance(body.get("result"), dict) and "by" in body["result"]
    ]
    assert given == [("status_query", "source"), ("status_query", "buyer"), ("fact_query", "buyer")]


def verifying() -> Plain:
    """receiver has asked source about root_A and has no answer yet."""
    plain = Plain("verify", "proceed").seed()
    plain.lost = {ParcelKind.STATUS_REPLY}
    fields = {"operation": "approve_invoice", "claims": (ClaimName("root_A"), ClaimName("authorization_A"))}
    plain.tell("receiver", Act(stage="task/A", phase="initial", task=TaskName("A"), order="A", **fields))
    plain.lost = set()
    return plain


@pytest.mark.parametrize(
    ("sender", "subject"),
    [("buyer", "root_A"), ("source", "authorization_A")],
    ids=["another sender", "another subject"],
)
def test_an_answer_that_is_not_to_the_question_asked_is_ignored(sender: str, subject: str):
    plain = verifying()
    note = PlainNote(ClaimName(subject), {"status": "revoked"})
    count = len(plain.bodies)
    plain.tell(
        "receiver", Parcel(ParcelKind.STATUS_REPLY, OrganizationName(sender), OrganizationName("receiver"), note)
    )
    assert len(plain.bodies) == count


def test_an_answer_without_a_status_counts_as_none():
    plain = verifying()
    note = PlainNote(ClaimName("root_A"), {})
    plain.tell(
        "receiver", Parcel(ParcelKind.STATUS_REPLY, OrganizationName("source"), OrganizationName("receiver"), note)
    )
    assert {"result": "REQUEST_EVIDENCE"} in [body.get("detail") for body in plain.bodies]


def test_a_question_nobody_answers_is_given_up():
    plain = verifying()
    plain.now = 16
    plain.tell("receiver", Woken(UNANSWERED))
    assert {"result": "REQUEST_EVIDENCE"} in [body.get("detail") for body in plain.bodies]


def handoff(recipient: str, *items: Any) -> Parcel:
    note = PlainNote(ClaimName("root_A"), {"handoff": len(items)})
    return Parcel(ParcelKind.HANDOFF, OrganizationName("source"), OrganizationName(recipient), note, items)


STATEMENT = PlainClaim(ClaimName("root_A"), OrganizationName("source"), "total_charge", amount())
WRONG = {
    "for somebody else": (handoff("buyer", STATEMENT), "recipient", "is for 'buyer', and reached 'receiver'"),
    "of nothing": (handoff("receiver"), "malformed", "carries something that is no plain statement"),
    "of something signed": (handoff("receiver", STATEMENT, b"x"), "malformed", "carries something that is no plain"),
    "of a kind that is signed": (
        Parcel(ParcelKind.NOTICE, OrganizationName("source"), OrganizationName("receiver"), PlainNote("x", {})),
        "malformed",
        "receiver takes no notice and got one from source",
    ),
}


@pytest.mark.parametrize(("parcel", "cause", "text"), WRONG.values(), ids=WRONG)
def test_a_wrong_message_is_refused_recorded_and_not_believed(parcel: Parcel, cause: str, text: str):
    plain = Plain()
    plain.tell("receiver", parcel)
    (body,) = plain.bodies
    assert (body["control_id"], body["detail"]["cause"]) == ("mast.boundary", cause)
    assert text in body["reason"]
    assert plain.states["receiver"].facts == {}


def statement(name: str, *parents: str) -> Statement:
    return Statement(
        name=ClaimName(name),
        parents=tuple(ClaimName(parent) for parent in parents),
        rule="relay",
        predicate="total_charge",
        value=amount(),
    )


def test_a_correction_is_stated_again_and_sent_along():
    plain = Plain().seed()
    plain.tell("source", Revise(claim=ClaimName("root_A"), value=amount(15_600), stage="revision/0"))
    receiver, buyer = OrganizationName("receiver"), OrganizationName("buyer")
    plain.tell("source", Republish(statements=(statement("root_A"),), recipient=receiver, stage="again/0"))
    shared = statement("shared_A", "root_A")
    plain.tell("receiver", Provide(statements=(shared,), claims=(shared.name,), recipient=buyer, stage="seed/9"))
    plain.tell("receiver", Republish(statements=(shared,), recipient=buyer, stage="again/1"))
    assert plain.results[-4:] == ["published", "sent", "sent", "sent"]
    held = plain.states["buyer"].facts[shared.name]
    assert (held.value, held.revision, held.sender) == (amount(15_600), 2, "receiver")


def test_what_was_not_corrected_is_not_sent_again():
    plain = Plain().seed()
    receiver = OrganizationName("receiver")
    plain.tell("source", Republish(statements=(statement("root_A"),), recipient=receiver, stage="again/0"))
    assert plain.results[-1] == "nothing_new"


def test_a_correction_of_something_never_stated_or_against_the_agents_will_is_not_made():
    plain = Plain()
    plain.tell("source", Revise(claim=ClaimName("root_A"), value=amount(1), stage="revision/0"))
    assert plain.results == ["held"]
    plain = Plain("proceed").seed()
    plain.tell("source", Revise(claim=ClaimName("root_A"), value=amount(1), stage="revision/0"))
    assert plain.results[-1] == "held"


def test_what_was_never_stated_cannot_be_sent():
    plain = Plain()
    receiver = OrganizationName("receiver")
    plain.tell("source", Provide(statements=(), claims=(ClaimName("ghost"),), recipient=receiver))
    assert plain.results == ["refused"]
    assert plain.bodies[-1]["reason"] == "source has no statement called 'ghost'"


def test_there_is_nothing_to_recover_where_nothing_is_signed():
    plain = Plain().seed()
    act = Act(stage="repaired/A", phase="repaired", operation="approve_invoice", claims=())
    plain.tell("receiver", Recover(offers=(), act=act, stage="recover/A"))
    assert plain.results[-1] == "not_attempted"


def test_a_used_up_budget_stops_an_action_and_a_correction():
    plain = Plain().seed()
    for name in ("source", "receiver"):
        plain.states[name].settings = replace(plain.states[name].settings, budget=0)
    assert plain.act()[:2] == ("HELD", "budget")
    plain.tell("source", Revise(claim=ClaimName("root_A"), value=amount(1), stage="revision/0"))
    assert plain.results[-1] == "budget"


def test_naming_other_claims_makes_the_proposal_invalid_here_too():
    plain = Plain().seed()
    plain.agent = Tape({"task/A": {"action": "proceed", "claim_refs": ["task[1]", "task[0]"]}})
    assert plain.act() == ("INVALID", "program", "claim_refs")
