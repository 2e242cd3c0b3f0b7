"""Strict YAML: plain values, each with its line."""

import pytest

from trustrail.errors import ObjectFileError
from trustrail.objects import parse_yaml
from trustrail.objects.yaml_source import MAX_BYTES, read_yaml


def problems(data: bytes) -> list[str]:
    with pytest.raises(ObjectFileError) as caught:
        parse_yaml(data, file="x.yaml")
    return [str(problem) for problem in caught.value.problems]


def test_plain_values_are_read():
    text = "a: 1\nb: [x, 2.5, true, null]\nc: {d: '2026-05-03'}\ne: -3\n"

    assert parse_yaml(text.encode(), file="x.yaml").value == {
        "a": 1,
        "b": ["x", 2.5, True, None],
        "c": {"d": "2026-05-03"},
        "e": -3,
    }


def test_each_value_knows_its_line():
    source = parse_yaml(b"a: 1\nb:\n  - x\n  - y: 2\n", file="x.yaml")

    assert [source.line_of(place) for place in [("a",), ("b",), ("b", 1, "y"), ("b", 1, "z")]] == [1, 2, 4, 4]


REFUSED = {
    "an anchor": (b"a: &x 1", "x.yaml:1: sets the anchor &x"),
    "an alias": (b"a: &x 1\nb: *x", "x.yaml:2: uses the alias *x"),
    "a tag that runs code": (b"a: !!python/object/apply:os.system [ls]", "x.yaml:1: has the tag"),
    "a plain tag": (b"a: !!str 1", "x.yaml:1: has the tag"),
    "a merge key": (b"a: {<<: {b: 1}}", "x.yaml:1: uses the merge key"),
    "a repeated key": (b"a: 1\nb: 2\na: 3", "x.yaml:3: repeats the key 'a'"),
    "a key that is a list": (b"? [a]\n: 1", "has a key that is not a name"),
    "a word that is a boolean in YAML 1.1": (b"country: no", "x.yaml:1: has the word no, which YAML reads as a bool"),
    "a date": (b"a: 2026-05-03", "which YAML reads as a timestamp"),
    "a time, which is a number in base 60": (b"a: 14:40", "which YAML reads as a int"),
    "an octal number": (b"a: 0777", "which YAML reads as a int"),
    "an infinite number": (b"a: .inf", "which YAML reads as a float"),
    "a number no reader keeps exact": (b"a: 12345678901234567890", "which YAML reads as a int"),
    "two documents": (b"a: 1\n---\nb: 2", "another document"),
    "an empty file": (b"", "x.yaml:1: is empty"),
    "a comment only": (b"# nothing", "x.yaml:1: is empty"),
    "broken syntax": (b"a: [1", "x.yaml:1: is not YAML"),
    "another encoding": ("a: é".encode("latin-1"), "x.yaml:1: is not UTF-8"),
    "a control character": (b"a: \x00", "x.yaml:1: is not YAML"),
    "deep nesting": (b"[" * 5000, "nested deeper than 32"),
    "a very long file": (b"#" * (MAX_BYTES + 1), "longer than 1048576 bytes"),
}


@pytest.mark.parametrize(("data", "words"), REFUSED.values(), ids=REFUSED)
def test_a_file_is_refused_for(data, words):
    assert words in "\n".join(problems(data))


def test_an_anchor_bomb_is_refused_before_anything_is_built():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]

    assert problems("\n".join(lines).encode())[0] == "x.yaml:1: sets the anchor &a0; remove it"


def test_every_problem_is_reported():
    assert len(problems(b"a: no\nb: 1\nb: 2\nc: 2026-05-03\n")) == 3


def test_a_missing_file_is_one_problem(tmp_path):
    with pytest.raises(ObjectFileError, match=r"gone\.yaml:1: cannot be read: No such file"):
        read_yaml(tmp_path / "gone.yaml")
