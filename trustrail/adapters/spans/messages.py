"""What a model was given and what it answered, read from any of the forms frameworks write.

Read: OpenAI chat messages, GenAI-convention messages with parts, ADK contents, LangChain messages (plain, wrapped
in ``data`` or in a constructor's ``kwargs``) and OpenAI response items.
"""

import re
from dataclasses import dataclass, replace
from typing import Any, Final

from trustrail.adapters.chat import listed, text_or_none
from trustrail.adapters.payload import error_text, kind_of, read_arguments, read_result
from trustrail.adapters.spans.span import parsed
from trustrail.errors import UnknownShapeError, UnreadablePayloadError

_ROLES: Final = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant",
    "AIMessageChunk": "assistant", "tool": "tool", "function": "tool", "system": "system", "developer": "system",
}  # fmt: skip
_TEXT_TYPES: Final = {None, "text", "input_text", "output_text"}
_CALL_TYPES: Final = frozenset({"tool_call", "tool_use", "tool_call_response", "tool_result"})
_LIKE_CALLS: Final = re.compile(
    r"(?:server_)?(?:tool|function)[-_]?(?:call|use|invocation|result|response)(?:[-_]?\w+)?", re.IGNORECASE
)
_QUOTED_ACTION: Final = re.compile(r"^\[[^\]]+\] (said|called tool|`[^`]+` tool returned)")
"""ADK rewrites what another agent did as a user message: "For context:" and then quoted actions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A call the model asked for."""

    call_id: str | None
    tool: str
    arguments: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A tool's answer as the model was given it."""

    call_id: str | None
    tool: str | None
    result: Any
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message to or from a model."""

    role: str
    """user, assistant, tool or system."""
    text: str | None = None
    requests: tuple[Request, ...] = ()
    answers: tuple[Answer, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not (self.text or self.requests or self.answers)


def read_messages(value: Any) -> tuple[Message, ...] | None:  # noqa: ANN401 - source value
    """Return the messages in *value*; None if it holds none that are known.

    Raises:
        UnknownShapeError: if a message lists calls in a form that is not known.
    """
    value = parsed(value)
    if isinstance(value, dict):
        inner = next((value[key] for key in ("messages", "contents", "input", "output") if key in value), None)
        return read_messages(inner if isinstance(inner, list) else [value])
    if not isinstance(value, list):
        return None
    if len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    messages = [read_message(item) for item in value]
    found = tuple(message for message in messages if message is not None)
    return found or None


def read_message(raw: Any) -> Message | None:  # noqa: ANN401 - source value
    """Return one message, or None if *raw* is none.

    Raises:
        UnknownShapeError: if it lists calls in a form that is not known.
    """
    if isinstance(raw, str):
        return Message(role="user", text=raw)
    if not isinstance(raw, dict):
        return None
    for wrapper in ("kwargs", "data"):
        if isinstance(raw.get(wrapper), dict) and "content" in raw[wrapper]:
            raw = raw[wrapper]
    kind = raw.get("type")
    if kind == "function_call":
        return Message(role="assistant", requests=_requests([raw]))
    if kind == "function_call_output":
        return Message(role="tool", answers=(_answer(raw, raw.get("output")),))
    role = _ROLES.get(str(raw.get("role") or kind))
    if role is None:
        return None
    parts = listed(raw.get("parts")) or listed(raw.get("content"))
    if role != "tool" and not parts and not isinstance(raw.get("content"), str | list | None):
        raise UnknownShapeError("content", f"is {kind_of(raw['content'])}, expected text or a list of parts")
    message = _from_parts(role, parts) if parts else Message(role=role, text=text_or_none(raw.get("content")))
    message = replace(message, requests=message.requests + _requests(_listed_calls(raw)))
    if role == "tool" and not message.answers:
        content = message.text if message.text is not None else raw.get("content")
        return Message(role="tool", answers=(_answer(raw, content),))
    return message


def tool_message_answer(raw: Any) -> Answer | None:  # noqa: ANN401 - source value
    """Return the answer inside a serialised LangChain tool message or a command that carries one."""
    raw = parsed(raw)
    if not isinstance(raw, dict):
        return None
    if isinstance(raw.get("update"), dict):
        inner = [tool_message_answer(item) for item in listed(raw["update"].get("messages"))]
        return next((answer for answer in inner if answer is not None), None)
    message = read_message(raw) if ("data" in raw or "kwargs" in raw or raw.get("type") == "tool") else None
    return message.answers[0] if message is not None and message.answers else None


def call_identifier(value: Any) -> str | None:  # noqa: ANN401 - source value
    """Return a call id; of a list of ids (run id, call id) the last."""
    value = parsed(value)
    if isinstance(value, list):
        return text_or_none(value[-1]) if value else None
    return None if value == "<not specified>" else text_or_none(value)


def arguments_or_none(raw: Any) -> dict[str, Any] | None:  # noqa: ANN401 - source value
    """Return call arguments, None where they are absent or unreadable."""
    try:
        return read_arguments(raw, "arguments")
    except UnreadablePayloadError:
        return None


def _from_parts(role: str, parts: list[Any]) -> Message:
    texts: list[str] = []
    requests: list[Request] = []
    answers: list[Answer] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            _read_part(part, texts, requests, answers)
    if role == "user" and _is_quoted_context(texts):
        return Message(role="system")
    text = "\n".join(texts) if texts else None
    kept_role = "tool" if answers and not texts else role
    return Message(role=kept_role, text=text, requests=tuple(requests), answers=tuple(answers))


def _read_part(part: dict[str, Any], texts: list[str], requests: list[Request], answers: list[Answer]) -> None:
    call = part.get("function_call", part.get("functionCall"))
    response = part.get("function_response", part.get("functionResponse"))
    kind = text_or_none(part.get("type"))
    _refuse_unknown_calls(call, response, kind)
    if isinstance(call, dict):
        requests.extend(_requests([{"args": {}, **call}]))
    elif isinstance(response, dict):
        answers.append(_answer(response, response.get("response")))
    elif isinstance(part.get("toolUse"), dict):
        requests.extend(_requests([{**part["toolUse"], "id": part["toolUse"].get("toolUseId")}]))
    elif isinstance(part.get("toolResult"), dict):
        answers.append(_bedrock_answer(part["toolResult"]))
    elif kind in ("tool_call", "tool_use"):
        requests.extend(_requests([part]))
    elif kind in ("tool_call_response", "tool_result") or ("response" in part and "id" in part):
        content = next((part[key] for key in ("response", "result", "content") if key in part), None)
        answers.append(_answer(part, content))
    elif kind in _TEXT_TYPES and not part.get("thought"):
        text = text_or_none(part.get("text", part.get("content")))
        if text is not None:
            texts.append(text)


def _refuse_unknown_calls(call: Any, response: Any, kind: str | None) -> None:  # noqa: ANN401 - source value
    """Refuse a part that tells of a call or a result in a form that would otherwise be passed over.

    Raises:
        UnknownShapeError: naming the field.
    """
    if call is not None and (not isinstance(call, dict) or not isinstance(call.get("name"), str)):
        raise UnknownShapeError("function_call", "is no object with a name")
    if response is not None and not isinstance(response, dict):
        raise UnknownShapeError("function_response", f"is {kind_of(response)}, expected an object")
    if kind is not None and kind not in _CALL_TYPES and _LIKE_CALLS.fullmatch(kind):
        raise UnknownShapeError(f"a part of type {kind!r:.40}", f"expected one of {', '.join(sorted(_CALL_TYPES))}")


def _listed_calls(raw: dict[str, Any]) -> list[Any]:
    """Return the calls of a message; LangChain once kept them as its provider wrote them."""
    beside = raw.get("additional_kwargs")
    older = beside if isinstance(beside, dict) else {}
    calls = parsed(raw.get("tool_calls")) or older.get("tool_calls")
    if not calls:
        return [older["function_call"]] if isinstance(older.get("function_call"), dict) else []
    if not isinstance(calls, list):
        raise UnknownShapeError("tool_calls", f"is {kind_of(calls)}, expected a list of calls")
    for number, call in enumerate(calls):
        function = call.get("function", call) if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise UnknownShapeError(f"tool_calls[{number}]", "has no function with a name")
    return calls


def _requests(calls: list[Any]) -> tuple[Request, ...]:
    found = []
    for call in calls:
        function = call.get("function", call) if isinstance(call, dict) else {}
        name = text_or_none(function.get("name"))
        if name is not None:
            raw = next((function[key] for key in ("arguments", "args", "input") if key in function), None)
            call_id = call_identifier(call.get("call_id") or call.get("id"))
            found.append(Request(call_id=call_id, tool=name, arguments=arguments_or_none(raw)))
    return tuple(found)


def _answer(raw: dict[str, Any], content: Any) -> Answer:  # noqa: ANN401 - source value
    result = read_result(content)
    call_id = raw.get("tool_call_id") or raw.get("call_id") or raw.get("id")
    return Answer(
        call_id=call_identifier(call_id),
        tool=text_or_none(raw.get("name")),
        result=result,
        is_error=raw.get("status") == "error" or error_text(result) is not None,
    )


def _bedrock_answer(raw: dict[str, Any]) -> Answer:
    """Return the answer in a part of Amazon Bedrock's Converse API; one piece of content is its content."""
    pieces = [piece.get("json", piece.get("text")) for piece in listed(raw.get("content")) if isinstance(piece, dict)]
    content = pieces[0] if len(pieces) == 1 else pieces
    return _answer({"id": raw.get("toolUseId"), "status": raw.get("status")}, content)


def _is_quoted_context(texts: list[str]) -> bool:
    return (
        len(texts) > 1 and texts[0].startswith("For context:") and any(_QUOTED_ACTION.match(text) for text in texts[1:])
    )
