"""OTLP/JSON trace exports, whole or one export a line, with hex or base64 ids, enum names or numbers."""

from typing import Final

from trustrail.adapters.adapter import Adapter
from trustrail.adapters.document import Document
from trustrail.adapters.run import Run
from trustrail.adapters.spans.exports import is_otlp, read_otlp
from trustrail.adapters.spans.runs import read_runs
from trustrail.errors import UnknownShapeError

NAME: Final = "otlp"


def recognises(document: Document) -> bool:
    """Whether every record of *document* is an OTLP/JSON export."""
    records = document.records()
    return bool(records) and all(is_otlp(record) for record in records)


def read(document: Document, test_run_id: str) -> list[Run]:
    """Return one run per conversation.

    Raises:
        UnknownShapeError: if a record is no OTLP export, or no span is of a known instrumentation.
        SourceError: if a span lacks its name, id or start, or the spans form no tree.
    """
    if not document.records():
        raise UnknownShapeError(document.name, "holds no OTLP export")
    spans = read_otlp(document.records(), document.name)
    return read_runs(spans, file=document.name, source=NAME, test_run_id=test_run_id)


ADAPTER = Adapter(
    name=NAME,
    summary="OpenTelemetry traces as OTLP/JSON, of any known agent instrumentation",
    recognises=recognises,
    read=read,
)
