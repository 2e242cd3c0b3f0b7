"""Where live recorders write what they see: flat spans with the GenAI attributes, in order, under made-up ids.

What is recorded live is read again by the ``spans`` adapter, so live and offline runs take one road to events.
Ids are numbers in order of beginning, and times come from the given clock: the same run gives the same bytes.
"""

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trustrail.adapters.document import parse_document
from trustrail.adapters.payload import canonical_text, canonical_value
from trustrail.adapters.registry import get_adapter
from trustrail.adapters.run import Run
from trustrail.foundation import Clock, SystemClock, canonical_json


@dataclass(slots=True)
class OpenSpan:
    """A span that has begun. Attributes may be added until it is ended."""

    span_id: str
    record: dict[str, Any]


@dataclass(slots=True, kw_only=True)
class SpanRecorder:
    """Collects the spans of one conversation; safe to use from several threads."""

    conversation_id: str
    clock: Clock = field(default_factory=SystemClock)
    _spans: list[dict[str, Any]] = field(default_factory=list)
    _session_events: list[dict[str, Any]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _turns: int = 0
    _root: OpenSpan | None = None

    def begin_turn(self, name: str, messages: list[dict[str, Any]]) -> OpenSpan:
        """Begin the trace of one turn; *messages* are what the customer said, none where that is not known."""
        with self._lock:
            self._turns += 1
            self._root = None
        attributes: dict[str, Any] = {"gen_ai.operation.name": "invoke_agent"}
        if messages:
            attributes["gen_ai.input.messages"] = json_text(messages)
        root = self.begin(f"invoke_agent {name}", attributes)
        self._root = root
        return root

    def begin(self, name: str, attributes: dict[str, Any], parent: OpenSpan | None = None) -> OpenSpan:
        """Begin a span inside *parent*, or inside the current turn."""
        above = parent or self._root
        with self._lock:
            span_id = f"{len(self._spans) + 1:016x}"
            record: dict[str, Any] = {
                "trace_id": f"{self._turns:032x}",
                "span_id": span_id,
                "parent_span_id": above.span_id if above is not None else None,
                "name": name,
                "start_time": self._now(),
                "end_time": None,
                "status": {"code": "UNSET", "message": None},
                "attributes": canonical_value({"gen_ai.conversation.id": self.conversation_id, **attributes}),
                "events": [],
            }
            self._spans.append(record)
        return OpenSpan(span_id=span_id, record=record)

    def end(self, span: OpenSpan, attributes: dict[str, Any] | None = None, error: BaseException | None = None) -> None:
        """End *span*, with what it brought or the *error* that ended it."""
        with self._lock:
            span.record["attributes"].update(canonical_value(attributes or {}))
            span.record["end_time"] = self._now()
            if error is not None:
                kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
                words = canonical_text(str(error))
                details = {"exception.type": kind, "exception.message": words}
                span.record["status"] = {"code": "ERROR", "message": words}
                span.record["events"].append({"name": "exception", "attributes": details})

    def note_session_event(self, event: dict[str, Any]) -> None:
        """Keep an event of an ADK session that tells what no span can: approvals."""
        with self._lock:
            self._session_events.append(event)

    def document(self) -> dict[str, Any]:
        """Return the recording in the form the ``spans`` adapter reads."""
        with self._lock:
            spans = json.loads(json.dumps(self._spans))
            document: dict[str, Any] = {"spans": spans}
            if self._session_events:
                document["adk_events"] = json.loads(json.dumps(self._session_events))
        return document

    def write(self, path: Path) -> None:
        """Write the recording to *path*."""
        path.write_bytes(canonical_json(self.document()))

    def run(self, test_run_id: str) -> Run:
        """Return what was recorded as a run.

        Raises:
            UnknownShapeError: if nothing was recorded.
        """
        document = parse_document(canonical_json(self.document()), name=test_run_id)
        return get_adapter("spans").read(document, test_run_id)[0]

    def _now(self) -> str:
        """Return nanoseconds since 1970-01-01T00:00:00Z, as text: they are beyond 2**53 (OTLP/JSON does the same)."""
        return str(round(self.clock.now() * 1_000_000) * 1000)


def json_text(value: Any) -> str:  # noqa: ANN401 - any JSON-like value
    """Return *value* as text for an attribute: a text as it is, anything else as JSON, or else in its own words."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
