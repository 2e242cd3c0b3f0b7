"""What chat-shaped recordings share: the words of a message and the arguments of a call."""

from dataclasses import dataclass
from typing import Any

from trustrail.adapters.payload import UnreadablePayloadError, canonical_text, read_arguments
from trustrail.adapters.run import RunWriter
from trustrail.errors import UnknownShapeError


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
    texts = []
    for number, part in enumerate(content):
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            texts.append(canonical_text(text))
        else:
            writer.gap(f"{place}.content[{number}] is not text and was left out")
    return "\n".join(texts) if texts else None


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


def text_or_none(value: Any) -> str | None:  # noqa: ANN401 - source value
    """Return *value* if it is a text with at least one character."""
    return canonical_text(value) if isinstance(value, str) and value else None


def listed(value: Any) -> list[Any]:  # noqa: ANN401 - source value
    """Return *value* if it is a list, else no items."""
    return value if isinstance(value, list) else []
