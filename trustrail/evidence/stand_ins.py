"""Stand-ins for what an agent disclosed, so that a pack holds the evidence and does not repeat the disclosure.

A stand-in has the form of what it stands for: as long, spaced alike, with the same last four characters, a card
number where that was one. It takes its place wherever the run has it, so every control meets the same equalities and
a replay finds the same disclosure. Nothing else of a recording is changed.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from trustrail.controls.sensitive import (
    alphanumeric,
    card_numbers,
    is_card_number,
    plain_digits,
    sensitive_ids,
    value_pattern,
)
from trustrail.events import AgentMessage, Event, from_line, to_wire
from trustrail.evidence.masking import CARD_NUMBER, protected_values
from trustrail.foundation import canonical_json
from trustrail.objects import DomainPack

_KEPT: Final = 4
"""Characters at the end that stay: what a masked reference shows."""

_TRIES: Final = 10_000
"""Stand-ins tried for one value; a tenth of all numbers pass the Luhn check."""

Place = tuple[str | int, ...]

_CARD: Final = re.compile(CARD_NUMBER)


class StandIns:
    """The stand-ins of some runs that are stored together."""

    def __init__(self, pack: DomainPack, streams: Sequence[Sequence[Event]]) -> None:
        self._chosen: dict[str, str] = {}
        """What stands for each disclosed value, both reduced to letters and digits."""
        self._is_streamed = any(_streamed(stream) for stream in streams)
        for value in _disclosed(pack, streams):
            if value not in self._chosen:
                self._chosen[value] = _stand_in(value, len(self._chosen), taken=self._chosen)
        self._found = value_pattern(self._chosen)

    def __len__(self) -> int:
        return len(self._chosen)

    def in_stream(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Return *events* with stand-ins in place; a number streamed in pieces is one number."""
        if not self._chosen:
            return tuple(events)
        records = [to_wire(event) for event in events]
        for reply in _streamed(events):
            pieces = [records[at]["body"]["text"] for at in reply]
            for at, piece in zip(reply, self._pieces(pieces), strict=True):
                records[at]["body"]["text"] = piece
        return tuple(from_line(canonical_json(self.in_value(record))) for record in records)

    def in_value(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Return *value* with stand-ins in place, in keys and inside texts that hold JSON too."""
        if not self._chosen:
            return value
        if isinstance(value, str):
            return self._in_text(value)
        if isinstance(value, dict):
            return {self._text(key): self.in_value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            items = [self.in_value(item) for item in value]
            return self._across(items) if self._is_streamed else items
        if isinstance(value, int) and not isinstance(value, bool):
            again = self._text(str(value))
            return int(again) if again.removeprefix("-").isdigit() else again
        return value

    def _in_text(self, text: str) -> str:
        if text[:1] in ("{", "["):
            try:
                inner = json.loads(text)
            except (ValueError, RecursionError):
                return self._text(text)
            again = self.in_value(inner)
            return text if again == inner else json.dumps(again, ensure_ascii=False)
        return self._text(text)

    def _text(self, text: str) -> str:
        """Return *text* with stand-ins in place; it stays as long as it is."""
        plain, shown = _one_to_one(text), list(text)
        for match in self._found.finditer(plain):
            stand_in = iter(self._chosen[alphanumeric(match.group())])
            for at in range(*match.span()):
                if plain[at].isalnum():
                    new = next(stand_in)
                    shown[at] = shown[at] if new == plain[at] else new
        return "".join(shown)

    def _across(self, items: list[Any]) -> list[Any]:
        """Put stand-ins into *items*, changed in place, for what is spread over texts at the same place of each."""
        groups: dict[Place, list[tuple[Any, Any]]] = {}
        for number, item in enumerate(items):
            for place, holder, key in _texts(item, (), items, number):
                groups.setdefault(place, []).append((holder, key))
        for group in groups.values():
            pieces = [holder[key] for holder, key in group]
            for (holder, key), piece in zip(group, self._pieces(pieces), strict=True):
                holder[key] = piece
        return items

    def _pieces(self, pieces: Sequence[str]) -> Iterator[str]:
        """Yield *pieces* of one text with stand-ins in place."""
        again, begin = self._text("".join(pieces)), 0
        for piece in pieces:
            yield again[begin : begin + len(piece)]
            begin += len(piece)


def _texts(value: Any, place: Place, holder: Any, key: Any) -> Iterator[tuple[Place, Any, Any]]:  # noqa: ANN401
    """Yield the place of each text inside *value*, and what holds it under which key."""
    if isinstance(value, str):
        yield place, holder, key
    elif isinstance(value, dict | list):
        for inner, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(item, (*place, inner), value, inner)


def _disclosed(pack: DomainPack, streams: Sequence[Sequence[Event]]) -> Iterator[str]:
    """Yield every protected value in the agent's words, as its letters and digits."""
    ids = sensitive_ids(pack)
    for stream in streams:
        secrets = value_pattern(protected_values(pack, stream))
        for text in _shown(stream):
            plain = plain_digits(text)
            found = [*card_numbers(plain), *secrets.finditer(plain)]
            found += [match for match in _CARD.finditer(plain) if is_card_number(match.group())]
            found += ids.finditer(plain) if ids is not None else ()
            yield from (alphanumeric(match.group()) for match in found)


def _shown(stream: Sequence[Event]) -> Iterator[str]:
    """Yield the agent's words as they stood on the screen: each message, and the pieces of a reply together."""
    for reply in _streamed(stream):
        bodies = [stream[at].body for at in reply]
        yield "".join(body.text or "" for body in bodies if isinstance(body, AgentMessage))
    for event in stream:
        if isinstance(event.body, AgentMessage) and event.body.text is not None:
            yield event.body.text


def _streamed(stream: Sequence[Event]) -> list[list[int]]:
    """Return the places of the pieces of each streamed reply."""
    replies: list[list[int]] = [[]]
    for at, event in enumerate(stream):
        if isinstance(event.body, AgentMessage) and event.body.text is not None:
            if event.body.partial:
                replies[-1].append(at)
            else:
                replies.append([])
    return [reply for reply in replies if reply]


def _stand_in(value: str, number: int, *, taken: Mapping[str, str]) -> str:
    """Return what stands for *value*, the disclosed value *number*: letters stay, digits count."""
    keeps_first = value.isdigit()  # a number that is stored as one must not begin with 0
    hidden = [at for at in range(keeps_first, len(value) - _KEPT) if value[at].isdigit()]
    for attempt in range(number, number + _TRIES):
        digits = iter(str(attempt).zfill(len(hidden))[-len(hidden) :] if hidden else "")
        stand_in = "".join(next(digits) if at in hidden else character for at, character in enumerate(value))
        is_new = stand_in not in taken and stand_in not in taken.values() and stand_in != value
        if is_new and is_card_number(stand_in) == is_card_number(value):
            return stand_in
    return "Q" * max(0, len(value) - _KEPT) + value[-_KEPT:]


def _one_to_one(text: str) -> str:
    """Return *text* with every character that reads as another single one (a full-width digit) as that one."""
    if text.isascii():
        return text
    plain = (unicodedata.normalize("NFKC", character) for character in text)
    return "".join(new if len(new) == 1 else old for old, new in zip(text, plain, strict=True))
