"""Read spans from the forms in which they are exported, into `Span`.

Known: OTLP/JSON (hex or base64 ids, enum names or numbers, string or number times), the OpenTelemetry SDK's
``to_json``, flat span lists with nanosecond times, and Langfuse trace exports. A span that lacks its name, id or
start is refused by place: a span tree with holes cannot be told from a tree that lost its ids.
"""

import base64
import binascii
import datetime as dt
from collections.abc import Iterator
from typing import Any, Final

from trustrail.adapters.payload import kind_of
from trustrail.adapters.spans.any_value import first, items, otlp_attributes
from trustrail.adapters.spans.span import Span, SpanEvent
from trustrail.errors import SourceError, UnknownShapeError

_STATUS: Final = {0: "UNSET", 1: "OK", 2: "ERROR"}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def is_otlp(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether *value* is one OTLP/JSON trace export."""
    return isinstance(value, dict) and ("resourceSpans" in value or "resource_spans" in value)


def is_sdk_list(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether *value* is a list of spans in the SDK's JSON form."""
    return _all_dicts(value) and all("context" in span and "start_time" in span for span in value)


def is_flat_list(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether *value* is a list of spans with their ids beside their names."""
    return _all_dicts(value) and all("span_id" in span and "start_time" in span for span in value)


def is_langfuse(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether *value* is a Langfuse export of one trace."""
    return isinstance(value, dict) and isinstance(value.get("observations"), list) and "trace" in value


def read_otlp(exports: list[Any], file: str) -> list[Span]:
    """Return the spans of OTLP/JSON exports.

    Raises:
        UnknownShapeError: if a part has another type than OTLP gives it; names the record and the span.
        SourceError: if a span lacks its name, id or start.
    """
    spans: list[Span] = []
    for number, export in enumerate(exports):
        if not is_otlp(export):
            raise UnknownShapeError(file, f"record {number} has no resourceSpans")
        try:
            for raw in _otlp_spans(export):
                spans.append(_otlp_span(raw, len(spans), file))
        except UnknownShapeError as error:
            raise UnknownShapeError(file, f"record {number}, span {len(spans)}: {error}") from error
    return spans


def _otlp_spans(export: Any) -> Iterator[Any]:  # noqa: ANN401 - source value
    for resource in items(export, "resourceSpans", "resource_spans"):
        for scope in items(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
            yield from items(scope, "spans")


def read_sdk(raw_spans: list[Any], file: str) -> list[Span]:
    """Return spans given in the form of the SDK's ``ReadableSpan.to_json``."""
    return [_sdk_span(raw, position, file) for position, raw in enumerate(raw_spans)]


def read_flat(raw_spans: list[Any], file: str) -> list[Span]:
    """Return spans given as flat records with nanosecond times."""
    return [_flat_span(raw, position, file) for position, raw in enumerate(raw_spans)]


def read_langfuse(export: dict[str, Any], file: str) -> list[Span]:
    """Return the observations of a Langfuse trace as spans.

    Langfuse moves message and tool payloads from the attributes to ``input`` and ``output``; they are put back
    under the names of the GenAI conventions.
    """
    return [_observation(_object(raw), position, file) for position, raw in enumerate(export["observations"])]


def _otlp_span(raw: Any, position: int, file: str) -> Span:  # noqa: ANN401 - source value
    place = f"span {position}"
    status = _object(raw.get("status"))
    return _span(
        place,
        file,
        trace_id=_identifier(raw, 16, "traceId", "trace_id"),
        span_id=_identifier(raw, 8, "spanId", "span_id"),
        parent_id=_identifier(raw, 8, "parentSpanId", "parent_span_id"),
        name=raw.get("name"),
        start=_nanoseconds(first(raw, "startTimeUnixNano", "start_time_unix_nano")),
        end=_nanoseconds(first(raw, "endTimeUnixNano", "end_time_unix_nano")),
        status=_status(status.get("code")),
        status_text=status.get("message"),
        attributes=otlp_attributes(raw),
        events=tuple(
            SpanEvent(name=str(event.get("name")), attributes=otlp_attributes(event)) for event in items(raw, "events")
        ),
        position=position,
    )


def _sdk_span(raw: Any, position: int, file: str) -> Span:  # noqa: ANN401 - source value
    context, status = _object(raw.get("context")), _object(raw.get("status"))
    return _span(
        f"span {position}",
        file,
        trace_id=_hex(context.get("trace_id")),
        span_id=_hex(context.get("span_id")),
        parent_id=_hex(raw.get("parent_id")),
        name=raw.get("name"),
        start=_instant(raw.get("start_time")),
        end=_instant(raw.get("end_time")),
        status=_status(status.get("status_code")),
        status_text=status.get("description"),
        attributes=_attributes(raw, position, file),
        events=_plain_events(raw.get("events"), position, file),
        position=position,
    )


def _flat_span(raw: Any, position: int, file: str) -> Span:  # noqa: ANN401 - source value
    status = _object(raw.get("status"))
    return _span(
        f"span {position}",
        file,
        trace_id=_hex(raw.get("trace_id")),
        span_id=_hex(raw.get("span_id")),
        parent_id=_hex(raw.get("parent_span_id", raw.get("parent_id"))),
        name=raw.get("name"),
        start=_instant(raw.get("start_time")),
        end=_instant(raw.get("end_time")),
        status=_status(status.get("code", status.get("status_code", raw.get("status")))),
        status_text=status.get("message"),
        attributes=_attributes(raw, position, file),
        events=_plain_events(raw.get("span_events", raw.get("events")), position, file),
        position=position,
    )


_OPERATIONS: Final = {"GENERATION": "chat", "TOOL": "execute_tool", "AGENT": "invoke_agent"}
_PAYLOADS: Final = {
    "GENERATION": ("gen_ai.input.messages", "gen_ai.output.messages"),
    "TOOL": ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result"),
}


def _observation(raw: Any, position: int, file: str) -> Span:  # noqa: ANN401 - source value
    attributes = dict(_object(_object(raw.get("metadata")).get("attributes")))
    kind = str(raw.get("type"))
    if "openinference.span.kind" not in attributes and kind in _OPERATIONS:
        attributes.setdefault("gen_ai.operation.name", _OPERATIONS[kind])
    for key, side in zip(_PAYLOADS.get(kind, ()), ("input", "output"), strict=False):
        if raw.get(side) is not None:
            attributes.setdefault(key, raw[side])
    failed = raw.get("level") == "ERROR"
    return _span(
        f"observation {position}",
        file,
        trace_id=str(raw.get("traceId") or ""),
        span_id=str(raw.get("id") or ""),
        parent_id=raw.get("parentObservationId"),
        name=raw.get("name"),
        start=_instant(raw.get("startTime")),
        end=_instant(raw.get("endTime")),
        status="ERROR" if failed else "UNSET",
        status_text=raw.get("statusMessage"),
        attributes=attributes,
        events=(),
        position=position,
    )


def _span(place: str, file: str, **fields: Any) -> Span:  # noqa: ANN401 - fields of Span
    for name in ("trace_id", "span_id", "name"):
        if not isinstance(fields[name], str) or not fields[name]:
            raise SourceError(file, f"{place} has no readable {name}, got {fields[name]!r:.40}")
    if fields["start"] is None:
        raise SourceError(file, f"{place} has no readable start time")
    for name in ("parent_id", "status_text"):
        fields[name] = fields[name] if isinstance(fields[name], str) and fields[name] else None
    return Span(**fields)


def _object(value: Any) -> dict[str, Any]:  # noqa: ANN401 - source value
    return value if isinstance(value, dict) else {}


def _all_dicts(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _identifier(raw: Any, size: int, *keys: str) -> str | None:  # noqa: ANN401 - source value
    """Return an id as hex: OTLP/JSON says hex; a plain protobuf-to-JSON conversion says base64."""
    value = first(raw, *keys)
    if not isinstance(value, str) or not value:
        return None
    if len(value) == 2 * size and set(value) <= _HEX:
        return value.lower()
    try:
        decoded = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return value
    return decoded.hex() if len(decoded) == size else value


def _hex(value: Any) -> str | None:  # noqa: ANN401 - source value
    return value.removeprefix("0x").lower() if isinstance(value, str) and value else None


def _nanoseconds(value: Any) -> int | None:  # noqa: ANN401 - source value
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value[:32])
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _instant(value: Any) -> int | None:  # noqa: ANN401 - source value
    """Return nanoseconds from a number of them, or from an ISO 8601 text with microseconds."""
    direct = _nanoseconds(value)
    if direct is not None or not isinstance(value, str):
        return direct
    try:
        moment = dt.datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=dt.UTC)
        return (moment - _EPOCH) // dt.timedelta(microseconds=1) * 1000
    except (ValueError, OverflowError):
        return None


def _status(code: Any) -> str:  # noqa: ANN401 - source value
    if isinstance(code, int):
        return _STATUS.get(code, "UNSET")
    name = str(code or "UNSET").upper().rpartition("STATUS_CODE_")[2].rpartition("STATUSCODE.")[2]
    return name if name in _STATUS.values() else "UNSET"


def _attributes(raw: dict[str, Any], position: int, file: str) -> dict[str, Any]:
    value = raw.get("attributes")
    if value is not None and not isinstance(value, dict):
        raise UnknownShapeError(file, f"span {position} has attributes that are {kind_of(value)}, expected an object")
    return value or {}


def _plain_events(raw: Any, position: int, file: str) -> tuple[SpanEvent, ...]:  # noqa: ANN401 - source value
    if raw is None:
        return ()
    if not isinstance(raw, list) or not all(isinstance(event, dict) for event in raw):
        raise UnknownShapeError(file, f"span {position} has events that are no list of objects")
    return tuple(
        SpanEvent(
            name=str(event.get("name") or event.get("event_name")),
            attributes=_object(event.get("attributes")),
        )
        for event in raw
    )
