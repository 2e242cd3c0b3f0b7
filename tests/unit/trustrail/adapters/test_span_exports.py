"""The forms in which spans are exported: one recording, the same events."""

import base64
import json

import pytest

from tests.unit.trustrail.adapters.conftest import asked, chat, said, span, tool, user
from trustrail.adapters.spans.exports import read_flat, read_otlp
from trustrail.adapters.spans.tree import build_tree
from trustrail.errors import SourceError, UnknownShapeError

TRACE = "0af7651916cd43dd8448eb211c80319c"
"""The trace id of the W3C Trace Context examples."""
IDS = ("b7ad6b7169203331", "00f067aa0ba902b7", "53995c3f42cd8ad8")


def otlp(spans: list[dict]) -> dict:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "s"}, "spans": spans}]}]}


def otlp_spans(*, base64_ids: bool = False, enum_names: bool = False, number_times: bool = False) -> list[dict]:
    def identifier(text: str) -> str:
        return base64.b64encode(bytes.fromhex(text)).decode() if base64_ids else text

    def attribute(key: str, value: str) -> dict:
        return {"key": key, "value": {"stringValue": value}}

    def time(nanoseconds: int) -> int | str:
        return nanoseconds if number_times else str(nanoseconds)

    call = json.dumps([asked(("c1", "block", {"card": "1"}))])
    rows = [
        (IDS[0], None, "invoke_agent cards", 1, [attribute("gen_ai.operation.name", "invoke_agent")]),
        (
            IDS[1],
            IDS[0],
            "chat m",
            2,
            [
                attribute("gen_ai.operation.name", "chat"),
                attribute("gen_ai.input.messages", json.dumps([user("block it")])),
                attribute("gen_ai.output.messages", call),
            ],
        ),
        (
            IDS[2],
            IDS[0],
            "execute_tool block",
            3,
            [
                attribute("gen_ai.operation.name", "execute_tool"),
                attribute("gen_ai.tool.name", "block"),
                attribute("gen_ai.tool.call.id", "c1"),
                attribute("gen_ai.tool.call.arguments", '{"card": "1"}'),
            ],
        ),
    ]
    return [
        {
            "traceId": identifier(TRACE),
            "spanId": identifier(key),
            **({"parentSpanId": identifier(parent)} if parent else {}),
            "name": name,
            "kind": "SPAN_KIND_INTERNAL" if enum_names else 1,
            "startTimeUnixNano": time(1_700_000_000_000_000_000 + start),
            "endTimeUnixNano": time(1_700_000_000_000_000_010 + start),
            "status": {"code": "STATUS_CODE_ERROR" if enum_names else 2} if name.startswith("execute") else {},
            "attributes": attributes,
        }
        for key, parent, name, start, attributes in rows
    ]


VARIANTS = {
    "as the specification says": {},
    "base64 ids": {"base64_ids": True},
    "enum names": {"enum_names": True},
    "times as numbers": {"number_times": True},
    "all three": {"base64_ids": True, "enum_names": True, "number_times": True},
}


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_every_otlp_variant_gives_the_same_events(outline, options: dict) -> None:
    assert outline(otlp(otlp_spans(**options))) == [
        ("customer", "block it"),
        ("call", "block", {"card": "1"}),
        ("result", "block", "error", None),
    ]


def test_base64_ids_are_the_hex_ids() -> None:
    hexadecimal = read_otlp([otlp(otlp_spans())], "f")
    encoded = read_otlp([otlp(otlp_spans(base64_ids=True))], "f")

    assert [span.span_id for span in hexadecimal] == list(IDS)
    assert encoded == hexadecimal


def test_otlp_values_of_every_type_are_read() -> None:
    """AnyValue of opentelemetry/proto/common/v1/common.proto."""
    values = {
        "s": ({"stringValue": "x"}, "x"),
        "b": ({"boolValue": True}, True),
        "i": ({"intValue": "12"}, 12),
        "d": ({"doubleValue": 1.5}, 1.5),
        "a": ({"arrayValue": {"values": [{"intValue": "1"}, {"stringValue": "y"}]}}, [1, "y"]),
        "m": ({"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": False}}]}}, {"k": False}),
        "n": ({}, None),
    }
    (row, *_) = otlp_spans()
    row["attributes"] = [{"key": key, "value": written} for key, (written, _) in values.items()]

    (read,) = read_otlp([otlp([row])], "f")

    assert read.attributes == {key: expected for key, (_, expected) in values.items()}


def test_otlp_exports_one_a_line_are_one_recording(outline, read) -> None:
    first, *rest = otlp_spans()
    lines = "\n".join(json.dumps(otlp(spans)) for spans in ([first], rest)).encode()

    assert len(outline(lines)) == 3


def test_sdk_form_with_text_times_gives_the_same_events(outline) -> None:
    def sdk(flat: dict, second: int) -> dict:
        return {
            "name": flat["name"],
            "context": {"trace_id": f"0x{TRACE}", "span_id": f"0x{flat['span_id']}"},
            "parent_id": None,
            "start_time": f"2026-01-01T00:00:0{second}.000001Z",
            "end_time": f"2026-01-01T00:00:0{second}.000002Z",
            "status": {"status_code": "UNSET"},
            "attributes": flat["attributes"],
            "events": [],
        }

    rows = [sdk(chat(2, [user("hi")], said("hello"), key="02"), 2), sdk(span("invocation", 1, key="01"), 1)]

    assert outline({"spans": rows}) == [("customer", "hi"), ("agent", "hello")]


def test_langfuse_observation_gets_its_payload_back(outline) -> None:
    def observation(key: str, kind: str, second: int, **more: object) -> dict:
        row = {"id": key, "traceId": "t", "type": kind, "name": kind.lower(), "parentObservationId": None}
        return {**row, "startTime": f"2026-01-01T00:00:0{second}Z", "endTime": None, "level": "DEFAULT", **more}

    recording = {
        "trace": {"id": "t"},
        "observations": [
            observation("1", "GENERATION", 1, input=[user("hi")], output=[asked(("c", "f", {"a": 1}))]),
            observation(
                "2",
                "TOOL",
                2,
                input={"a": 1},
                output="fine",
                metadata={"attributes": {"gen_ai.tool.name": "f", "gen_ai.tool.call.id": ["run", "c"]}},
            ),
        ],
    }

    assert outline(recording) == [("customer", "hi"), ("call", "f", {"a": 1}), ("result", "f", "ok", "fine")]


class TestTree:
    def test_cycle_is_refused_by_name(self, read) -> None:
        rows = [span("a", 1, key="a", parent="b"), span("b", 2, key="b", parent="a")]

        with pytest.raises(SourceError, match=r"span [ab] .* is its own ancestor"):
            read(rows)

    def test_span_that_is_its_own_parent_is_refused(self, read) -> None:
        with pytest.raises(SourceError, match=r"span a .* is its own ancestor"):
            read([span("a", 1, key="a", parent="a")])

    def test_missing_parent_is_a_visible_gap(self, read) -> None:
        (run,) = read([chat(1, [user("hi")], said("hello"), parent="lost")])

        assert run.gaps == ("1 spans name a parent that is not in the recording",)
        assert len(run.events) == 3

    def test_one_id_on_two_different_spans_is_refused(self, read) -> None:
        with pytest.raises(SourceError, match="spans 0 and 1 share the id a"):
            read([chat(1, [user("hi")], said("x"), key="a"), tool("f", 2, {}, key="a")])

    def test_the_same_span_exported_twice_counts_once(self, outline) -> None:
        row = tool("f", 1, {"a": 1}, {"ok": True}, key="a")

        assert outline([row, row]) == [("call", "f", {"a": 1}), ("result", "f", "ok", {"ok": True})]

    def test_child_that_starts_before_its_parent_still_stands_inside_it(self, outline) -> None:
        """Clocks of two machines differ; the parent link does not."""
        rows = [
            tool("outer", 10, {}, {"ok": 1}, key="outer"),
            tool("inner", 5, {}, {"ok": 2}, key="inner", parent="outer"),
        ]

        assert [line[:2] for line in outline(rows)] == [
            ("call", "outer"),
            ("call", "inner"),
            ("result", "inner"),
            ("result", "outer"),
        ]

    @pytest.mark.parametrize("missing", ["name", "span_id", "trace_id", "start_time"])
    def test_span_without_its_essentials_is_refused(self, read, missing: str) -> None:
        row = chat(1, [user("hi")], said("x"))
        row[missing] = None

        with pytest.raises(SourceError, match="span 0 has no readable"):
            read([row])

    def test_long_chain_of_parents_is_no_recursion(self, read) -> None:
        rows = [span(f"s{n}", n, key=f"{n}", parent=f"{n - 1}" if n else None) for n in range(3000)]
        rows.append(tool("f", 4000, {}, {}, parent="2999"))

        (run,) = read(rows)
        assert [event.body.type for event in run.events] == ["tool_call", "tool_result"]

    def test_depth_and_start_order_spans_that_begin_together(self) -> None:
        rows = [span("child", 1, key="c", parent="p"), span("parent", 1, key="p")]
        tree = build_tree(read_flat(rows, "f"), "f")

        assert [found.name for found in tree.spans] == ["parent", "child"]


def test_spans_of_no_known_instrumentation_are_refused_by_name(read) -> None:
    with pytest.raises(UnknownShapeError, match="no span of a known agent instrumentation; span names: GET /, SELECT"):
        read([span("GET /", 1), span("SELECT", 2)])
