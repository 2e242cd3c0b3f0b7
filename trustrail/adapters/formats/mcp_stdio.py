"""The record of the MCP proxy: JSON-RPC messages between a client and a server, one a line.

It shows tool executions and nothing of the conversation: who asked for them, and why, stays unknown.
"""

from typing import Any, Final

from trustrail.adapters.adapter import Adapter
from trustrail.adapters.chat import call_arguments, listed, text_or_none
from trustrail.adapters.document import Document
from trustrail.adapters.payload import canonical_value, lost_result, read_result
from trustrail.adapters.run import Run, RunWriter
from trustrail.errors import UnknownShapeError
from trustrail.events import ToolCall, ToolResult

NAME: Final = "mcp-stdio"
_CALL: Final = "tools/call"


def recognises(document: Document) -> bool:
    """Whether every record of *document* is a message of the proxy."""
    records = document.records()
    return bool(records) and all(_is_record(record) for record in records)


def read(document: Document, test_run_id: str) -> list[Run]:
    """Return the one run of the file.

    Raises:
        UnknownShapeError: if a line is no message of the proxy.
    """
    writer = RunWriter(test_run_id=test_run_id, source=NAME, file=document.name)
    writer.gap("the proxy sees tool executions only, no conversation")
    open_calls: dict[str, str] = {}
    if not document.records():
        raise UnknownShapeError(document.name, "holds no message of the MCP proxy")
    for index, record in enumerate(document.records()):
        place = f"lines[{index}]"
        if not _is_record(record):
            raise UnknownShapeError(document.name, f"{place} has no direction and message")
        if "unreadable" in record:
            writer.gap(f"{place} was no JSON")
        elif isinstance(record["message"], dict):
            _read_message(record["message"], record["direction"], place, open_calls, writer)
    return [writer.finish()]


def _is_record(record: Any) -> bool:  # noqa: ANN401 - any JSON value
    return (
        isinstance(record, dict)
        and record.get("direction") in ("to-server", "to-client")
        and ("message" in record or "unreadable" in record)
    )


def _read_message(
    message: dict[str, Any], direction: str, place: str, open_calls: dict[str, str], writer: RunWriter
) -> None:
    identifier = "" if message.get("id") is None else str(message["id"])
    if direction == "to-server" and message.get("method") == _CALL:
        given = message.get("params")
        params = given if isinstance(given, dict) else {}
        tool = text_or_none(params.get("name"))
        if tool is None:
            raise UnknownShapeError(writer.file, f"{place} calls a tool without a name")
        open_calls[identifier] = tool
        arguments = call_arguments(params.get("arguments", {}), "arguments")
        body = ToolCall(call_id=identifier or None, tool=tool, arguments=arguments.value, missing=arguments.missing)
        writer.add(body, provenance=place)
    elif direction == "to-client" and "method" not in message and identifier in open_calls:
        writer.add(_result(message, identifier, open_calls.pop(identifier)), provenance=place)


def _result(message: dict[str, Any], identifier: str, tool: str) -> ToolResult:
    failure = message.get("error")
    if isinstance(failure, dict):
        words = f"{failure.get('code')}: {failure.get('message')}"
        return ToolResult(call_id=identifier, tool=tool, status="error", result=canonical_value(failure), error=words)
    result = message.get("result")
    if not isinstance(result, dict):
        return ToolResult(call_id=identifier, tool=tool, status="unknown")
    texts = [part.get("text") for part in listed(result.get("content")) if isinstance(part, dict)]
    words = "\n".join(text for text in texts if isinstance(text, str))
    structured = result.get("structuredContent")
    payload = canonical_value(structured) if structured is not None else read_result(words)
    is_error = result.get("isError") is True
    lost = None if is_error else lost_result(payload)
    return ToolResult(
        call_id=identifier,
        tool=tool,
        status="error" if is_error else "unknown" if lost else "ok",
        result=payload,
        error=words if is_error else None,
        missing=lost,
    )


ADAPTER = Adapter(
    name=NAME,
    summary="record of the MCP proxy: tool executions of an MCP server",
    recognises=recognises,
    read=read,
)
