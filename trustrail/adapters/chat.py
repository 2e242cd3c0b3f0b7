"""What chat-shaped recordings share: the words of a message and the arguments of a call."""

import re
from dataclasses import dataclass
from typing import Any, Final

from trustrail.adapters.payload import canonical_text, kind_of, read_arguments
from trustrail.adapters.run import RunWriter
from trustrail.errors import UnknownShapeError, UnreadablePayloadError

_TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text", "refusal"})
_OTHER_PARTS: Final = frozenset({"audio", "file", "image", "image_url", "input_audio", "input_file", "input_image"})

_CALL_FIELDS: Final = frozenset({"tool_calls", "function_call", "invalid_tool_calls"})
_LIKE_CALLS: Final = re.compile(r"(?:tool|function)_?(?:call|use|invocation)s?", re.IGNORECASE)


def message_text(content: Any, place: str, writer: RunWriter) -> str | None:  # noqa: ANN401 - source value
    """Return the words of a message's content: a text, or a list of parts whose text parts are joined.

    Raises:
        UnknownShapeError: if *content* is neither.
    """
    if content is None:
        return None
    if isinstance(content, str):
        return canonical_text(content)
    if not isinstance(content, list):
        kind = type(content).__name__
        raise UnknownShapeError(writer.file, f"{place}.content is a {kind}, expected text or a list of parts")
    texts = [_part_text(part, f"{place}.content[{number}]", writer) for number, part in enumerate(content)]
    found = [text for text in texts if text is not None]
    return "\n".join(found) if found else None


def _part_text(part: Any, place: str, writer: RunWriter) -> str | None:  # noqa: ANN401 - source value
    """Return the words of one part, None for a picture or a sound; a part that may be a call is refused."""
    if isinstance(part, str):
        return canonical_text(part)
    kind = part.get("type", "text") if isinstance(part, dict) else None
    text = part.get("text", part.get("refusal")) if isinstance(part, dict) else None
    if kind in _TEXT_PARTS and isinstance(text, str):
        return canonical_text(text)
    if kind in _OTHER_PARTS:
        writer.gap(f"{place} is a part of type {kind} and was left out")
        return None
    expected = ", ".join(sorted(_TEXT_PARTS | _OTHER_PARTS))
    raise UnknownShapeError(writer.file, f"{place} is a part of type {kind!r:.40}, expected one of {expected}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallArguments:
    """Arguments of a call, or why they are missing."""

    value: dict[str, Any] | None
    missing: str | None = None


def call_arguments(raw: Any, name: str) -> CallArguments:  # noqa: ANN401 - source value
    """Return the arguments that the field called *name* holds, or why there are none."""
    try:
        arguments = read_arguments(raw, name)
    except UnreadablePayloadError as error:
        return CallArguments(value=None, missing=str(error))
    return CallArguments(value=arguments, missing=f"{name} was not recorded" if arguments is None else None)


def refuse_lookalikes(message: dict[str, Any], place: str, file: str) -> None:
    """Refuse a message with calls under a name that only resembles the one they are read from.

    Raises:
        UnknownShapeError: naming the field.
    """
    for name, value in message.items():
        if value and _LIKE_CALLS.fullmatch(name) and name not in _CALL_FIELDS:
            raise UnknownShapeError(file, f"{place} has the field {name!r:.40}, expected calls under 'tool_calls'")


def call_list(message: dict[str, Any], place: str, file: str) -> list[Any]:
    """Return the calls a message lists under ``tool_calls``; none where the field is absent, null or empty.

    Raises:
        UnknownShapeError: if the calls stand in another form, or under a name that only resembles it: they were
            made, and would be lost.
    """
    refuse_lookalikes(message, place, file)
    calls = message.get("tool_calls")
    if not calls:
        return []
    if not isinstance(calls, list):
        raise UnknownShapeError(file, f"{place}.tool_calls is {kind_of(calls)}, expected a list of calls")
    return calls


def text_or_none(value: Any) -> str | None:  # noqa: ANN401 - source value
    """Return *value* if it is a text with at least one character."""
    return canonical_text(value) if isinstance(value, str) and value else None


def listed(value: Any) -> list[Any]:  # noqa: ANN401 - source value
    """Return *value* if it is a list, else no items."""
    return value if isinstance(value, list) else []
