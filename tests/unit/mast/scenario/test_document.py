"""Plain scalars are read by the core schema of YAML 1.2, whatever older YAML made of them."""

import pytest

from mast.scenario.document import parse_document

# YAML 1.2.2, section 10.3.2: tag resolution of the core schema.
SCALARS = {
    "no": "no",
    "on": "on",
    "1_000": "1_000",
    "1:30": "1:30",
    "2026-12-01": "2026-12-01",
    "0123": 123,
    "-7": -7,
    "+7": 7,
    "1.5": 1.5,
    "2e3": 2000.0,
    ".5": 0.5,
    "true": True,
    "null": None,
    "~": None,
    "''": "",
    "'12'": "12",
    '"true"': "true",
    "": None,
}


@pytest.mark.parametrize(("text", "value"), SCALARS.items(), ids=[text or "nothing" for text in SCALARS])
def test_plain_scalar_is_what_the_core_schema_says(text: str, value: object) -> None:
    document = parse_document(f"key: {text}\n", "file")

    assert document.problems == []
    assert document.value == {"key": value}
    assert type(document.value["key"]) is type(value)


def test_the_line_of_every_value_is_known() -> None:
    document = parse_document("a: 1\nb:\n  - x\n  - c: [y,\n      z]\n", "file")

    assert document.value == {"a": 1, "b": ["x", {"c": ["y", "z"]}]}
    assert document.lines["a",] == 1
    assert document.lines["b", 0] == 3
    assert document.lines["b", 1, "c"] == 4
    assert document.lines["b", 1, "c", 1] == 5


@pytest.mark.parametrize("escape", [r"\ud800", r"\n", r"\0", r"\u202e"])
def test_a_key_that_cannot_be_printed_is_refused_and_shown_escaped(escape: str) -> None:
    document = parse_document(f'"x{escape}": 1\n', "file")

    (line,) = document.placed(document.problems)
    assert line.isascii()
    assert line.isprintable()
    assert line.endswith(" is a key with unprintable characters")


def test_a_key_that_is_a_sequence_is_refused_and_the_rest_is_read() -> None:
    document = parse_document("a: 1\n? [x, y]\n: 2\n? {z: 1}\n: 3\nb: 4\n", "file")

    assert [(problem.text, problem.line) for problem in document.problems] == [
        ("is a key that is not text", 2),
        ("is a key that is not text", 4),
    ]
    assert (document.value["a"], document.value["b"]) == (1, 4)


@pytest.mark.parametrize("text", ["9007199254740992", "-9007199254740992", "9" * 5000, ".inf", "-.INF", ".NaN"])
def test_numbers_that_not_every_reader_understands_are_refused(text: str) -> None:
    document = parse_document(f"key: {text}\n", "file")

    (problem,) = document.problems
    assert problem.path == ("key",)
    assert problem.line == 1


@pytest.mark.parametrize("text", ["9007199254740991", "-9007199254740991"])
def test_the_largest_safe_integers_are_read(text: str) -> None:
    assert parse_document(f"key: {text}\n", "file").value == {"key": int(text)}


def test_a_number_beyond_the_range_of_floats_is_refused() -> None:
    document = parse_document("key: 1e999\n", "file")

    (problem,) = document.problems
    assert "expected a finite number" in problem.text
