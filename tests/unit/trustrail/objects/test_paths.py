"""JSONPath over payloads."""

import jsonpath
import pytest

from trustrail.objects import find_values

PAYLOAD = {
    "cards": [{"card_id": "a", "last4": "7447"}, {"card_id": "b"}],
    "status": None,
    "nested": {"deep": {"x": 1}, "x": {"x": [{"x": 2}, 3]}},
}

PATHS = [
    "$",
    "$.cards",
    "$.status",
    "$.nested.deep.x",
    "$.nested.none.x",
    "$.cards.card_id",
    "$.cards[*].card_id",
    "$..card_id",
    "$..x",
    "$..absent",
    "$.cards[?@.last4 == '7447'].card_id",
    "$.nested.*",
]


@pytest.mark.parametrize("path", PATHS)
def test_the_direct_walk_and_the_library_give_the_same_values(path):
    assert find_values(path, PAYLOAD) == jsonpath.findall(path, PAYLOAD)


@pytest.mark.parametrize("payload", ["text", 3, None, [], [PAYLOAD]])
def test_a_path_that_matches_nothing_gives_nothing(payload):
    assert find_values("$.cards", payload) == []
    assert find_values("$.cards[*].card_id", payload) == []


@pytest.mark.parametrize("path", [path for path in PATHS if path != "$"])
@pytest.mark.parametrize("text", ['{"status": "BLOC', '{"status": "BLOCKED"}', "[1, 2", "{", "["])
def test_a_text_has_no_members_even_where_it_reads_like_json(path, text):
    """A tool's answer that was cut off in the middle stays the text it is."""
    assert find_values(path, text) == []
    assert find_values("$", text) == [text]
