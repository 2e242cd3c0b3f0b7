"""OTLP exports whose parts have another type than OTLP gives them are refused by name, never half read."""

import pytest

from trustrail.adapters.spans.any_value import any_value
from trustrail.errors import UnknownShapeError


def export(attribute: object = None, **fields: object) -> dict:
    """Return an export of one tool execution, with one attribute more or with other *fields*."""
    attributes = [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
        {"key": "gen_ai.tool.name", "value": {"stringValue": "block"}},
        *([] if attribute is None else [{"key": "more", "value": attribute}]),
    ]
    span = {
        "traceId": "0" * 31 + "1",
        "spanId": "0" * 15 + "1",
        "name": "execute_tool block",
        "startTimeUnixNano": "1",
        "attributes": attributes,
        **fields,
    }
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


WRONG_VALUES = {
    "a truth value as a list": ({"arrayValue": True}, "arrayValue: is a truth value, expected an object with values"),
    "a list as a list": ({"arrayValue": []}, "arrayValue: is a list, expected an object with values"),
    "a truth value as values": ({"arrayValue": {"values": True}}, "arrayValue.values: is a truth value"),
    "a wrong value inside a list": ({"arrayValue": {"values": [{"intValue": True}]}}, "intValue: is a truth value"),
    "a text as an object": ({"kvlistValue": "x"}, "kvlistValue: is a text, expected an object with values"),
    "a text as an object's values": ({"kvlistValue": {"values": "x"}}, "values: is a text, expected a list"),
    "a text among an object's values": ({"kvlistValue": {"values": ["x"]}}, "values[0]: is a text"),
    "a number as a text": ({"stringValue": 5}, "stringValue: is a number, expected a text"),
    "an object as a text": ({"stringValue": {}}, "stringValue: is an object, expected a text"),
    "a text as a truth value": ({"boolValue": "true"}, "boolValue: is a text, expected a truth value"),
    "words as a number": ({"intValue": "many"}, "intValue: is 'many', expected a whole number"),
    "superscripts as a number": ({"intValue": "²"}, "intValue: is '²', expected a whole number"),
    "two signs": ({"intValue": "--5"}, "intValue: is '--5', expected a whole number"),
    "an unknown type": ({"listValue": []}, "value: has listValue, expected one of stringValue"),
    "a list without a type": ([1], "value: is a list, expected an object that names a type"),
}


@pytest.mark.parametrize(("value", "words"), WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_an_attribute_is_refused_that_is(read, value, words):
    with pytest.raises(UnknownShapeError) as caught:
        read(export(value))

    assert str(caught.value).startswith(f"recording.json: record 0, span 0: attribute 'more': {words}")


WRONG_PARTS = {
    "attributes that are an object": (export(attributes={"a": 1}), "attributes: is an object, expected a list"),
    "attributes that are texts": (export(attributes=["a"]), "attributes[0]: is a text, expected an object"),
    "an attribute without a name": (export(attributes=[{"value": {}}]), "attributes[0]: has no key"),
    "events that are a text": (export(events="x"), "events: is a text, expected a list"),
    "spans that are an object": (
        {"resourceSpans": [{"scopeSpans": [{"spans": {}}]}]},
        "spans: is an object, expected a list",
    ),
    "resources that are a text": ({"resourceSpans": "x"}, "resourceSpans: is a text, expected a list"),
}


@pytest.mark.parametrize(("value", "words"), WRONG_PARTS.values(), ids=WRONG_PARTS)
def test_an_export_is_refused_with(read, value, words):
    with pytest.raises(UnknownShapeError) as caught:
        read(value)

    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [({}, None), (None, None), ("plain", "plain"), ({"stringValue": None}, None), ({"bytesValue": "aGk="}, "aGk="),
     ({"arrayValue": {}}, []), ({"int_value": "-7"}, -7), ({"doubleValue": "NaN"}, "NaN")],
)  # fmt: skip
def test_a_value_that_is_absent_or_written_plainly_is_read(value, expected):
    assert any_value(value) == expected


@pytest.mark.parametrize("field", [{"attributes": [1]}, {"attributes": "x"}, {"events": "x"}, {"events": [1]}])
def test_spans_of_the_sdk_are_refused_alike(read, field):
    flat = {"trace_id": "1", "span_id": "1", "name": "x", "start_time": 1}
    sdk = {"context": {"trace_id": "1", "span_id": "1"}, "name": "x", "start_time": "2026-05-03T14:40:00Z"}

    for span in (flat, sdk):
        with pytest.raises(UnknownShapeError, match=r"span 0 has (attributes|events) that are"):
            read([{**span, **field}])


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_at_the_edge_of_the_calendar_is_read_or_refused(read, time):
    with pytest.raises(UnknownShapeError):
        read([{"trace_id": "1", "span_id": "1", "name": "x", "start_time": time}])
