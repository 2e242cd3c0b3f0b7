"""Chat messages as the OpenAI API writes them, and what test harnesses make of them.

Read: a list of messages; an object with ``messages`` or ``traj`` (tau-bench); a list or JSON lines of such
objects, each one run. Call ids may be present, absent or reused: they are passed on as they are, since only
order says which result answers which call. Arguments may be JSON text or a Python dict's repr.

Text and calls of one assistant message become the text first, then the calls in order.
"""

from typing import Any, Final

from trustrail.adapters.adapter import Adapter, run_ids
from trustrail.adapters.chat import call_arguments, call_list, listed, message_text, text_or_none
from trustrail.adapters.document import Document
from trustrail.adapters.payload import error_text, kind_of, lost_result, read_result
from trustrail.adapters.run import Run, RunWriter
from trustrail.errors import UnknownShapeError
from trustrail.events import AgentMessage, CustomerMessage, ToolCall, ToolResult

NAME: Final = "openai-messages"
_SILENT_ROLES: Final = {"system", "developer"}
_ROLES: Final = {"user", "assistant", "tool", "function", *_SILENT_ROLES}
_CONVERSATION_KEYS: Final = ("messages", "traj")


def recognises(document: Document) -> bool:
    """Whether *document* holds conversations of chat messages with OpenAI-style calls."""
    conversations = _conversations(document)
    return bool(conversations) and all(_is_conversation(messages) for messages in conversations)


def read(document: Document, test_run_id: str) -> list[Run]:
    """Return one run per conversation.

    Raises:
        UnknownShapeError: if a message has a role or a form this adapter does not know.
    """
    conversations = _conversations(document)
    if not conversations:
        raise UnknownShapeError(document.name, "holds no chat messages, expected a list of objects with a role")
    runs = []
    for run_id, messages in zip(run_ids(test_run_id, len(conversations)), conversations, strict=True):
        writer = RunWriter(test_run_id=run_id, source=NAME, file=document.name)
        for index, message in enumerate(messages):
            _read_message(message, f"messages[{index}]", writer)
        runs.append(writer.finish())
    return runs


def _conversations(document: Document) -> list[list[Any]]:
    records = document.records()
    if records and all(isinstance(record, dict) and "role" in record for record in records):
        return [records]
    found = []
    for record in records:
        key = next((key for key in _CONVERSATION_KEYS if isinstance(record, dict) and key in record), None)
        if key is None or not isinstance(record[key], list):
            return []
        found.append(record[key])
    return found


def _is_conversation(messages: list[Any]) -> bool:
    return bool(messages) and all(
        isinstance(message, dict)
        and text_or_none(message.get("role")) in _ROLES
        and ("content" in message or "tool_calls" in message or "function_call" in message)
        and all(isinstance(call, dict) and "function" in call for call in listed(message.get("tool_calls")))
        and "turn_idx" not in message
        for message in messages
    )


def _read_message(message: Any, place: str, writer: RunWriter) -> None:  # noqa: ANN401
    role = text_or_none(message.get("role")) if isinstance(message, dict) else None
    if role not in _ROLES:
        known = ", ".join(sorted(_ROLES))
        raise UnknownShapeError(writer.file, f"{place} has the role {role!r}, expected one of {known}")
    if role != "assistant" and _calls(message, place, writer.file):
        raise UnknownShapeError(writer.file, f"{place} has the role {role!r} and calls, expected them of an assistant")
    if role in _SILENT_ROLES:
        return
    known_gaps = len(writer.gaps)
    text = message_text(message.get("content"), place, writer)
    if text is None and isinstance(message.get("refusal"), str):
        text = message_text(message["refusal"], place, writer)
    if role == "user":
        missing = None if text is not None else "the content was not recorded"
        writer.add(CustomerMessage(text=text, missing=missing), provenance=place)
    elif role == "assistant":
        _read_assistant(message, text, place, writer)
        if text is not None and len(writer.gaps) > known_gaps:
            shown = AgentMessage(text=None, missing="what the agent showed beside its words was left out")
            writer.add(shown, provenance=place)
    else:
        _read_tool(message, text, place, writer)


def _read_assistant(message: dict[str, Any], text: str | None, place: str, writer: RunWriter) -> None:
    calls = _calls(message, place, writer.file)
    agent = message.get("name") if isinstance(message.get("name"), str) else None
    response = writer.next_response()
    if text or not calls:
        missing = None if text is not None else "the message has neither words nor calls"
        body = AgentMessage(text=text, model_turn=response, missing=missing)
        writer.add(body, provenance=place, agent_id=agent)
    for call, call_place in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise UnknownShapeError(writer.file, f"{call_place} has no function with a name")
        arguments = call_arguments(function.get("arguments"), "arguments")
        made = ToolCall(
            call_id=text_or_none(call.get("id")),
            tool=function["name"],
            arguments=arguments.value,
            model_turn=response,
            missing=arguments.missing,
        )
        writer.add(made, provenance=call_place, agent_id=agent)


def _calls(message: dict[str, Any], place: str, file: str) -> list[tuple[Any, str]]:
    """Return each call of *message* and its place."""
    calls = [(call, f"{place}.tool_calls[{number}]") for number, call in enumerate(call_list(message, place, file))]
    function = message.get("function_call")
    if isinstance(function, dict):
        calls.append(({"function": function}, f"{place}.function_call"))
    elif function:
        raise UnknownShapeError(file, f"{place}.function_call is {kind_of(function)}, expected an object")
    return calls


def _read_tool(message: dict[str, Any], text: str | None, place: str, writer: RunWriter) -> None:
    result = read_result(text)
    failed = error_text(result)
    is_error = failed is not None or message.get("status") == "error"
    lost = lost_result(result, is_recorded=text is not None)
    writer.add(
        ToolResult(
            call_id=text_or_none(message.get("tool_call_id")),
            tool=text_or_none(message.get("name")),
            status="error" if is_error else "unknown" if lost else "ok",
            result=result,
            error=failed,
            missing=lost,
        ),
        provenance=place,
    )


ADAPTER = Adapter(
    name=NAME,
    summary="chat messages in the OpenAI form, tau-bench conversations included",
    recognises=recognises,
    read=read,
)
