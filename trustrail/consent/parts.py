"""Whether the words limit a yes to parts of what a call takes whole.

A call that gives an order's number and none of its items takes the whole order. "Cancel just the lamp", "keep the
boots" or "the rest stays" agree to less than that, and no argument of the call shows the difference.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from trustrail.consent.actions import spans_of_action
from trustrail.consent.descriptions import PERSON_KEY, name_of
from trustrail.consent.exchange import Reading
from trustrail.consent.folded import fold, sentences
from trustrail.consent.language import Language, load_language
from trustrail.consent.matching import list_in_text
from trustrail.consent.proposal import PROPOSING
from trustrail.consent.records import Records, scalars_of
from trustrail.consent.references import TOKEN, is_reference
from trustrail.consent.rules import ActionRule

_CLAUSE_END: Final = re.compile(r"[,;:.!?()\n]| - ")
_LONGEST_GAP: Final = 40
"""Characters between a verb and its object; ours."""
_SHORTEST_HEAD: Final = 4
"""Letters from which the last word of a name tells the thing ("boots" for "hiking boots"); ours."""
_SHORTEST_TAIL: Final = 5
"""Letters from which the end of a compound tells the thing; ours."""


def limited_to_parts(arguments: Mapping[str, Any], rule: ActionRule, reading: Reading, records: Records) -> str | None:
    """Return how the words of *reading* take less than the whole thing the call takes, or None.

    Args:
        arguments: the call's arguments.
        rule: the action's rule.
        reading: the exchange whose answer agrees.
        records: what the session has looked up.
    """
    names = _parts_taken(arguments, rule, records)
    if not names:
        return None
    language = load_language(reading.code or "en")
    asked = "\n".join(ask.sentence for ask in reading.asks if ask.kind in PROPOSING)
    answer = reading.said.folded
    told = frozenset(name for name in names if _named(name, f"{reading.proposal.folded}\n{answer}"))
    found = _limit(answer, names, told, rule, language)
    if found is not None:
        return f"{found} (in the answer)"
    if _is_whole(answer, language) or _is_whole(asked, language):
        return None
    proposed = asked if _is_whole(reading.proposal.folded, language) else reading.proposal.folded
    found = _limit(proposed, names, told, rule, language)
    return f"{found} (in the proposal)" if found is not None else None


def _parts_taken(arguments: Mapping[str, Any], rule: ActionRule, records: Records) -> tuple[str, ...]:
    """Return the names of the parts of the thing the call takes whole; none when it takes no thing whole.

    A call that changes a thing takes the people in it: what it changes for one traveller it changes for all.
    """
    is_taken = _takes(rule)
    if not rule.entity_arguments or not (is_taken or rule.words.families & load_language("en").changes_whole):
        return ()
    whole = arguments.get(rule.entity_arguments[0])
    given = {str(scalar) for value in arguments.values() for _, scalar in scalars_of(list_in_text(value))}
    for sighting in records.sightings(whole) if isinstance(whole, str) else ():
        for held in (sighting.holder or {}).values():
            parts = [part for part in held if isinstance(part, dict)] if isinstance(held, list) else []
            parts = [part for part in parts if is_taken or PERSON_KEY in part]
            names = tuple(dict.fromkeys(fold(name) for part in parts if (name := name_of(part))))
            picks = any(str(scalar) in given for part in parts for scalar in part.values())
            if len(names) > 1 and not picks:
                return names
    return ()


def _takes(rule: ActionRule) -> bool:
    return bool(rule.words.families & load_language("en").takes_whole)


def _is_whole(text: str, language: Language) -> bool:
    return language.find("whole", language.patterns["not_whole"].sub(" ", text)) is not None


def _limit(text: str, names: tuple[str, ...], told: frozenset[str], rule: ActionRule, language: Language) -> str | None:
    is_taken = _takes(rule)
    for sentence in sentences(language.patterns["not_kept"].sub(" ", text)):
        left = [name for name in names if not (name in told if is_taken else _named(name, sentence))]
        kept = _kept(sentence, names, left, language) if is_taken else None
        if kept is not None:
            return kept
        spans = spans_of_action(sentence, rule.words, language.code)
        if left and any(_is_object(span, sentence, names, language) for span in spans):
            return f"the call takes {left[0]!r} too, which the words do not name"
    return None


def _kept(sentence: str, names: tuple[str, ...], left: list[str], language: Language) -> str | None:
    """Return how *sentence* says that something stays, or that only some of it goes."""
    cue = language.find("rest_stays", sentence) or (left and language.find("only_parts", sentence))
    if cue:
        return f"the call takes the whole, the words say {cue.group()!r}"
    for clause in _CLAUSE_END.split(sentence):
        kept = [name for name in names if _named(name, clause)]
        if kept and language.find("kept_part", clause):
            return f"the call takes {kept[0]!r} too, which the words keep"
    return None


def _is_object(action: tuple[int, int], sentence: str, names: tuple[str, ...], language: Language) -> bool:
    """Say whether the action at *action* is done to one of the parts, not to what holds them."""
    start, end = action
    if language.patterns["one_part"].match(sentence[end:].lstrip()):
        return True
    for name in names:
        for part in _mentions(name, sentence):
            if language.patterns["holder"].match(sentence[part[1] :].lstrip()):
                continue
            gap = sentence[end : part[0]] if part[0] >= end else None
            if gap is None and language.is_verb_last:
                gap = sentence[part[1] : start]
            if gap is None or len(gap) > _LONGEST_GAP or language.find("container", gap):
                continue
            if not any(is_reference(token) for token in TOKEN.findall(gap)):
                return True
    return False


def _named(name: str, text: str) -> bool:
    return next(_mentions(name, text), None) is not None


def _mentions(name: str, text: str) -> Iterator[tuple[int, int]]:
    for match in _pattern_of(name).finditer(text):
        yield match.span()


@lru_cache(maxsize=4096)
def _pattern_of(name: str) -> re.Pattern[str]:
    head = name.rsplit(" ", 1)[-1]
    # People shorten a compound to its last part: "watch" for "wristwatch".
    tails = [head[start:] for start in range(1, len(head) - _SHORTEST_TAIL + 1)]
    words = [name, *([head] if len(head) >= _SHORTEST_HEAD else []), *tails]
    return re.compile(r"(?<!\w)(?:" + "|".join(re.escape(word) for word in words) + r")(?:e?s)?(?!\w)")
