"""Any payload survives the wire; any bytes are a stream or refused; any text is an object or a list of problems."""

import jsonpath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustrail.errors import EventFormatError, ObjectFileError
from trustrail.events import Event, ToolResult, from_line, from_lines, to_line, to_lines
from trustrail.objects import find_values, parse_object

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
MOST = 2**53 - 1  # RFC 7493 section 2.2
NUMBERS = st.integers(-MOST, MOST) | st.floats(-MOST, MOST, allow_nan=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["a", "b", "c"])
TREES = st.recursive(
    st.integers(0, 3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)


def event(payload: object) -> Event:
    body = ToolResult(call_id="1", tool="t", status="ok", result=payload)
    return Event(seq=0, test_run_id="r", source="s", body=body)


@given(VALUES)
def test_a_payload_survives_the_wire_and_its_line_is_a_fixed_point(payload):
    line = to_line(event(payload))

    assert to_line(from_line(line)) == line
    assert from_line(line).body.result == payload


@given(st.binary(max_size=60) | TEXT.map(str.encode))
def test_any_bytes_are_a_stream_or_a_typed_refusal(data):
    try:
        events = from_lines(data)
    except EventFormatError:
        return
    assert to_lines(events) == data or data == b""


@given(st.text(max_size=80) | st.text(st.sampled_from("ab:-{}[]&*!<>\n #'\"0,|"), max_size=60))
@settings(max_examples=300)
def test_any_text_is_an_object_file_or_a_list_of_problems(text):
    with pytest.raises(ObjectFileError) as caught:
        parse_object(text.encode("utf-8", "replace"), file="x.yaml")

    assert all(problem.line >= 1 for problem in caught.value.problems)
    assert caught.value.problems


@given(TREES, st.lists(NAMES, max_size=3))
def test_the_direct_walk_selects_what_the_library_selects(payload, names):
    path = "$" + "".join(f".{name}" for name in names)

    assert find_values(path, payload) == jsonpath.findall(path, payload)


@given(TREES, NAMES)
def test_the_direct_descent_selects_what_the_library_selects(payload, name):
    assert find_values(f"$..{name}", payload) == jsonpath.findall(f"$..{name}", payload)
