"""Transcripts that keep the words and lose the calls: ``user:``, ``assistant:`` and ``tool:`` lines in one text.

A tool's answer without a call shows that something was executed whose name and arguments are lost; an assistant
turn written as ``None`` had no words. Both stay visible as missing.
"""

import re
from typing import Any, Final

from trustrail.adapters.adapter import Adapter, run_ids
from trustrail.adapters.document import Document
from trustrail.adapters.payload import canonical_text, error_text, lost_result, read_result
from trustrail.adapters.run import Run, RunWriter
from trustrail.errors import UnknownShapeError
from trustrail.events import AgentMessage, CustomerMessage, ToolResult

NAME: Final = "text-only"
_KEY: Final = "messages_display"
_SPEAKER: Final = re.compile(r"^(user|assistant|tool|system): ?", re.MULTILINE)


def recognises(document: Document) -> bool:
    """Whether every record of *document* is a transcript."""
    records = document.records()
    return bool(records) and all(_transcript(record) is not None for record in records)


def read(document: Document, test_run_id: str) -> list[Run]:
    """Return one run per transcript.

    Raises:
        UnknownShapeError: if there is no record, or one is no transcript.
    """
    records = document.records()
    if not records:
        raise UnknownShapeError(document.name, "holds no transcript")
    runs = []
    for run_id, record in zip(run_ids(test_run_id, len(records)), records, strict=True):
        text = _transcript(record)
        if text is None:
            raise UnknownShapeError(document.name, f"holds no transcript, expected {_KEY} with user: lines")
        writer = RunWriter(test_run_id=run_id, source=NAME, file=document.name)
        _read_transcript(text, writer)
        runs.append(writer.finish())
    return runs


def _transcript(record: Any) -> str | None:  # noqa: ANN401 - any JSON value
    text = record.get(_KEY) if isinstance(record, dict) else None
    return text if isinstance(text, str) and _SPEAKER.match(text) else None


def _read_transcript(text: str, writer: RunWriter) -> None:
    marks = list(_SPEAKER.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for index, (mark, end) in enumerate(zip(marks, ends, strict=True)):
        words = canonical_text(text[mark.end() : end].rstrip("\n"))
        place = f"messages[{index}]"
        speaker = mark.group(1)
        if speaker == "user":
            writer.add(CustomerMessage(text=words), provenance=place)
        elif speaker == "assistant":
            lost = "the words, or the calls, of this turn were not recorded" if words == "None" else None
            writer.add(AgentMessage(text=None if lost else words, missing=lost), provenance=place)
        elif speaker == "tool":
            result = read_result(words)
            failed = error_text(result)
            body = ToolResult(
                call_id=None,
                tool=None,
                status="error" if failed else "unknown" if lost_result(result) else "ok",
                result=result,
                error=failed,
                missing="the name and arguments of its call were not recorded",
            )
            writer.add(body, provenance=place)


ADAPTER = Adapter(
    name=NAME,
    summary="plain transcripts without calls; no action control can pass on them",
    recognises=recognises,
    read=read,
)
