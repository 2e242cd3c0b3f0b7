"""Domain packs: the one of the published example, and what a wrong one is told."""

import pytest

from trustrail.errors import ObjectFileError
from trustrail.objects import DisplayPolicy, DomainPack, find_domain_pack, parse_object

PUBLISHED = """
schema_version: trustrail.domain_pack.v0.1
pack_id: card-servicing

entity_types:
  card:
    display_policy: masked_card_reference   # last 4 allowed, never the full number

tools:
  candidate_lookup:
    names: [get_cards, list_cards, retrieve_cards]
    result_entities_path: $.cards           # optional, auto-detected if omitted
    entity_id_path: $.card_id
    display_ref_paths: [$.masked_number, $.last4, $.display_name]

  action:
    names: [block_card, freeze_card, report_lost_card]
    entity_id_argument: card_id
    allowed_reason_values: [LOST, CUSTOMER_REQUESTED_BLOCK, LOST_OR_STOLEN]
    success:
      any_of:
        - { path: $.status,  equals: BLOCKED }
        - { path: $.success, equals: true }
        - { path: $.outcome, equals: card_blocked }
"""


def pack(text: str) -> DomainPack:
    found = parse_object(text.encode(), file="x.yaml")
    assert isinstance(found, DomainPack)
    return found


def minimal(tools: str, entity_types: str = "{card: {display_policy: full_reference}}") -> str:
    head = "schema_version: trustrail.domain_pack.v0.1\npack_id: x\n"
    return f"{head}entity_types: {entity_types}\ntools: {tools}\n"


def test_the_published_example_is_read_as_it_stands():
    found = pack(PUBLISHED)

    assert found.entity_types["card"].display_policy is DisplayPolicy.MASKED_CARD
    assert set(found.actions) == {"block_card", "freeze_card", "report_lost_card"}
    assert set(found.lookups) == {"get_cards", "list_cards", "retrieve_cards"}
    [card] = found.entities["block_card"]
    assert (card.argument, card.entity_type) == ("card_id", "card")
    assert card.values({"card_id": "CARD-001", "reason": "LOST"}) == ["CARD-001"]


OUTCOMES = {
    "a status": ({"status": "BLOCKED"}, True),
    "a flag": ({"success": True}, True),
    "an outcome": ({"outcome": "card_blocked"}, True),
    "another status": ({"status": "ACTIVE"}, False),
    "a number that is not true": ({"success": 1}, False),
    "a text that is not true": ({"success": "true"}, False),
    "nothing": ({}, False),
    "a text": ("BLOCKED", False),
}


@pytest.mark.parametrize(("result", "expected"), OUTCOMES.values(), ids=OUTCOMES)
def test_the_published_success_rule_on(result, expected):
    success = pack(PUBLISHED).actions["block_card"].success

    assert success is not None
    assert success.holds(result) is expected


@pytest.mark.parametrize("path", ["$.cards", "$.cards[*]"])
def test_a_path_to_a_list_and_a_path_to_its_items_list_the_same_entities(path):
    lookup = pack(PUBLISHED.replace("$.cards", path)).lookups["get_cards"][0]

    assert lookup.listed_entities({"cards": [{"card_id": "a"}, {"card_id": "b"}]}) == [
        {"card_id": "a"},
        {"card_id": "b"},
    ]
    assert lookup.listed_entities({"cards": []}) == []
    assert lookup.listed_entities("no cards") == []


def test_an_action_may_take_entities_of_several_types():
    entities = find_domain_pack("retail-orders").entities["exchange_delivered_order_items"]

    assert [entity.entity_type for entity in entities] == ["order", "item", "item", "payment_method"]


def test_entities_inside_a_list_of_objects_are_found_by_path():
    [_, flight, payment] = find_domain_pack("airline-reservations").entities["book_reservation"]
    arguments = {
        "flights": [{"flight_number": "HAT001"}, {"flight_number": "HAT002"}],
        "payment_methods": [{"payment_id": "gift_card_1234567"}],
    }

    assert flight.values(arguments) == ["HAT001", "HAT002"]
    assert payment.values(arguments) == ["gift_card_1234567"]


def test_a_consequential_write_is_an_action_without_entities():
    found = pack(minimal("{consequential_writes: [send_letter]}"))

    assert "send_letter" in found.actions
    assert found.entities["send_letter"] == ()


REFUSED = {
    "a tool with two roles": (
        minimal("{candidate_lookup: {names: [a]}, action: {names: [a]}}"),
        "x.yaml:4: tool 'a' has the roles candidate_lookup and action; expected one",
    ),
    "an action tool named twice": (
        minimal("{action: [{names: [a]}, {names: [a]}]}"),
        "x.yaml:4: tools.action names 'a' twice; one tool has one meaning",
    ),
    "an entity type nobody defines": (
        minimal("{action: {names: [a], entity_id_argument: i, entity_type: crd}}"),
        "x.yaml:4: entity_type is 'crd', which the pack does not define; did you mean 'card'?",
    ),
    "an entity type left open among several": (
        minimal(
            "{action: {names: [a], entity_id_argument: i}}",
            "{a: {display_policy: masked_reference}, b: {display_policy: masked_reference}}",
        ),
        "x.yaml:4: a tool binding has no entity_type, and the pack has more than one",
    ),
    "a misspelt field": (
        minimal("{action: {nams: [a]}}"),
        "x.yaml:4: tools.action has the unknown field 'nams'; did you mean 'names'?",
    ),
    "a misspelt display policy": (
        minimal("{}", "{card: {display_policy: full_referense}}"),
        "x.yaml:3: entity_types.card.display_policy is 'full_referense'; did you mean 'full_reference'?",
    ),
    "a path that does not parse": (
        minimal("{candidate_lookup: {names: [a], entity_id_path: '$.['}}"),
        "x.yaml:4: tools.candidate_lookup.entity_id_path is '$.[', which is not a JSONPath",
    ),
    "a path without a root": (
        minimal("{candidate_lookup: {names: [a], entity_id_path: card_id}}"),
        "tools.candidate_lookup.entity_id_path is 'card_id', expected a JSONPath that starts with $",
    ),
    "a condition that tests nothing": (
        minimal("{action: {names: [a], success: {any_of: [{path: $.x}]}}}"),
        "tools.action.success.any_of[0] tests nothing",
    ),
    "no entity types": (minimal("{}", "{}"), "entity_types is {}"),
    "a regular expression that does not parse": (
        minimal("{}", "{card: {display_policy: masked_reference, id_pattern: '('}}"),
        "entity_types.card.id_pattern is '(', which is not a regular expression",
    ),
}


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED)
def test_a_pack_is_refused_for(text, words):
    with pytest.raises(ObjectFileError) as caught:
        pack(text)

    assert words in str(caught.value)


def test_every_problem_of_a_file_is_reported_together():
    text = minimal("{action: {nams: [a]}, candidate_lookup: {names: 3}}", "{card: {display_policy: x, y: 1}}")

    with pytest.raises(ObjectFileError) as caught:
        pack(text)

    assert [problem.line for problem in caught.value.problems] == sorted(p.line for p in caught.value.problems)
    assert len(caught.value.problems) >= 4
