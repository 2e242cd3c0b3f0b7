"""Span lists as the OpenTelemetry SDK, trace stores and test harnesses write them.

Read: a list of spans, or an object with ``spans`` and what the framework said beside them (``adk_events``), or a
Langfuse export of one trace.
"""

import functools
from collections.abc import Callable
from typing import Any, Final

from trustrail.adapters.adapter import Adapter
from trustrail.adapters.document import Document
from trustrail.adapters.run import Run
from trustrail.adapters.spans import exports
from trustrail.adapters.spans.runs import read_runs
from trustrail.adapters.spans.span import Span
from trustrail.errors import UnknownShapeError

NAME: Final = "spans"


def recognises(document: Document) -> bool:
    """Whether *document* holds spans in a known form other than OTLP."""
    return _form(document.value) is not None


def read(document: Document, test_run_id: str) -> list[Run]:
    """Return one run per conversation.

    Raises:
        UnknownShapeError: if the spans have no known form, or none is of a known instrumentation.
        SourceError: if a span lacks its name, id or start, or the spans form no tree.
    """
    form = _form(document.value)
    if form is None:
        expected = "SDK spans, flat spans or a Langfuse export"
        raise UnknownShapeError(document.name, f"holds no spans in a known form, expected {expected}")
    beside = document.value if isinstance(document.value, dict) else {}
    return read_runs(
        form(document.name),
        file=document.name,
        source=NAME,
        test_run_id=test_run_id,
        session_events=beside.get("adk_events"),
    )


def _form(value: Any) -> Callable[[str], list[Span]] | None:  # noqa: ANN401 - any JSON value
    """Return how to read the spans in *value*, None if their form is not known."""
    if exports.is_langfuse(value):
        return functools.partial(exports.read_langfuse, value)
    inner: Any = value.get("spans") if isinstance(value, dict) else value
    if exports.is_sdk_list(inner):
        return functools.partial(exports.read_sdk, inner)
    if exports.is_flat_list(inner):
        return functools.partial(exports.read_flat, inner)
    return None


ADAPTER = Adapter(
    name=NAME,
    summary="OpenTelemetry span lists (SDK, flat, Langfuse), with ADK session events beside them",
    recognises=recognises,
    read=read,
)
