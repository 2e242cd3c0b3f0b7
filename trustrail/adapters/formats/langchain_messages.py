"""LangChain messages, as a LangGraph state holds them: human, ai, tool.

Messages show one call and one result even where the tool ran twice; only spans or the live recorder tell.
"""

from typing import Any, Final

from trustrail.adapters.adapter import Adapter
from trustrail.adapters.chat import refuse_lookalikes, text_or_none
from trustrail.adapters.document import Document
from trustrail.adapters.payload import lost_result
from trustrail.adapters.run import Run, RunWriter
from trustrail.adapters.spans.messages import Answer, Message, read_message
from trustrail.errors import UnknownShapeError
from trustrail.events import AgentMessage, CustomerMessage, ToolCall, ToolResult

NAME: Final = "langchain-messages"
_TYPES: Final = {"human", "ai", "tool", "system"}


def recognises(document: Document) -> bool:
    """Whether *document* is a list of LangChain messages, or a state that holds one and no spans."""
    messages = _messages(document.value)
    return bool(messages) and all(_kind(message) in _TYPES for message in messages)


def read(document: Document, test_run_id: str) -> list[Run]:
    """Return the one run of the file.

    Raises:
        UnknownShapeError: if there are no messages, or one has a type this adapter does not know.
    """
    raw_messages = _messages(document.value)
    if not raw_messages:
        raise UnknownShapeError(document.name, "holds no LangChain messages")
    writer = RunWriter(test_run_id=test_run_id, source=NAME, file=document.name)
    for index, raw in enumerate(raw_messages):
        place = f"messages[{index}]"
        _write(_read(raw, place, document.name), text_or_none(raw.get("name")), place, writer)
    return [writer.finish()]


def _read(raw: Any, place: str, file: str) -> Message:  # noqa: ANN401 - any JSON value
    try:
        message = read_message(raw) if _kind(raw) in _TYPES else None
    except UnknownShapeError as error:
        raise UnknownShapeError(f"{file}: {place}", str(error)) from error
    if message is not None and isinstance(raw, dict):
        refuse_lookalikes(raw, place, file)
    if message is not None and message.requests and message.role != "assistant":
        raise UnknownShapeError(file, f"{place} has the type {_kind(raw)!r} and calls, expected them of an ai message")
    if message is None:
        known = ", ".join(sorted(_TYPES))
        raise UnknownShapeError(file, f"{place} has the type {_kind(raw)!r}, expected one of {known}")
    return message


def _messages(value: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        value = None if value.get("spans") else value.get("messages")
    return value if isinstance(value, list) else []


def _kind(raw: Any) -> str | None:  # noqa: ANN401 - any JSON value
    return text_or_none(raw.get("type")) if isinstance(raw, dict) else None


def _write(message: Message, name: str | None, place: str, writer: RunWriter) -> None:
    if message.role == "user":
        writer.add(CustomerMessage(text=message.text), provenance=place)
    elif message.role == "assistant":
        response = writer.next_response()
        if message.text or not message.requests:
            body = AgentMessage(text=message.text or "", model_turn=response)
            writer.add(body, provenance=place, agent_id=name)
        for number, request in enumerate(message.requests):
            call_place = f"{place}.tool_calls[{number}]"
            lost = None if request.arguments is not None else "args was not recorded or cannot be read"
            call = ToolCall(
                call_id=request.call_id,
                tool=request.tool,
                arguments=request.arguments,
                model_turn=response,
                missing=lost,
            )
            writer.add(call, provenance=call_place, agent_id=name)
    for answer in message.answers:
        writer.add(_result(answer), provenance=place)


def _result(answer: Answer) -> ToolResult:
    lost = None if answer.is_error else lost_result(answer.result, is_recorded=answer.result is not None)
    return ToolResult(
        call_id=answer.call_id,
        tool=answer.tool,
        status="error" if answer.is_error else "unknown" if lost else "ok",
        result=answer.result,
        error=answer.result if answer.is_error and isinstance(answer.result, str) else None,
        missing=lost,
    )


ADAPTER = Adapter(
    name=NAME,
    summary="LangChain messages as a LangGraph state holds them",
    recognises=recognises,
    read=read,
)
