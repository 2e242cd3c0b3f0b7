"""Runs of the LangChain booking agent as JSON lines: one record a line, told apart by ``type``.

Lines of ``monitor`` and ``outcome`` are another tool's judgement and give no event.
"""

from typing import Any, Final

from trustrail.adapters.adapter import Adapter
from trustrail.adapters.chat import call_arguments, message_text, text_or_none
from trustrail.adapters.document import Document
from trustrail.adapters.payload import error_text, lost_result, read_result
from trustrail.adapters.run import Run, RunWriter
from trustrail.errors import UnknownShapeError
from trustrail.events import AgentMessage, CustomerMessage, ToolCall, ToolResult

NAME: Final = "langchain-booking"
_SILENT: Final = {"meta", "monitor", "outcome"}
_SPOKEN: Final = {"user", "agent_text", "agent_tool_call", "tool_result"}


def recognises(document: Document) -> bool:
    """Whether *document* is one run in this form."""
    records = document.records()
    kinds = [_kind(record) for record in records]
    return bool(kinds) and kinds[0] == "meta" and set(kinds) <= _SILENT | _SPOKEN


def read(document: Document, test_run_id: str) -> list[Run]:
    """Return the one run of the file.

    Raises:
        UnknownShapeError: if a line has a type this adapter does not know.
    """
    writer = RunWriter(test_run_id=test_run_id, source=NAME, file=document.name)
    if not document.records():
        raise UnknownShapeError(document.name, "holds no records, expected JSON lines with a type")
    for index, record in enumerate(document.records()):
        _read_record(record, f"lines[{index}]", writer)
    return [writer.finish()]


def _kind(record: Any) -> str | None:  # noqa: ANN401 - any JSON value
    return text_or_none(record.get("type")) if isinstance(record, dict) else None


def _read_record(record: Any, place: str, writer: RunWriter) -> None:  # noqa: ANN401 - source value
    kind = _kind(record)
    if kind in _SILENT:
        return
    if kind not in _SPOKEN:
        known = ", ".join(sorted(_SILENT | _SPOKEN))
        raise UnknownShapeError(writer.file, f"{place} has the type {kind!r}, expected one of {known}")
    if kind == "agent_tool_call":
        _read_call(record, place, writer)
        return
    text = message_text(record.get("content"), place, writer)
    if kind == "user":
        writer.add(CustomerMessage(text=text), provenance=place)
    elif kind == "agent_text":
        writer.add(AgentMessage(text=text), provenance=place)
    else:
        result = read_result(text)
        failed = error_text(result)
        lost = lost_result(result, is_recorded=text is not None)
        body = ToolResult(
            call_id=None,
            tool=text_or_none(record.get("name")),
            status="error" if failed else "unknown" if lost else "ok",
            result=result,
            error=failed,
            missing=lost,
        )
        writer.add(body, provenance=place)


def _read_call(record: dict[str, Any], place: str, writer: RunWriter) -> None:
    name = text_or_none(record.get("name"))
    if name is None:
        raise UnknownShapeError(writer.file, f"{place} has no name")
    arguments = call_arguments(record.get("args"), "args")
    body = ToolCall(call_id=None, tool=name, arguments=arguments.value, missing=arguments.missing)
    writer.add(body, provenance=place)


ADAPTER = Adapter(
    name=NAME,
    summary="booking-agent runs as JSON lines with monitor records",
    recognises=recognises,
    read=read,
)
