"""One value, one encoding; and what has no canonical form is refused by place."""

import math
from typing import Any

import msgpack
import msgspec
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from trustrail.errors import CanonicalizationError
from trustrail.foundation import (
    MAX_DEPTH,
    MAX_SAFE_INTEGER,
    canonical_json,
    canonical_json_lines,
    canonical_msgpack,
    canonical_struct,
    parse_json,
    parse_msgpack,
)

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
JSON_VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))
PACKED_VALUES = st.recursive(
    LEAVES | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.dictionaries(TEXT, inner, max_size=4),
)


def survives_as_integer(number: float) -> bool:
    """Whether what RFC 8785 writes for a whole double is an integer that the strict reader accepts."""
    return not (number.is_integer() and MAX_SAFE_INTEGER < abs(number) < 1e21)


READABLE_VALUES = st.recursive(
    LEAVES.filter(lambda leaf: not isinstance(leaf, float) or survives_as_integer(leaf)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
)


def nested(depth: int, leaf: Any = 0) -> Any:
    value = leaf
    for _ in range(depth):
        value = [value]
    return value


@given(JSON_VALUES)
@settings(max_examples=300, derandomize=True, deadline=None)
def test_canonical_json_is_what_the_rfc_8785_library_writes(value: Any):
    assert canonical_json(value) == rfc8785.dumps(value)


@given(READABLE_VALUES)
@settings(max_examples=150, derandomize=True, deadline=None)
def test_canonical_json_is_a_fixed_point_of_reading_and_writing(value: Any):
    once = canonical_json(value)
    assert canonical_json(parse_json(once)) == once


@given(PACKED_VALUES)
@settings(max_examples=200, derandomize=True, deadline=None)
def test_canonical_msgpack_is_a_fixed_point_of_reading_and_writing(value: Any):
    once = canonical_msgpack(value)
    assert canonical_msgpack(parse_msgpack(once)) == once


@given(st.dictionaries(TEXT, LEAVES, min_size=2, max_size=5))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_the_order_of_keys_does_not_show_in_the_bytes(value: dict[str, Any]):
    turned = dict(reversed(value.items()))
    assert canonical_json(turned) == canonical_json(value)
    assert canonical_msgpack(turned) == canonical_msgpack(value)


class Parcel(msgspec.Struct, array_like=True, tag="parcel"):
    name: str
    weight: int
    content: dict[str, Any]
    label: bytes


@given(TEXT, st.integers(0, MAX_SAFE_INTEGER), st.dictionaries(TEXT, LEAVES, max_size=4), st.binary(max_size=40))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_a_struct_has_the_canonical_bytes_of_its_fields(name: str, weight: int, content: dict[str, Any], label: bytes):
    as_array = ("parcel", name, weight, content, label)
    assert canonical_struct(Parcel(name, weight, content, label)) == canonical_msgpack(as_array)


class Line(msgspec.Struct):
    sequence: int
    body: Any
    agent: str | None


@given(st.integers(0, MAX_SAFE_INTEGER), JSON_VALUES, TEXT | st.none())
@settings(max_examples=150, derandomize=True, deadline=None)
def test_a_struct_has_the_canonical_json_of_its_fields_as_an_object(sequence: int, body: Any, agent: str | None):
    as_object = {"sequence": sequence, "body": body, "agent": agent}
    assert canonical_json_lines([Line(sequence, body, agent)], [body]) == [rfc8785.dumps(as_object)]


@pytest.mark.parametrize("body", [{"a": b"x"}, {"a": math.nan}, {"a": "\ud800"}, {"a": 2**53}], ids=str)
def test_a_struct_with_a_free_part_that_has_no_canonical_form_is_refused(body: Any):
    with pytest.raises(CanonicalizationError, match=r"\ba\b"):
        canonical_json_lines([Line(1, body, None)], [body])


NO_CANONICAL_FORM = {
    "a lone high surrogate": ({"a": ["\ud800"]}, r"\$\.a\[0\]: has the lone surrogate U\+D800 at index 0"),
    "a lone low surrogate in a key": ({"x\udc00": 1}, r"\$: has the lone surrogate U\+DC00 at index 1"),
    "not a number": ({"a": {"b": math.nan}}, r"\$\.a\.b: is nan, expected a finite number"),
    "infinity": ([math.inf], r"\$\[0\]: is inf, expected a finite number"),
    "minus infinity": ([0, -math.inf], r"\$\[1\]: is -inf, expected a finite number"),
    "2**53": ({"cents": 2**53}, r"\$\.cents: is 9007199254740992, expected an integer within"),
    "-(2**53)": ({"cents": -(2**53)}, r"\$\.cents: is -9007199254740992, expected an integer within"),
    "a thousand bits": ([1 << 1000], r"\$\[0\]: is an integer of 1001 bits, expected"),
    "a key that is no string": ({1: "x"}, r"\$: has the key 1, expected a string"),
    "a set": ({"a": {1}}, r"\$\.a: is a set, which has no canonical form"),
    "nested 10,000 deep": (nested(10_000), rf"is nested deeper than {MAX_DEPTH}"),
}


@pytest.mark.parametrize("write", [canonical_json, canonical_msgpack])
@pytest.mark.parametrize(("value", "problem"), NO_CANONICAL_FORM.values(), ids=NO_CANONICAL_FORM)
def test_what_has_no_canonical_form_is_refused_by_place(write: Any, value: Any, problem: str):
    with pytest.raises(CanonicalizationError, match=problem) as caught:
        write(value)
    assert str(caught.value) == f"{caught.value.path}: {caught.value.problem}"


def test_bytes_have_a_packed_form_and_no_json_form():
    assert parse_msgpack(canonical_msgpack({"a": b"\x00"})) == {"a": b"\x00"}
    with pytest.raises(CanonicalizationError, match=r"\$\.a: is a bytes"):
        canonical_json({"a": b"\x00"})


def test_the_deepest_nesting_allowed_is_written_and_read_and_one_more_is_not():
    for write, read in ((canonical_json, parse_json), (canonical_msgpack, parse_msgpack)):
        once = write(nested(MAX_DEPTH))
        assert write(read(once)) == once
        with pytest.raises(CanonicalizationError, match="nested deeper"):
            write(nested(MAX_DEPTH + 1))


def test_minus_zero_is_written_as_zero():
    assert canonical_json([-0.0, 0.0, 0]) == b"[0,0,0]"


def test_a_whole_double_of_2_to_the_53_is_written_as_rfc_8785_says_and_refused_on_reading():
    """Written it looks like an integer that other readers may round, and such integers are not read."""
    assert canonical_json(2.0**53) == b"9007199254740992"
    with pytest.raises(CanonicalizationError, match="expected an integer within"):
        parse_json(b"9007199254740992")


NOT_JSON = {
    "a repeated key": ('{"a": 1, "a": 1}', "repeats the key 'a'"),
    "a repeated key inside": ('[{"a": {"b": 1, "b": 2}}]', "repeats the key 'b'"),
    "NaN": ('{"a": NaN}', "has the number NaN, expected a finite number"),
    "minus infinity": ("[-Infinity]", "has the number -Infinity, expected a finite number"),
    "a number too large for a double": ("[1e400]", r"\$\[0\]: is inf, expected a finite number"),
    "2**53": ('{"cents": 9007199254740992}', r"\$\.cents: is 9007199254740992, expected an integer"),
    "an integer of 5,000 digits": ("9" * 5_000, "has the integer 99999999999999999999…, expected one within"),
    "an escaped lone surrogate": (r'{"a": "\ud800"}', r"\$\.a: has the lone surrogate U\+D800"),
    "bytes that are not UTF-8": (b'"\xff"', "is not UTF-8: invalid start byte at byte 1"),
    "the end is missing": ('{"a": [1,', "is not JSON: .* at line 1 column"),
    "something follows": ("{} {}", "is not JSON: Extra data at line 1 column 4"),
    "nested 10,000 deep": ("[" * 10_000 + "]" * 10_000, "is nested deeper than"),
    "empty": ("", "is not JSON"),
}


@pytest.mark.parametrize(("document", "problem"), NOT_JSON.values(), ids=NOT_JSON)
def test_json_that_is_not_strict_is_refused(document: str | bytes, problem: str):
    with pytest.raises(CanonicalizationError, match=problem):
        parse_json(document)


NOT_MSGPACK = {
    "empty": (b"", "is not MessagePack"),
    "truncated array": (b"\x93\x01\x02", "is not MessagePack"),
    "truncated string": (b"\xa5abc", "is not MessagePack"),
    "trailing bytes": (b"\x01\x02", "is not MessagePack"),
    "a repeated key": (b"\x82\xa1a\x01\xa1a\x02", "repeats the key 'a'"),
    "a key that is no string": (b"\x81\x01\x02", "is not MessagePack"),
    "a string that is not UTF-8": (b"\xa1\xff", "is not MessagePack"),
    "a byte that begins nothing": (b"\xc1", "is not MessagePack"),
    "nested 10,000 deep": (b"\x91" * 10_000 + b"\x00", "is not MessagePack|nested deeper"),
}


@pytest.mark.parametrize(("data", "problem"), NOT_MSGPACK.values(), ids=NOT_MSGPACK)
def test_msgpack_that_is_not_strict_is_refused(data: bytes, problem: str):
    with pytest.raises(CanonicalizationError, match=problem):
        parse_msgpack(data)


def test_every_truncation_of_a_packed_value_is_refused():
    data = canonical_msgpack({"claim": ("root_A", 12_800, None, b"\x00" * 32), "order": "A"})
    for length in range(len(data)):
        with pytest.raises(CanonicalizationError):
            parse_msgpack(data[:length])


def test_a_packed_value_longer_than_allowed_is_refused_with_both_lengths():
    with pytest.raises(CanonicalizationError, match="is 11 bytes long, expected at most 10"):
        parse_msgpack(msgpack.packb("a" * 10), max_bytes=10)
