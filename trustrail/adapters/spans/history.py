"""What a conversation is known to hold, so that repeated histories yield only what is new.

Every model call repeats the whole conversation before it. Histories are subsequences of what happened (a handoff
leaves parts out, an instrumentation may lose some), so they are matched in order, item by item.
"""

import bisect
from dataclasses import dataclass, field, replace
from typing import Any

from trustrail.adapters.payload import canonical_value
from trustrail.adapters.spans.messages import Answer, Message, Request
from trustrail.foundation import canonical_json


@dataclass(slots=True)
class History:
    """Texts, requests and answers seen so far, in order."""

    _places: dict[bytes, list[int]] = field(default_factory=dict)
    """Where each thing said or done stands, in order."""
    _count: int = 0

    def unseen(self, messages: tuple[Message, ...] | None) -> list[Message]:
        """Return the messages of a history reduced to what is not yet known."""
        position = 0
        found = []
        for message in messages or ():
            text, position = (None, position) if message.text is None else self._skip_text(message, position)
            requests: list[Request] = []
            for request in message.requests:
                is_new, position = self._skip(_request_key(request), position)
                requests += [request] if is_new else []
            answers: list[Answer] = []
            for answer in message.answers:
                is_new, position = self._skip(_answer_key(answer.result), position)
                answers += [answer] if is_new else []
            reduced = replace(message, text=text, requests=tuple(requests), answers=tuple(answers))
            if message.role != "system" and not reduced.is_empty:
                found.append(reduced)
        return found

    def begins_with_known(self, messages: tuple[Message, ...] | None) -> bool:
        """Whether the first thing a user says in *messages* is part of this conversation."""
        first = next((message for message in messages or () if message.role == "user" and message.text), None)
        return first is None or _text_key(first.role, first.text) in self._places

    def note(self, message: Message) -> None:
        """Remember everything in *message*."""
        if message.text is not None:
            self._add(_text_key(message.role, message.text))
        for request in message.requests:
            self._add(_request_key(request))
        for answer in message.answers:
            self._add(_answer_key(answer.result))

    def note_result(self, result: Any) -> None:  # noqa: ANN401 - any JSON value
        """Remember a tool's result."""
        self._add(_answer_key(result))

    def _add(self, key: bytes) -> None:
        self._places.setdefault(key, []).append(self._count)
        self._count += 1

    def _skip_text(self, message: Message, position: int) -> tuple[str | None, int]:
        is_new, position = self._skip(_text_key(message.role, message.text), position)
        return (message.text if is_new else None), position

    def _skip(self, key: bytes, position: int) -> tuple[bool, int]:
        """Return whether *key* is new after *position*, and the position behind it if not."""
        places = self._places.get(key, [])
        nearest = bisect.bisect_left(places, position)
        return (True, position) if nearest == len(places) else (False, places[nearest] + 1)


def _text_key(role: str, text: str | None) -> bytes:
    return canonical_json([role, text])


def _request_key(request: Request) -> bytes:
    return canonical_json(["request", request.tool, request.arguments])


def _answer_key(result: Any) -> bytes:  # noqa: ANN401 - any JSON value
    return canonical_json(["answer", canonical_value(result)])
