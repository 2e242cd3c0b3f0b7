"""What the lookups, and a reference by itself, say about a thing: the words people use for it."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from trustrail.consent.folded import Text, fold, has_word
from trustrail.consent.records import FIRST_SIGHTINGS, Records, Sighting, scalars_of

_TAIL: Final = re.compile(r"(\d{4})\D*$")
_PRICE: Final = re.compile(r"\d+\.\d+")
_SWITCHES: Final = frozenset({"yes", "no", "true", "false"})
"""Values that say whether a thing has something; as words they answer a question and tell no thing."""
PERSON_KEY: Final = "first_name"
"""Field by which results tell people from things; ours."""
_NAME_KEYS: Final = ("name", "title", "display_name", "description", PERSON_KEY)
"""Fields under which results hold what people call a thing; ours."""


def has_own_name(value: str, records: Records) -> bool:
    """Say whether the lookups give the thing *value* a name that people would use for it."""
    return bool(own_names(value, records))


def own_names(value: str, records: Records) -> tuple[str, ...]:
    """Return what the lookups call the thing *value*; empty when they give it no name."""
    named = (name_of(sighting.holder) for sighting in records.sightings(value) if sighting.holder is not None)
    return tuple(dict.fromkeys(name for name in named if name))


def name_of(thing: Mapping[str, Any]) -> str | None:
    """Return what people call *thing*, by the first field that holds a name; None when there is none."""
    return next((held for key in _NAME_KEYS if isinstance(held := thing.get(key), str)), None)


def description(value: str, sightings: tuple[Sighting, ...], records: Records) -> frozenset[str]:
    """Return the words the lookups, and the reference itself, say about *value*."""
    sightings = sightings[:FIRST_SIGHTINGS]  # what a thing is called is told early, and is worked out once
    key = ("description", value, len(sightings))
    if key in records.noted:
        return records.noted[key]
    words = set(own_words(value))
    for sighting in sightings:
        holder = sighting.holder
        if holder is not None and (sighting.siblings or any(held == value for held in holder.values())):
            words |= _words_about(holder)
    records.noted[key] = frozenset(words)
    return records.noted[key]


@lru_cache(maxsize=65536)
def own_words(value: str) -> frozenset[str]:
    """Return what a reference says by itself: ``gift_card_7480005`` is a gift card ending in 0005."""
    parts = re.split(r"[_-]", value)
    letters = [part.lower() for part in parts if part.isalpha()]
    words = {" ".join(letters)} if len(parts) > 1 and letters else set()
    tail = _TAIL.search(value)
    return frozenset(words | ({tail.group(1)} if tail else set()))


def telling_words(thing: Any, reference: str, records: Records) -> frozenset[str]:  # noqa: ANN401 - any JSON value
    """Return the words by which people tell *thing*: not its reference, not a price."""
    key = ("telling", reference) if not isinstance(thing, dict) else ("telling", id(thing), reference)
    if key in records.noted:
        return records.noted[key]
    told = {word for word in _words_about(_without_numbers(thing), but=reference) if not _PRICE.fullmatch(word)}
    if isinstance(thing, dict):
        told |= {word for word in own_words(reference) if not word.isdigit()}
    records.noted[key] = frozenset(told | ({fold(reference)} if not told else set()))
    return records.noted[key]


def _without_numbers(thing: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return *thing* without its prices and nested figures, which stand in a text for many reasons."""
    if not isinstance(thing, dict):
        return thing
    kept: dict[str, Any] = {}
    for key, value in thing.items():
        if isinstance(value, dict | list):
            kept[key] = [text for _, text in scalars_of(value) if isinstance(text, str)]
        elif "price" not in key:
            kept[key] = value
    return kept


def _words_about(thing: Any, but: str = "") -> frozenset[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(thing, dict):
        return frozenset({fold(str(thing))})
    words: set[str] = set()
    for _, value in scalars_of(thing):
        if isinstance(value, bool) or str(value) == but:
            continue
        word = fold(str(value)).replace("_", " ")
        if 2 <= len(word) <= 60 and word not in _SWITCHES:
            words.add(word)
            tail = _TAIL.search(word)
            if tail:
                words.add(tail.group(1))
    return frozenset(words)


def stands_in(word: str, text: Text, but: frozenset[str] = frozenset()) -> bool:
    """Say whether *word* is in *text*, or the last of its words is ("keyboard" for "mechanical keyboard").

    A last word in *but* tells nothing: "card" does not tell a gift card from a credit card.
    """
    if has_word(text.folded, word) or (word.isalpha() and has_word(text.folded, f"{word}s")):
        return True
    last = word.rsplit(" ", 1)[-1]
    return last != word and last not in but and len(last) > 4 and has_word(text.folded, last)
