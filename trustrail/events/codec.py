"""The wire form of an event stream: one JSON object a line, RFC 8785, in ``seq`` order.

Every line has exactly the fields of `FIELDS`; ``body`` holds what the event's ``type`` decides and does not
repeat the type. Reading is strict: an unknown field, a repeated key, a value without a canonical form or a
gap in ``seq`` is refused with its line number, and no event of the stream is handed out.
"""

from collections.abc import Iterable
from typing import Any, Final

from pydantic import ValidationError

from trustrail.errors import CanonicalizationError, EventFormatError
from trustrail.events.model import EVENT_TYPES, Event
from trustrail.foundation import HashChain, canonical_json, parse_json

FIELDS: Final = (
    "schema_version",
    "type",
    "seq",
    "test_run_id",
    "conversation_id",
    "turn_id",
    "agent_id",
    "parent_agent_id",
    "source",
    "provenance",
    "body",
)
"""The fields of a line, all of them always present."""


def to_wire(event: Event) -> dict[str, Any]:
    """Return *event* as the JSON object its line holds."""
    record = event.model_dump()
    record["type"] = record["body"].pop("type")
    return record


def to_line(event: Event) -> bytes:
    """Return the canonical line of *event*, without a line end.

    Raises:
        CanonicalizationError: if a payload of *event* has no canonical form; names the place.
    """
    return canonical_json(to_wire(event))


def to_lines(events: Iterable[Event]) -> bytes:
    """Return *events* as a file: one line each, each ended by a newline.

    Raises:
        CanonicalizationError: if a payload has no canonical form; names the place.
    """
    return b"".join(to_line(event) + b"\n" for event in events)


def from_line(line: bytes, *, number: int = 1) -> Event:
    """Read one event.

    Args:
        line: its bytes, without a line end.
        number: the line's number from 1, for the message.

    Raises:
        EventFormatError: if *line* is not one event of `trustrail.events.v0.1`.
    """
    try:
        record = parse_json(line)
    except CanonicalizationError as error:
        raise EventFormatError(number, str(error)) from error
    if type(record) is not dict:
        raise EventFormatError(number, f"is a JSON {type(record).__name__}, expected an object")
    _check_fields(record, number)
    body = record["body"]
    kind = record.pop("type")
    if type(body) is not dict or "type" in body:
        raise EventFormatError(number, "body must be an object that does not repeat the type")
    try:
        return Event.model_validate({**record, "body": {**body, "type": kind}})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"] if part != kind)
        raise EventFormatError(number, f"{place}: {first['msg'].lower()}, got {first['input']!r:.60}") from error


def from_lines(data: bytes) -> tuple[Event, ...]:
    """Read a whole stream.

    Raises:
        EventFormatError: at the first line that is not an event, breaks the order of ``seq``, or belongs to
            another run; also when the last line is cut off.
    """
    if not data:
        return ()
    lines = data.split(b"\n")
    if lines.pop() != b"":
        raise EventFormatError(len(lines) + 1, "is cut off: a stream ends with a newline")
    events = tuple(from_line(line, number=number) for number, line in enumerate(lines, start=1))
    for index, event in enumerate(events):
        if event.seq != index:
            raise EventFormatError(index + 1, f"seq is {event.seq}, expected {index}: the stream has a gap")
        if event.test_run_id != events[0].test_run_id:
            raise EventFormatError(
                index + 1, f"test_run_id is {event.test_run_id!r}, expected {events[0].test_run_id!r}"
            )
    return events


def stream_digest(data: bytes) -> str:
    """Return the head of the hash chain over the lines of *data*, 64 hex digits (`EventLog.digest`)."""
    chain = HashChain()
    for line in data.split(b"\n")[:-1]:
        chain.append(line)
    return chain.head.hex()


def _check_fields(record: dict[str, Any], number: int) -> None:
    unknown = sorted(record.keys() - set(FIELDS))
    if unknown:
        raise EventFormatError(number, f"has the unknown field {unknown[0]!r}, expected one of {', '.join(FIELDS)}")
    missing = [name for name in FIELDS if name not in record]
    if missing:
        raise EventFormatError(number, f"lacks the field {missing[0]!r}")
    if record["type"] not in EVENT_TYPES:
        raise EventFormatError(number, f"type is {record['type']!r:.60}, expected one of {', '.join(EVENT_TYPES)}")
