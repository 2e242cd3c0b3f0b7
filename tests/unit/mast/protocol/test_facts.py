"""Fact evidence: what the authority answers, what the asker accepts, and when that is a dispute."""

from typing import Any

import pytest

from mast.errors import (
    AuthorityRejection,
    BindingRejection,
    DependencyRejection,
    ExpiredRejection,
    MalformedRejection,
    SignatureRejection,
)
from mast.ids import ClaimId
from mast.protocol import facts
from mast.protocol.packets import Bundle, Claim, FactQuery, FactReply
from tests.protocol_world import WORKFLOW, Entry, ProtocolWorld, amount, number, refused, snapshot
from trustrail.foundation import SignedEnvelope


def question(world: ProtocolWorld, claim: ClaimId, challenge: int = 2) -> Bundle:
    return facts.ask(world["receiver"], claim, number(1), number(challenge))


def reply_to(world: ProtocolWorld, asked: Bundle, now: int = 0) -> SignedEnvelope:
    return facts.reply(world["buyer"], world.registry, asked, now)


def held(world: ProtocolWorld, value: Any = None) -> ClaimId:
    root = world.root("root_A", value or amount())
    world.hand("source", "receiver", root)
    return root


# --- answering -------------------------------------------------------------------------------------------------

RECORDS = {
    "the same amount on record": (Entry(12_800, "v7"), "CONFIRMED", "v7"),
    "another amount on record": (Entry(15_600, "v7"), "CONTRADICTED", "v7"),
    "the same amount, not confirmed": (Entry(12_800, "v7", confirmed=False), "UNKNOWN", None),
    "another amount, not confirmed": (Entry(15_600, "v7", confirmed=False), "UNKNOWN", None),
    "no record": (None, "UNKNOWN", None),
}


@pytest.mark.parametrize(("entry", "expected", "version"), RECORDS.values(), ids=RECORDS)
def test_the_authority_answers_from_its_record_and_never_gives_the_amount_away(
    world: ProtocolWorld, entry: Entry | None, expected: str, version: str | None
):
    world.registry = {} if entry is None else {("A", "CNY"): entry}
    root = held(world)
    asked = question(world, root)
    answer = reply_to(world, asked, 40)
    packet = facts.receive(world["receiver"], asked.packet, root, answer, 40)
    assert (packet.status, packet.version) == (expected, version)
    assert (packet.issued_at, packet.expires_at) == (40, 340)
    assert not {15_600, 12_800} & {field for field in packet_fields(packet) if isinstance(field, int)}


def packet_fields(packet: FactReply) -> tuple[Any, ...]:
    return tuple(getattr(packet, name) for name in packet.__struct_fields__)


def test_the_record_of_another_order_or_currency_does_not_count(world: ProtocolWorld):
    world.registry = {("C", "CNY"): Entry(12_800), ("A", "USD"): Entry(12_800)}
    root = held(world)
    asked = question(world, root)
    assert facts.receive(world["receiver"], asked.packet, root, reply_to(world, asked), 0).status == "UNKNOWN"


def test_a_question_for_another_authority_is_refused(world: ProtocolWorld):
    asked = question(world, held(world))
    with refused(world["source"], BindingRejection, "fact query is for 'buyer', and reached 'source'"):
        facts.reply(world["source"], world.registry, asked, 0)


def test_a_question_in_another_scope_is_refused(world: ProtocolWorld):
    root = held(world)
    packet = FactQuery("receiver", WORKFLOW, "buyer", "weather", root, number(1), number(2))
    asked = Bundle(world["receiver"].notary.sign(packet), (world["receiver"].envelopes[root],))
    with refused(world["buyer"], MalformedRejection, "scope 'weather', expected 'settlement_basis_v1'"):
        reply_to(world, asked)


@pytest.mark.parametrize("beside", ["nothing", "another claim", "the claim twice"])
def test_a_question_that_does_not_carry_exactly_its_claim_is_refused(world: ProtocolWorld, beside: str):
    asked = question(world, held(world))
    other = world["source"].envelopes[world.root("root_C", amount(order="C"))]
    attached = {"nothing": (), "another claim": (other,), "the claim twice": asked.attached * 2}[beside]
    with refused(world["buyer"], BindingRejection, "fact query by receiver does not carry exactly the claim"):
        reply_to(world, Bundle(asked.packet, attached))


def test_a_question_about_a_tampered_claim_is_refused(world: ProtocolWorld):
    asked = question(world, held(world))
    broken = SignedEnvelope(asked.attached[0].payload, "source", bytes(64))
    with refused(world["buyer"], SignatureRejection, "by 'source': signature .* does not hold"):
        reply_to(world, Bundle(asked.packet, (broken,)))


NOT_AN_AMOUNT = {
    "another predicate": ("charge/goods", amount()),
    "a field too many": ("total_charge", {**amount(), "note": "x"}),
    "a field too few": ("total_charge", {"order": "A", "cents": 12_800}),
    "cents below 0": ("total_charge", amount(-1)),
    "cents that are no integer": ("total_charge", {**amount(), "cents": "12800"}),
    "cents that are true": ("total_charge", {**amount(), "cents": True}),
    "an order that is no string": ("total_charge", {**amount(), "order": 1}),
    "a currency that is no string": ("total_charge", {**amount(), "currency": None}),
}


@pytest.mark.parametrize(("predicate", "value"), NOT_AN_AMOUNT.values(), ids=NOT_AN_AMOUNT)
def test_a_question_about_something_that_is_no_amount_is_refused(world: ProtocolWorld, predicate: str, value: Any):
    packet = Claim("source", WORKFLOW, "root_A", (), "relay", predicate, dict(sorted(value.items())))
    asked = facts.ask_about(world["receiver"], world["source"].notary.sign(packet), number(1), number(2))
    with refused(world["buyer"], MalformedRejection, f"claim 'root_A' states {predicate} .*, which is no amount"):
        reply_to(world, asked)


# --- asking ----------------------------------------------------------------------------------------------------


def test_a_claim_that_is_not_held_cannot_be_asked_about(world: ProtocolWorld):
    with refused(world["receiver"], DependencyRejection, "receiver cannot ask about 000000000000…"):
        question(world, ClaimId(number(1)))


def test_who_trusts_no_authority_cannot_ask(world: ProtocolWorld):
    root = held(world)
    world["receiver"].fact_authority = None
    with refused(world["receiver"], AuthorityRejection, "receiver trusts no fact authority, so nobody can be asked"):
        question(world, root)


# --- receiving -------------------------------------------------------------------------------------------------


def test_an_answer_holds_for_three_hundred_ticks(world: ProtocolWorld):
    root = held(world)
    asked = question(world, root)
    answer = reply_to(world, asked, 10)
    for now in (10, 20, 309):
        assert facts.receive(world["receiver"], asked.packet, root, answer, now).status == "CONFIRMED"
    for now in (9, 310, 10_000):
        with refused(world["receiver"], ExpiredRejection, f"from tick 10 until before 310, read at tick {now}"):
            facts.receive(world["receiver"], asked.packet, root, answer, now)


def forged_reply(world: ProtocolWorld, asked: Bundle, claim: bytes, signer: str = "buyer", **changes: Any) -> Any:
    fields = {
        "issuer": signer,
        "workflow": WORKFLOW,
        "query": asked.packet.id,
        "scope": facts.SCOPE,
        "claim": claim,
        "status": "CONFIRMED",
        "version": "v1",
        "issued_at": 0,
        "expires_at": 300,
    }
    return world[signer].notary.sign(FactReply(**{**fields, **changes}))


WRONG_ANSWERS = {
    "by somebody else": ({"signer": "mallory"}, BindingRejection, "fact reply is by 'mallory', expected 'buyer'"),
    "to another question": ({"query": number(1)}, BindingRejection, "fact reply answers 000000000000… about"),
    "about another claim": ({"claim": number(1)}, BindingRejection, "about 000000000000… in 'settlement_basis_v1'"),
    "in another scope": ({"scope": "weather"}, BindingRejection, "in 'weather', expected .* in 'settlement_basis_v1'"),
    "with an empty version": ({"version": ""}, BindingRejection, "fact reply is CONFIRMED with the version ''"),
    "without a version": ({"version": None}, BindingRejection, "fact reply is CONFIRMED with the version None"),
    "unknown with a version": ({"status": "UNKNOWN"}, BindingRejection, "fact reply is UNKNOWN with the version 'v1'"),
    "of another status": ({"status": "MAYBE"}, MalformedRejection, "Invalid enum value 'MAYBE'"),
    "valid for too long": ({"expires_at": 301}, ExpiredRejection, "valid for 301 ticks, expected 1 to 300"),
    "valid for no time at all": ({"expires_at": 0}, ExpiredRejection, "valid for 0 ticks, expected 1 to 300"),
    "issued before time began": ({"issued_at": -1}, MalformedRejection, "Expected `int` >= 0"),
    "valid for ever": ({"expires_at": 2**60}, MalformedRejection, "Expected `int` <= 9007199254740991"),
    "expiring at a fraction": ({"expires_at": 1.5}, MalformedRejection, "Expected `int`, got `float`"),
}


@pytest.mark.parametrize(("changes", "rejection", "text"), WRONG_ANSWERS.values(), ids=WRONG_ANSWERS)
def test_an_answer_that_is_not_the_authoritys_to_this_question_is_refused(
    world: ProtocolWorld, changes: dict[str, Any], rejection: Any, text: str
):
    root = held(world)
    asked = question(world, root)
    answer = forged_reply(world, asked, **{"claim": root, **changes})
    with refused(world["receiver"], rejection, text):
        facts.receive(world["receiver"], asked.packet, root, answer, 0)


def test_an_old_answer_replayed_for_a_new_question_is_refused(world: ProtocolWorld):
    root = held(world)
    answer = reply_to(world, question(world, root))
    again = question(world, root, challenge=3)
    with refused(world["receiver"], BindingRejection, "fact reply answers"):
        facts.receive(world["receiver"], again.packet, root, answer, 0)


# --- disputes --------------------------------------------------------------------------------------------------


def test_a_contradiction_disputes_the_claim_and_what_derives_from_it_and_nothing_else(world: ProtocolWorld):
    root, relayed = world.chain()
    apart = world.root("root_C", amount(order="C"))
    world.hand("source", "receiver", apart)
    world.dispute("receiver", root)
    graph = world["receiver"].graph
    assert [graph.stands(claim) for claim in (root, relayed, apart)] == [False, False, True]
    assert not world["receiver"].revocations


def test_a_dispute_never_lapses_and_a_later_confirmation_does_not_lift_it(world: ProtocolWorld):
    root, _ = world.chain()
    evidence = world.dispute("receiver", root)
    assert facts.read_dispute(world["middle"], evidence, root).status == "CONTRADICTED"
    world.registry[("A", "CNY")] = Entry(12_800)
    asked = question(world, root, challenge=9)
    later = facts.receive(world["receiver"], asked.packet, root, reply_to(world, asked, 1_000), 1_000)
    assert later.status == "CONFIRMED"
    assert not world["receiver"].graph.stands(root)


def test_applying_a_dispute_again_changes_nothing(world: ProtocolWorld):
    root, _ = world.chain()
    evidence = world.dispute("receiver", root)
    before = snapshot(world["receiver"])
    assert facts.apply_dispute(world["receiver"], root, evidence) == set()
    assert snapshot(world["receiver"]) == before


@pytest.mark.parametrize("expires_at", [5, 4])
def test_a_contradiction_that_was_never_valid_disputes_nothing(world: ProtocolWorld, expires_at: int):
    """Section 7.2: a dispute is judged at its own issue time."""
    root = held(world)
    asked = question(world, root)
    times = {"issued_at": 5, "expires_at": expires_at}
    answer = forged_reply(world, asked, root, status="CONTRADICTED", **times)
    with refused(world["receiver"], ExpiredRejection, f"valid for {expires_at - 5} ticks, expected 1 to 300"):
        facts.read_dispute(world["receiver"], Bundle(answer, (asked.packet,)), root)


def test_a_question_in_another_scope_disputes_nothing(world: ProtocolWorld):
    root = held(world)
    query = FactQuery("receiver", WORKFLOW, "buyer", "weather", root, number(1), number(2))
    asked = Bundle(world["receiver"].notary.sign(query))
    answer = forged_reply(world, asked, root, status="CONTRADICTED")
    with refused(world["receiver"], BindingRejection, "fact query by receiver asks 'buyer' about"):
        facts.read_dispute(world["receiver"], Bundle(answer, (asked.packet,)), root)


@pytest.mark.parametrize("cents", [12_800, None], ids=["CONFIRMED", "UNKNOWN"])
def test_an_answer_that_does_not_contradict_disputes_nothing(world: ProtocolWorld, cents: int | None):
    world.registry = {} if cents is None else {("A", "CNY"): Entry(cents)}
    root = held(world)
    asked = question(world, root)
    evidence = Bundle(reply_to(world, asked), (asked.packet,))
    status = "UNKNOWN" if cents is None else "CONFIRMED"
    with refused(world["receiver"], BindingRejection, f"is {status}, which disputes nothing"):
        facts.read_dispute(world["receiver"], evidence, root)


def test_a_contradiction_by_an_authority_that_is_not_trusted_here_disputes_nothing(world: ProtocolWorld):
    root, _ = world.chain()
    evidence = world.dispute("receiver", root)
    world["middle"].fact_authority = world["source"].owner
    with refused(world["middle"], BindingRejection, "asks 'buyer' about .*, expected 'source' about"):
        facts.read_dispute(world["middle"], evidence, root)


def test_a_contradiction_of_another_claim_disputes_nothing(world: ProtocolWorld):
    root, relayed = world.chain()
    evidence = world.dispute("receiver", root)
    text = f"about {root.hex()[:12]}…, expected 'buyer' about {relayed.hex()[:12]}"
    with refused(world["middle"], BindingRejection, text):
        facts.read_dispute(world["middle"], evidence, relayed)


@pytest.mark.parametrize("beside", ["nothing", "the query twice", "another query"])
def test_a_contradiction_without_its_own_query_disputes_nothing(world: ProtocolWorld, beside: str):
    root, _ = world.chain()
    evidence = world.dispute("receiver", root)
    other = question(world, root, challenge=9).packet
    attached = {"nothing": (), "the query twice": evidence.attached * 2, "another query": (other,)}[beside]
    text = "fact reply answers" if beside == "another query" else f"query beside it, {len(attached)} packets came"
    with refused(world["middle"], BindingRejection, text):
        facts.read_dispute(world["middle"], Bundle(evidence.packet, attached), root)
