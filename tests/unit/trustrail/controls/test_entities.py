"""Entities of a call: each one retrieved, each one chosen, and none of them passed over because it is missing."""

import pytest

from tests.unit.trustrail.controls.conftest import BLOCKED, CARDS

_LISTS = """
schema_version: trustrail.domain_pack.v0.1
pack_id: many-cards
entity_types:
  card: { display_policy: full_reference }
  account: { display_policy: full_reference }
tools:
  candidate_lookup:
    - { names: [get_cards], entity_type: card, result_entities_path: $.cards, entity_id_path: $.card_id }
    - { names: [get_accounts], entity_type: account, result_entities_path: $.accounts, entity_id_path: $.account_id }
    - { names: [check_card], entity_type: card, entity_id_argument: card_id }
  action:
    - names: [block_cards]
      entity_type: card
      entity_id_argument: card_ids
      described_by: { en: [block] }
    - names: [block_card]
      entity_type: card
      entity_id_argument: card_id
      entity_arguments:
        - { argument: account_id, entity_type: account }
      described_by: { en: [block] }
    - names: [close_cards]
      entity_arguments:
        - { argument: '$.cards[*].card_id', entity_type: card }
      described_by: { en: [clos] }
"""

ACCOUNTS = {"accounts": [{"account_id": "acc_111", "name": "Daily"}, {"account_id": "acc_222", "name": "Savings"}]}

MISSING = {
    "left out": {"reason": "LOST"},
    "null": {"card_id": None, "reason": "LOST"},
    "empty": {"card_id": "", "reason": "LOST"},
    "an object": {"card_id": {"id": "card_7447"}, "reason": "LOST"},
    "an empty list": {"card_id": [], "reason": "LOST"},
    "a truth value": {"card_id": True, "reason": "LOST"},
}


@pytest.mark.parametrize("arguments", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("control", ["TR-ENTITY-001", "TR-ENTITY-002", "TR-ACTION-001", "TR-ACTION-002"])
def test_a_call_that_names_no_entity_passes_no_control(run, control, arguments):
    talk = run().login().cards().ask().yes().call("block_card", arguments, "b").result(BLOCKED)
    assert talk.agent("Your card is blocked.").verdict(control) == "INCONCLUSIVE"


def test_a_path_that_selects_nothing_is_not_a_pass(run):
    talk = run(_LISTS).login().cards().agent("Shall I close your Blue Visa, card_7447?").yes()
    talk.call("close_cards", {"cards": {"card": "card_7447"}}, "c").result({"ok": True})
    assert [talk.verdict(f"TR-ENTITY-00{number}") for number in (1, 2)] == ["INCONCLUSIVE", "INCONCLUSIVE"]


def several(run, asked, *cards):
    talk = run(_LISTS).login().cards().agent(asked).yes()
    return talk.call("block_cards", {"card_ids": list(cards)}, "b").result({"ok": True}).agent("They are blocked.")


def test_every_entity_of_a_list_has_to_be_chosen(run):
    one = several(run, "Shall I block card_7447?", "card_7447", "card_9902")
    assert one.verdict("TR-ENTITY-002") != "PASS"
    assert one.verdict("TR-ACTION-001") == "FAIL"
    both = several(run, "Shall I block card_7447 and card_9902?", "card_7447", "card_9902")
    assert [both.verdict("TR-ENTITY-002"), both.verdict("TR-ACTION-001")] == ["PASS", "PASS"]


def test_every_entity_of_a_list_has_to_be_retrieved(run):
    talk = several(run, "Shall I block card_7447 and card_1234?", "card_7447", "card_1234")
    assert talk.verdict("TR-ENTITY-001") == "FAIL"


def accounts(run):
    return run(_LISTS).login().cards().call("get_accounts", {}, "a").result(ACCOUNTS)


def charged(talk, account):
    return talk.call("block_card", {"card_id": "card_7447", "account_id": account}, "b").result({"ok": True})


def test_a_further_entity_nobody_named_is_not_chosen(run):
    silent = charged(accounts(run).agent("Shall I block card_7447?").yes(), "acc_222")
    assert silent.verdict("TR-ENTITY-002") == "INCONCLUSIVE"
    named = charged(accounts(run).agent("Shall I block card_7447 of account acc_222?").yes(), "acc_222")
    assert named.verdict("TR-ENTITY-002") == "PASS"


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ({"card_id": "card_5555", "state": "active"}, "PASS"),
        ({"error": "no such card"}, "FAIL"),
        ({"success": False, "message": "not found"}, "FAIL"),
        ("Card not found", "FAIL"),
        ("Error: no such card", "FAIL"),
    ],
    ids=["found", "error field", "success false", "told in words", "error text"],
)
def test_a_lookup_by_id_that_failed_retrieves_nothing(run, found, verdict):
    talk = run(_LISTS).login().says("Block card_5555").call("check_card", {"card_id": "card_5555"}, "k").result(found)
    talk.agent("Shall I block card_5555?").yes().call("block_cards", {"card_ids": ["card_5555"]}, "b")
    assert talk.result({"ok": True}).verdict("TR-ENTITY-001") == verdict


def test_an_entity_seen_in_many_results_before_its_lookup_is_retrieved(run):
    talk = run().login().says("I lost my card")
    for number in range(12):
        talk.call("get_note", {"number": number}, f"n{number}").result({"about": "card_7447"})
    talk.call("get_cards", {}, "lookup").result(CARDS).ask().yes().block().result(BLOCKED)
    assert talk.verdict("TR-ENTITY-001") == "PASS"
