"""Which thing a text means: by its reference, or by what the session's lookups say about it.

A call's reference is contradicted where the text names another thing of the same kind and nothing that tells the
call's own thing from that other one. A reference the text is silent about is not contradicted.
"""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from trustrail.consent.descriptions import description, own_names, stands_in, telling_words
from trustrail.consent.folded import Text, fold, has_word
from trustrail.consent.records import Records, Sighting, scalars_of

TOKEN: Final = re.compile(r"(?<![\w#])#?[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*(?!\w)")
_PREFIXED: Final = re.compile(r"(#?)([A-Za-z]+)([_-]?)(\d+)")
_UNDERSCORED: Final = re.compile(r"[a-z]+(?:_[a-z]+)*_\d+")
_TAIL_DIGITS: Final = re.compile(r"\d{4}")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOST_RIVALS: Final = 64
"""Things of the same kind that are compared with; ours."""


def is_reference(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Say whether *value* looks like a reference: one word with a digit in it, or all capitals."""
    if not isinstance(value, str) or not TOKEN.fullmatch(value) or len(value) < 2 or _DATE.fullmatch(value):
        return False
    return any(char.isdigit() for char in value) or (len(value) >= 5 and value.isupper())


@lru_cache(maxsize=65536)
def shape_of(value: str) -> str | None:
    """Return what references of one kind share (``HAT052`` is ``aaa999``); None for an ordinary word."""
    if _UNDERSCORED.fullmatch(value):
        # The word before the number tells kinds of one thing apart: credit_card_1 and paypal_2 are both ways to pay.
        return "words_9"
    prefixed = _PREFIXED.fullmatch(value)
    if prefixed:
        mark, letters, joint, digits = prefixed.groups()
        kind = letters.lower() if joint else "a" * len(letters)
        return f"{mark}{kind}{joint}{'9' * len(digits)}"
    if value.isdigit():
        return "9" * len(value) if len(value) >= 5 else None
    has_digit = any(char.isdigit() for char in value)
    is_code = value.isalnum() and value.upper() == value and (has_digit or len(value) >= 5)
    return f"mixed{len(value)}" if is_code else None


def references_in(text: Text, shape: str) -> frozenset[str]:
    """Return the references of *shape* in *text*, as written."""
    return _references_by_shape(text.raw).get(shape, frozenset())


@lru_cache(maxsize=4096)
def _references_by_shape(raw: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for token in TOKEN.findall(raw):
        shape = shape_of(token)
        if shape is not None:
            found.setdefault(shape, set()).add(token)
    return {shape: frozenset(tokens) for shape, tokens in found.items()}


def names(text: Text, value: str) -> bool:
    """Say whether *text* holds the reference *value* itself."""
    return has_word(text.folded, fold(value))


def contradicted(
    values: list[str],
    argument: str,
    text: Text,
    records: Records,
    *,
    is_whole_list: bool = False,
    elsewhere: frozenset[str] = frozenset(),
) -> str | None:
    """Return what in *text* contradicts the references *values* of one *argument*, or None.

    Args:
        values: the references the call gives under this argument.
        argument: the argument's name.
        text: the words the customer answered, or the answer.
        records: what the session has looked up.
        is_whole_list: the argument replaces a whole list, so values the text is silent about are expected.
        elsewhere: what other arguments of the call hold; the text may name that for their sake.
    """
    for value in values:
        if names(text, value):
            continue
        rival = _named_rival(value, elsewhere.union(values), text, records)
        if rival is not None and not is_whole_list:
            return f"{argument}: the words name another one than the call"
    return _other_shape(values, argument, text, records, elsewhere)


def called_instead(value: str, text: Text, records: Records) -> str | None:
    """Return what *text* calls a rival of *value* by, while it calls *value* by none of its names; else None.

    "I'll return the mug" is no word about the lamp of the same order.
    """
    mine = own_names(value, records)
    heads = {fold(name).rsplit(" ", 1)[-1] for name in mine}
    if not mine or names(text, value) or any(has_word(text.folded, head) for head in heads | {f"{h}s" for h in heads}):
        return None
    for rival, _ in _rivals(value, frozenset({value}), records.sightings(value), records):
        for name in own_names(rival, records):
            if name not in mine and stands_in(fold(name), text):
                return name
    return None


class Stance(StrEnum):
    """What a text says about the reference a call gives."""

    NAMED = "names it"
    CONTRADICTED = "names another"
    SILENT = "names none"


def stance(
    values: list[str],
    argument: str,
    text: Text,
    records: Records,
    *,
    negated: re.Pattern[str],
    elsewhere: frozenset[str] = frozenset(),
) -> Stance:
    """Say whether *text* names the things *values*, or others of their kind instead.

    Args:
        values: the references the call gives under one argument.
        argument: the argument's name.
        text: the words.
        records: what the session has looked up.
        negated: what rules a thing out ("not PayPal") in the language of the text.
        elsewhere: what other arguments of the call hold.
    """
    kept = text.without(negated)
    if contradicted(values, argument, kept, records, elsewhere=elsewhere) is not None:
        return Stance.CONTRADICTED
    if len(told_in(values, kept, records)) == len(values):
        return Stance.NAMED
    if kept != text and len(told_in(values, text, records)) == len(values):
        return Stance.CONTRADICTED
    return Stance.SILENT


def told_in(values: list[str], text: Text, records: Records) -> list[str]:
    """Return those of the things *values* that *text* names, or tells from all others of their kind."""
    return [value for value in values if names(text, value) or _is_told_apart(value, text, records)]


def replaced_by_other(values: list[str], argument: str, text: Text, records: Records, *, entity: str) -> str | None:
    """Return how *values*, a whole list that is sent anew, bring in something else than *text* does, or None.

    What *entity* held before is repeated without a word. Where the text names members it did not hold, the call has
    to bring in one of them; and what the call brings in needs a word of its own where the text names others.
    """
    held = {str(value) for sighting in records.sightings(entity) for _, value in scalars_of(sighting.holder)}
    shapes = {shape for value in values if (shape := shape_of(value))}
    mentioned = {token for shape in shapes for token in references_in(text, shape)}
    told = {token for token in mentioned if _is_same_kind(token, values, argument, records)}
    if not held or told <= set(values):
        return None
    fresh = told - held
    is_left_out = bool(fresh) and fresh.isdisjoint(values)
    spoken_for = frozenset().union(*(description(token, records.sightings(token), records) for token in sorted(told)))
    added = [value for value in values if value not in held and not names(text, value)]
    is_untold = any(
        not any(stands_in(word, text) for word in description(value, records.sightings(value), records) - spoken_for)
        for value in added
    )
    return f"{argument}: the words name another one than the call" if is_left_out or is_untold else None


def _other_shape(
    values: list[str], argument: str, text: Text, records: Records, elsewhere: frozenset[str]
) -> str | None:
    shapes = {shape for value in values if (shape := shape_of(value))}
    mentioned = {token for shape in shapes for token in references_in(text, shape)} - elsewhere
    lowered = {value.lower() for value in values}
    rivals = {token for token in mentioned if _is_same_kind(token, values, argument, records)}
    if not rivals or {token.lower() for token in rivals} & lowered:
        unknown = [value for value in values if not names(text, value) and not records.sightings(value)]
        if rivals and unknown and len(values) > 1:
            return f"{argument}: the words do not name all that the call does"
        return None
    # What is said of the things the words do name describes no other: two orders share a street and a card.
    spoken_for = frozenset().union(*(description(token, records.sightings(token), records) for token in sorted(rivals)))
    if any(is_described(value, text, records, but=spoken_for) for value in values):
        return None
    return f"{argument}: the words name another one than the call"


def _is_same_kind(token: str, values: list[str], argument: str, records: Records) -> bool:
    """Say whether *token* may be the kind of thing *argument* holds; a thing never looked up may be."""
    known = _keys(token, records)
    if not known:
        return True
    wanted = {argument} | {key for value in values for key in _keys(value, records)}
    return bool(known & wanted)


def _keys(value: str, records: Records) -> frozenset[str]:
    return frozenset(
        key
        for sighting in records.sightings(value)
        if sighting.holder is not None
        for key, held in sighting.holder.items()
        if held == value
    )


def is_described(value: str, text: Text, records: Records, *, but: frozenset[str] = frozenset()) -> bool:
    """Say whether *text* holds anything the lookups (or the reference itself) say about *value*, words *but* apart."""
    return any(stands_in(word, text) for word in description(value, records.sightings(value), records) - but)


def _is_told_apart(value: str, text: Text, records: Records) -> bool:
    """Say whether *text* holds words about *value* that tell it from each of the others it was listed with."""
    sightings = records.sightings(value)
    own = description(value, sightings, records)
    if not any(stands_in(word, text) for word in own):
        return False
    return all(
        any(stands_in(word, text, but=frozenset(part.rsplit(" ", 1)[-1] for part in rival)) for word in own - rival)
        for _, rival in _rivals(value, frozenset((value,)), sightings, records)
    )


def _named_rival(value: str, taken: frozenset[str], text: Text, records: Records) -> str | None:
    sightings = records.sightings(value)
    own = description(value, sightings, records)
    # "Exchange it for the blue one": words for another thing of the call do not mean a rival of this one.
    twins = [other for other in sorted(taken) if shape_of(other) == shape_of(value)]
    spoken_for = own.union(*(description(other, records.sightings(other), records) for other in twins))
    for rival_value, rival in _rivals(value, taken, sightings, records):
        others = rival - spoken_for
        telling = own - rival
        heads = frozenset(word.rsplit(" ", 1)[-1] for word in rival)
        named = [word for word in others if has_word(text.folded, word)]
        is_named = names(text, rival_value) if rival_value else False
        is_told = any(_TAIL_DIGITS.fullmatch(word) for word in named) or _tells(named, others, rival, text)
        if (is_named or (named and is_told)) and not any(stands_in(word, text, but=heads) for word in telling):
            return rival_value or named[0]
    return None


def _tells(named: list[str], others: frozenset[str], rival: frozenset[str], text: Text) -> bool:
    """Say whether the words *named* of a rival's *others* are enough to mean it: a third of them.

    A figure alone ("a fee of $200") means no thing; it needs a word for the kind of thing beside it.
    """
    if 3 * len(named) < len(others):
        return False
    figures_only = all(word.replace(".", "").isdigit() for word in named)
    return not figures_only or any(stands_in(word, text) for word in rival if not word.isdigit())


def _rivals(
    value: str, taken: frozenset[str], sightings: Iterable[Sighting], records: Records
) -> Iterator[tuple[str, frozenset[str]]]:
    count = 0
    for sighting in sightings:
        for sibling in sighting.siblings:
            count += 1
            if count > _MOST_RIVALS:
                return
            reference = _reference_of(sibling, value, sighting)
            if reference is None or reference in taken:
                continue
            yield reference, telling_words(sibling, reference, records)


def _reference_of(sibling: Any, value: str, sighting: Sighting) -> str | None:  # noqa: ANN401 - any JSON value
    """Return the reference of *sibling* that stands where *value* stands in its own object."""
    if not isinstance(sibling, dict):
        return str(sibling)
    if sighting.holder is not None:
        for key, held in sighting.holder.items():
            if held == value and isinstance(sibling.get(key), str | int):
                return str(sibling[key])
    return str(sibling[""]) if "" in sibling else None
