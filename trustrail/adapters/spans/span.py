"""One span, whatever export it came from, and how its attributes are read."""

from dataclasses import dataclass, field
from typing import Any

from trustrail.adapters.document import parse_embedded
from trustrail.errors import SourceError


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    """A timed note on a span, such as an exception."""

    name: str
    attributes: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One timed operation."""

    trace_id: str
    """32 hex digits where the source follows the specification."""
    span_id: str
    """16 hex digits where the source follows the specification."""
    parent_id: str | None
    name: str
    start: int
    """Nanoseconds since 1970-01-01T00:00:00Z."""
    end: int | None
    """Nanoseconds since 1970-01-01T00:00:00Z; None when the span was not ended."""
    status: str
    """UNSET, OK or ERROR. ERROR does not mean the operation failed; see the dialects."""
    status_text: str | None
    attributes: dict[str, Any]
    events: tuple[SpanEvent, ...] = field(default=())
    position: int
    """Place in the recording, from 0."""

    def text(self, *keys: str) -> str | None:
        """Return the first attribute among *keys* that is a text with at least one character."""
        for key in keys:
            value = self.attributes.get(key)
            if isinstance(value, str) and value:
                return value
        return None

    def value(self, *keys: str) -> Any:  # noqa: ANN401 - attribute value
        """Return the first attribute among *keys* that is there; JSON inside a text is parsed."""
        for key in keys:
            if key in self.attributes:
                return parsed(self.attributes[key])
        return None

    @property
    def latency(self) -> float | None:
        """How long it took, in seconds."""
        return None if self.end is None else max(0, self.end - self.start) / 1e9

    @property
    def exception(self) -> tuple[str, str] | None:
        """Type and message of the last exception noted on the span."""
        for event in reversed(self.events):
            if event.name == "exception":
                kind = str(event.attributes.get("exception.type", ""))
                return kind, str(event.attributes.get("exception.message", ""))
        return None


def parsed(value: Any) -> Any:  # noqa: ANN401 - attribute value
    """Return *value*, or what it says when it is JSON in a text."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return parse_embedded(value, "attribute")
        except SourceError:
            return value
    return value
