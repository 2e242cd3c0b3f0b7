"""The gate: what it admits, whom it asks, and how it decides, in the order of behaviour section 2.6."""

from dataclasses import replace
from typing import Any

import pytest

from mast.ids import ClaimId
from mast.protocol import gate
from mast.protocol.mechanisms import LAYERS, Checks, Freeze, Mechanisms
from tests.protocol_world import ProtocolWorld, amount, number

L1, L2, L3, L4 = (LAYERS[name] for name in ("L1", "L2", "L3", "L4"))
COARSE = replace(L3, freeze=Freeze.WORKLOAD)


class Story:
    """receiver holds middle's claim of order A, its root, and buyer's authorization."""

    def __init__(self, world: ProtocolWorld) -> None:
        self.world = world
        self.root, self.total = world.chain()
        value = {
            "approved": True,
            "currency": "CNY",
            "maximum_cents": 20_000,
            "operation": "approve_invoice",
            "order": "A",
        }
        self.authorization = world.issue("buyer", "authorization_A", predicate="invoice_authorization", value=value)
        world.hand("buyer", "receiver", self.authorization)
        self.view = world["receiver"]

    @property
    def claims(self) -> list[ClaimId]:
        return [self.total, self.authorization]

    def admit(self, mechanisms: Mechanisms = L4, operation: str = "approve_invoice", claims: Any = None) -> Any:
        return gate.admit(self.view, mechanisms, operation, self.claims if claims is None else claims)

    def questions(self, mechanisms: Mechanisms, loss: int = 100, verify: bool = False) -> gate.Questions:
        return gate.questions(self.view, mechanisms, self.claims, loss=loss, verify=verify)

    def decide(self, statuses: Any = (), facts: Any = (), operation: str = "approve_invoice", order: Any = "A") -> Any:
        return gate.decide(self.view, operation, self.claims, order, statuses=statuses, facts=facts)


@pytest.fixture
def story(world: ProtocolWorld) -> Story:
    return Story(world)


def outcome(refusal: gate.Refusal | None) -> tuple[str, str] | None:
    return None if refusal is None else (refusal.result, refusal.reason)


# --- admitting -------------------------------------------------------------------------------------------------


def test_claims_that_are_held_and_stand_are_admitted(story: Story):
    assert story.admit() is None
    assert story.admit(operation="forward", claims=[story.total]) is None


def test_what_is_not_held_needs_evidence(story: Story):
    missing = ClaimId(number(1))
    assert outcome(story.admit(claims=[story.total, missing])) == ("REQUEST_EVIDENCE", "missing_dependency")


def test_what_depends_on_something_revoked_needs_evidence(story: Story):
    revocation = story.world.revoke("source", story.root)
    story.view.revocations[story.root] = revocation
    story.view.graph.withdraw(story.root)
    assert outcome(story.admit()) == ("REQUEST_EVIDENCE", "revoked_dependency")
    assert story.admit(claims=[story.authorization]) is None


def test_a_dispute_is_not_looked_at_before_asking(story: Story):
    story.world.dispute("receiver", story.root)
    assert story.admit() is None
    assert outcome(story.decide()) == ("REQUEST_EVIDENCE", "blocked_dependency")


@pytest.mark.parametrize("how", ["revoked", "disputed"])
def test_a_workload_freeze_stops_whoever_knows_of_anything(story: Story, how: str):
    elsewhere = story.world.root("root_C", amount(order="C"))
    assert story.admit(COARSE) is None
    story.view.graph.withdraw(elsewhere) if how == "revoked" else story.world.dispute("receiver", story.root)
    assert outcome(story.admit(COARSE)) == ("BLOCKED", "workload_frozen")


NOT_ADMITTED = {
    "an unknown operation": ({"operation": "pay"}, ("BLOCKED", "unknown_operation")),
    "no claims": ({"claims": []}, ("BLOCKED", "claims_not_distinct")),
}


@pytest.mark.parametrize(("changes", "expected"), NOT_ADMITTED.values(), ids=NOT_ADMITTED)
def test_a_proposal_that_makes_no_sense_is_blocked(story: Story, changes: Any, expected: Any):
    assert outcome(story.admit(**changes)) == expected


def test_a_claim_given_twice_is_blocked(story: Story):
    assert outcome(story.admit(claims=[story.total, story.total])) == ("BLOCKED", "claims_not_distinct")


# --- asking ----------------------------------------------------------------------------------------------------


def test_each_layer_asks_about_what_it_checks(story: Story):
    roots, closure = {story.root, story.authorization}, {story.root, story.total, story.authorization}
    asked = {name: story.questions(layer) for name, layer in (("L1", L1), ("L2", L2), ("L3", L3), ("L4", L4))}
    assert {name: set(questions.status) for name, questions in asked.items()} == {
        "L1": set(),
        "L2": roots,
        "L3": closure,
        "L4": closure,
    }
    assert {name: set(questions.facts) for name, questions in asked.items()} == {
        "L1": set(),
        "L2": set(),
        "L3": set(),
        "L4": {story.root, story.total},
    }


def test_parents_are_asked_about_before_children(story: Story):
    status = story.questions(L4).status
    assert status.index(story.root) < status.index(story.total)


def test_an_agent_that_wants_to_verify_has_roots_and_amounts_asked_about_on_the_lowest_signed_layer(story: Story):
    questions = story.questions(L1, verify=True)
    assert set(questions.status) == {story.root, story.authorization}
    assert set(questions.facts) == {story.root, story.total}
    assert set(story.questions(L3, verify=True).status) == {story.root, story.total, story.authorization}


@pytest.mark.parametrize(("loss", "threshold", "asks"), [(1, 1, True), (1, 2, False), (0, 1, False), (0, 0, True)])
def test_statuses_are_asked_about_from_the_threshold_of_loss_on(story: Story, loss: int, threshold: int, asks: bool):
    mechanisms = Mechanisms(checks=Checks.CLOSURE, risk_threshold=threshold)
    assert bool(story.questions(mechanisms, loss=loss).status) == asks
    assert story.questions(mechanisms, loss=loss, verify=True).status


# --- deciding --------------------------------------------------------------------------------------------------

ANSWERS = {
    "all good": (("active", "active"), ("CONFIRMED",), None),
    "nothing was asked": ((), (), None),
    "one revoked": (("active", "revoked"), (), ("REQUEST_EVIDENCE", "status_revoked")),
    "one unknown": (("active", "unknown"), (), ("REQUEST_EVIDENCE", "status_unknown")),
    "one unavailable": (("active", "unavailable"), (), ("ESCALATE", "status_unavailable")),
    "unavailable and revoked": (("unavailable", "revoked"), (), ("REQUEST_EVIDENCE", "status_revoked")),
    "one contradicted": (("active",), ("CONFIRMED", "CONTRADICTED"), ("REQUEST_EVIDENCE", "fact_contradicted")),
    "one amount unknown": (("active",), ("UNKNOWN", "CONFIRMED"), ("REQUEST_EVIDENCE", "fact_unknown")),
    "no answer about an amount": (("active",), ("UNAVAILABLE",), ("REQUEST_EVIDENCE", "fact_unavailable")),
    "contradicted and unknown": ((), ("UNKNOWN", "CONTRADICTED"), ("REQUEST_EVIDENCE", "fact_contradicted")),
}


@pytest.mark.parametrize(("statuses", "facts", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_the_answers_decide(story: Story, statuses: Any, facts: Any, expected: Any):
    assert outcome(story.decide(statuses, facts)) == expected


def test_a_claim_that_fell_while_asking_needs_evidence(story: Story):
    story.view.graph.withdraw(story.root)
    assert outcome(story.decide(("active",))) == ("REQUEST_EVIDENCE", "blocked_dependency")


def test_the_contract_decides_last(story: Story):
    assert outcome(story.decide(order="C")) == ("BLOCKED", "cross_order")
    assert outcome(story.decide(("revoked",), order="C")) == ("REQUEST_EVIDENCE", "status_revoked")
    assert story.decide(operation="forward", order="C") is None
