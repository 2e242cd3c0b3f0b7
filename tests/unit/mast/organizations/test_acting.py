"""Acting, step by step: decisions, questions, refusals, and the five causes that are never merged."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from mast.ids import ClaimName, OrganizationName
from mast.organizations.agents.tape import Tape
from mast.organizations.messages import (
    UNANSWERED,
    Decision,
    Parcel,
    ParcelKind,
    PlainClaim,
    PlainNote,
    Provide,
    Question,
    Woken,
    altered_claim,
)
from mast.protocol.packets import Refusal
from tests.organization_world import Organizations
from tests.protocol_world import WORKFLOW, Entry, number, snapshot
from trustrail.foundation import SignedEnvelope


@dataclass
class Scripted:
    """Gives prepared answers, one after another."""

    answers: list[dict[str, Any]]
    name: str = "scripted"
    asked: list[Question] = field(default_factory=list)

    def decide(self, question: Question) -> Decision:
        self.asked.append(question)
        return Decision(stage=question.stage, **self.answers.pop(0))


def seeded(mechanisms: str = "L4", *answers: dict[str, Any], **settings: Any) -> Organizations:
    organizations = Organizations(mechanisms, **settings)
    organizations.seed()
    if answers:
        organizations.agents["receiver"] = Scripted(list(answers))
    return organizations


PROCEED, VERIFY, HOLD = {"action": "proceed"}, {"action": "verify"}, {"action": "hold", "reason": "odd amount"}


def test_an_approved_action_completes_once_and_its_outcome_is_signed():
    organizations = seeded()
    length = organizations.world["receiver"].journal.length
    organizations.act()
    assert organizations.outcomes() == [("COMPLETED", None, "effect applied")]
    assert organizations.reports[-1][1].result == "COMPLETED"
    assert "A" in organizations.states["receiver"].outcomes
    assert organizations.world["receiver"].journal.length > length


@pytest.mark.parametrize(("layer", "status", "facts"), [("L1", 0, 0), ("L2", 2, 0), ("L3", 3, 0), ("L4", 3, 2)])
def test_each_layer_asks_what_it_checks_and_nothing_more(layer: str, status: int, facts: int):
    """Roots are the total's and the authorization; the closure has the relayed total too."""
    organizations = seeded(layer)
    organizations.act()
    kinds = [parcel.kind for parcel in organizations.sent]
    assert (kinds.count(ParcelKind.STATUS_QUERY), kinds.count(ParcelKind.FACT_QUERY)) == (status, facts)


# --- the five causes -------------------------------------------------------------------------------------------


def test_a_hold_is_the_agents_own_decision():
    organizations = seeded("L4", HOLD)
    organizations.act()
    assert organizations.outcomes() == [("HELD", "decision", "odd amount")]
    assert not [parcel for parcel in organizations.sent if parcel.kind is ParcelKind.STATUS_QUERY]


def test_a_refusal_by_the_gate_is_the_programs():
    organizations = seeded()
    organizations.world.registry[("A", "CNY")] = Entry(15_600)
    organizations.act()
    assert organizations.outcomes() == [("REQUEST_EVIDENCE", "program", "fact_contradicted")]


def test_an_unanswered_question_escalates_as_a_transport_failure():
    organizations = seeded()
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.STATUS_QUERY
    organizations.act()
    assert organizations.outcomes() == []
    organizations.now = 16
    organizations.tell("receiver", Woken(UNANSWERED))
    assert organizations.outcomes() == [("ESCALATE", "transport", "status_unavailable")]


def test_the_clock_that_rings_early_changes_nothing():
    organizations = seeded()
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.STATUS_QUERY
    organizations.act()
    organizations.now = 15
    organizations.tell("receiver", Woken(UNANSWERED))
    assert organizations.outcomes() == []


def test_a_used_up_budget_stops_before_the_agent_is_asked():
    organizations = seeded("L4", PROCEED, PROCEED, budget=1)
    organizations.act("task/first")
    organizations.act("task/second")
    assert [outcome[:2] for outcome in organizations.outcomes()] == [("COMPLETED", None), ("HELD", "budget")]
    assert organizations.outcomes()[1][2] == "1 of 1 decisions are used up"
    assert len(organizations.agents["receiver"].asked) == 1


def test_a_handoff_without_a_receipt_leaves_the_effect_unknown():
    organizations = seeded()
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.HANDOFF
    organizations.act("forward/1", operation="forward", claims=("shared_A",), recipient="mallory", task=None)
    organizations.now = 16
    organizations.tell("receiver", Woken(UNANSWERED))
    assert organizations.outcomes() == [("EFFECT_UNKNOWN", "unknown", "unanswered")]


def test_a_providers_failure_is_transport_and_an_invalid_answer_is_the_programs():
    for origin, cause in (("provider", "transport"), ("invalid", "program"), ("tape", "decision")):
        organizations = seeded("L4", {"action": "hold", "origin": origin})
        organizations.act()
        assert organizations.outcomes()[0][:2] == ("HELD", cause)


def test_an_action_outside_the_allowed_ones_holds_and_is_not_the_agents_decision():
    organizations = seeded("L4", {"action": "approve_everything"})
    organizations.act()
    assert organizations.outcomes()[0][:2] == ("HELD", "program")


# --- verify, then proceed --------------------------------------------------------------------------------------


@pytest.mark.parametrize("layer", ["L1", "L4"])
def test_a_verified_action_has_no_effect_until_the_agent_proceeds(layer: str):
    organizations = seeded(layer, VERIFY, PROCEED)
    organizations.act()
    assert [outcome[0] for outcome in organizations.outcomes()] == ["COMPLETED"]
    first, second = organizations.agents["receiver"].asked
    assert (first.round, first.last_result, first.allowed) == (0, None, ("proceed", "verify", "hold"))
    assert (second.round, second.last_result, second.allowed) == (1, "VERIFIED", ("proceed", "hold"))


def test_verifying_tells_the_agent_of_a_contradiction_and_it_may_still_hold():
    organizations = seeded("L1", VERIFY, HOLD)
    organizations.world.registry[("A", "CNY")] = Entry(15_600)
    organizations.act()
    assert organizations.agents["receiver"].asked[1].last_result == "REQUEST_EVIDENCE"
    assert organizations.outcomes() == [("HELD", "decision", "odd amount")]


def test_there_is_no_third_round():
    organizations = seeded("L4", VERIFY, VERIFY)
    organizations.act()
    assert organizations.outcomes()[0][:2] == ("HELD", "program")


def test_verifying_asks_the_authority_on_a_layer_that_otherwise_would_not():
    organizations = seeded("L1", VERIFY, PROCEED)
    organizations.act()
    kinds = [parcel.kind for parcel in organizations.sent]
    assert (kinds.count(ParcelKind.STATUS_QUERY), kinds.count(ParcelKind.FACT_QUERY)) == (2, 2)


# --- what the agent names --------------------------------------------------------------------------------------


def refs(organizations: Organizations) -> tuple[str, str]:
    latest = organizations.world["receiver"].latest
    return latest["shared_A"].hex(), latest["authorization_A"].hex()


@pytest.mark.parametrize("names", ["hex", "slots", "mixed", "none"])
def test_the_claims_at_hand_may_be_named_by_id_or_by_slot(names: str):
    organizations = seeded()
    total, authorization = refs(organizations)
    given = {
        "hex": (total, authorization),
        "slots": ("task[0]", "task[1]"),
        "mixed": (total, "task[1]"),
        "none": None,
    }[names]
    organizations.agents["receiver"] = Scripted([{"action": "proceed", "claim_refs": given}])
    organizations.act()
    assert organizations.outcomes()[0][0] == "COMPLETED"


@pytest.mark.parametrize("names", ["nothing", "one", "swapped", "twice", "too many", "unknown"])
def test_other_claims_than_those_at_hand_make_the_proposal_invalid(names: str):
    organizations = seeded()
    total, authorization = refs(organizations)
    given = {
        "nothing": (),
        "one": (total,),
        "swapped": (authorization, total),
        "twice": (total, total),
        "too many": (total, authorization, "task[2]"),
        "unknown": (total, "ff" * 32),
    }[names]
    organizations.agents["receiver"] = Scripted([{"action": "proceed", "claim_refs": given}])
    organizations.act()
    assert organizations.outcomes() == [("INVALID", "program", "claim_refs")]
    assert not [parcel for parcel in organizations.sent if parcel.kind is ParcelKind.STATUS_QUERY]


def test_a_tape_names_claims_by_their_role():
    organizations = seeded()
    tape = {"task/A": {"action": "proceed", "claim_refs": ["@total", "@authorization"]}}
    organizations.agents["receiver"] = Tape(tape)
    organizations.act()
    assert organizations.outcomes()[0][0] == "COMPLETED"


def test_an_agent_sees_the_facts_at_hand_and_what_is_blocked():
    organizations = seeded("L4", HOLD)
    organizations.act()
    (question,) = organizations.agents["receiver"].asked
    latest = organizations.world["receiver"].latest
    assert set(question.view.facts) == {latest["shared_A"], latest["authorization_A"]}
    assert question.view.facts[latest["shared_A"]]["issuer"] == "middle"
    assert question.view.blocked == frozenset()


# --- what is missing, refused, late ----------------------------------------------------------------------------


def test_an_action_on_a_claim_that_never_came_needs_evidence():
    organizations = Organizations("L1")
    organizations.act()
    assert organizations.outcomes() == [("REQUEST_EVIDENCE", "program", "missing_dependency")]


def test_asking_stops_at_the_first_answer_that_is_not_active():
    organizations = seeded("L3")
    organizations.world.revoke("source", organizations.world["source"].latest["root_A"])
    organizations.act()
    kinds = [parcel.kind for parcel in organizations.sent]
    assert kinds.count(ParcelKind.STATUS_QUERY) == 1
    assert organizations.outcomes() == [("REQUEST_EVIDENCE", "program", "status_revoked")]
    assert organizations.world["receiver"].revocations


def test_a_late_answer_is_not_taken_for_the_answer_to_the_next_question():
    organizations = seeded("L2")
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.STATUS_REPLY
    organizations.act("task/first")
    late = next(parcel for parcel in organizations.sent if parcel.kind is ParcelKind.STATUS_REPLY)
    organizations.now = 16
    organizations.tell("receiver", Woken(UNANSWERED))
    organizations.act("task/second")
    organizations.tell("receiver", late)
    assert [outcome[0] for outcome in organizations.outcomes()] == ["ESCALATE"]
    organizations.carries = lambda parcel: True
    for parcel in [parcel for parcel in organizations.sent if parcel.kind is ParcelKind.STATUS_REPLY][1:]:
        organizations.tell("receiver", parcel)
    assert [outcome[0] for outcome in organizations.outcomes()] == ["ESCALATE", "COMPLETED"]


def test_a_tampered_handoff_is_refused_recorded_and_its_sender_told():
    organizations = Organizations("L1")
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.HANDOFF
    organizations.provide("source", "middle", "root_A")
    parcel = organizations.sent[0]
    altered = tuple(altered_claim(item, {"cents": 13_500}) for item in parcel.attached)
    forged = Parcel(parcel.kind, parcel.sender, parcel.recipient, parcel.packet, altered, parcel.turn)
    organizations.tell("middle", forged)
    assert organizations.refusals() == [("middle", "signature", "handoff")]
    answer = organizations.sent[-1]
    assert (answer.kind, answer.recipient) == (ParcelKind.REFUSAL, "source")
    refusal = organizations.world["source"].notary.read(answer.packet, Refusal)
    assert (refusal.packet, refusal.reason) == (parcel.packet.id, "signature")
    assert not organizations.world["middle"].claims
    assert organizations.reports[-1][1].result == "refused"


def refusal_by(organizations: Organizations, signer: str, packet: bytes) -> Parcel:
    """Return the refusal of *packet* as *signer* would send it to receiver."""
    refusal = organizations.world[signer].notary.sign(Refusal(signer, WORKFLOW, packet, "signature"))
    return Parcel(ParcelKind.REFUSAL, signer, "receiver", refusal)


def test_a_question_that_is_refused_counts_as_unanswered():
    organizations = seeded("L2")
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.STATUS_QUERY
    organizations.act()
    query = organizations.sent[-1]
    organizations.tell("receiver", refusal_by(organizations, "source", number(1)))
    assert organizations.outcomes() == []
    organizations.tell("receiver", refusal_by(organizations, query.recipient, query.packet.id))
    assert organizations.outcomes() == [("ESCALATE", "transport", "status_unavailable")]


def test_instructions_wait_for_their_turn():
    organizations = seeded("L2")
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.STATUS_REPLY
    organizations.act("task/first")
    organizations.act("task/second")
    assert [question.stage for question in organizations.questions] == ["task/first"]
    organizations.now = 16
    organizations.tell("receiver", Woken(UNANSWERED))
    assert [question.stage for question in organizations.questions] == ["task/first", "task/second"]


def test_an_amount_nobody_answers_about_needs_evidence_and_a_late_answer_changes_nothing():
    organizations = seeded()
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.FACT_REPLY
    organizations.act()
    for _ in range(2):
        organizations.now += 16
        organizations.tell("receiver", Woken(UNANSWERED))
    assert organizations.outcomes() == [("REQUEST_EVIDENCE", "program", "fact_unavailable")]
    count = len(organizations.records)
    for parcel in [parcel for parcel in organizations.sent if parcel.kind is ParcelKind.FACT_REPLY]:
        organizations.tell("receiver", parcel)
    assert len(organizations.records) == count


def test_a_forged_answer_is_refused_and_counts_as_none():
    organizations = seeded("L2")
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.STATUS_REPLY
    organizations.act()
    reply = organizations.sent[-1]
    broken = SignedEnvelope(reply.packet.payload, reply.packet.issuer, bytes(64))
    organizations.tell("receiver", Parcel(reply.kind, reply.sender, reply.recipient, broken))
    assert organizations.refusals() == [("receiver", "signature", "status_reply")]
    assert organizations.outcomes() == [("ESCALATE", "transport", "status_unavailable")]


def test_a_forward_to_somebody_unknown_is_blocked():
    organizations = seeded("L1")
    organizations.act("forward/1", operation="forward", claims=("shared_A",), recipient="stranger", task=None)
    assert organizations.outcomes() == [("BLOCKED", "program", "recipient")]


def test_a_forward_completes_with_what_its_recipient_said():
    organizations = seeded("L1")
    organizations.act("forward/1", operation="forward", claims=("shared_A",), recipient="mallory", task=None)
    assert organizations.outcomes() == [("COMPLETED", None, "accepted")]
    assert organizations.world["mallory"].latest["shared_A"]


def test_a_handoff_of_what_was_never_issued_is_refused_at_home():
    organizations = Organizations("L1")
    claims, middle = (ClaimName("root_A"),), OrganizationName("middle")
    organizations.tell("source", Provide(statements=(), claims=claims, recipient=middle, stage="seed/0"))
    assert organizations.refusals() == [("source", "dependency", "provide")]
    assert organizations.reports[-1][1].result == "refused"
    assert organizations.sent == []


UNSIGNED = {
    "a plain note": (PlainNote(ClaimName("root_A"), {}), ()),
    "a plain statement beside it": (None, (PlainClaim(ClaimName("x"), OrganizationName("source"), "p", {}),)),
}


@pytest.mark.parametrize(("packet", "beside"), UNSIGNED.values(), ids=UNSIGNED)
def test_what_is_not_signed_is_refused_where_everything_is(packet: Any, beside: Any):
    organizations = seeded("L1")
    handoff = organizations.sent[0]
    parcel = Parcel(handoff.kind, "source", "middle", packet or handoff.packet, beside)
    before = snapshot(organizations.world["middle"])
    organizations.tell("middle", parcel)
    assert organizations.refusals() == [("middle", "malformed", "handoff")]
    assert snapshot(organizations.world["middle"]) == before


def test_where_no_fact_authority_is_trusted_an_amount_is_not_confirmed_and_the_action_ends():
    organizations = Organizations("L4", fact_authority=None)
    organizations.world["receiver"].fact_authority = None
    organizations.seed()
    organizations.act()
    assert organizations.outcomes()[-1] == ("REQUEST_EVIDENCE", "program", "fact_unavailable")


def test_nobody_but_who_was_asked_can_refuse_a_question():
    organizations = seeded("L2")
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.STATUS_REPLY
    organizations.act()
    query = next(parcel for parcel in reversed(organizations.sent) if parcel.kind is ParcelKind.STATUS_QUERY)
    mallory = organizations.world["mallory"]
    refusal = mallory.notary.sign(Refusal("mallory", mallory.workflow, query.packet.id, "dependency"))
    organizations.tell("receiver", Parcel(ParcelKind.REFUSAL, query.recipient, query.sender, refusal))
    assert organizations.outcomes() == []


def test_an_answer_brought_by_somebody_else_is_not_taken():
    organizations = seeded("L2")
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.STATUS_REPLY
    organizations.act()
    reply = organizations.sent[-1]
    organizations.tell("receiver", Parcel(reply.kind, "mallory", reply.recipient, reply.packet, reply.attached))
    assert organizations.outcomes() == []
    organizations.carries = lambda parcel: True
    organizations.tell("receiver", reply)
    assert organizations.outcomes() == [("COMPLETED", None, "effect applied")]
