"""Slips of the keyboard in the few words that decide: one letter off, or two swapped.

Only words of a language's ``spelling`` list are recovered, and only from words that are in no list themselves;
no negation is ever made or lost.
"""

import re
from functools import cache, lru_cache
from typing import Final

from trustrail.consent.language import Language, load_language

_WORD: Final = re.compile(r"(?<![\d.])[^\W\d_]+(?:'[^\W\d_]+)?(?!\d)")
_STRETCHED: Final = re.compile(r"(\w)\1{2,}")
_SHORTEST: Final = 4
"""Letters below which one slip could turn any word into any other; ours."""


def respell(folded: str, language: Language) -> str:
    """Return *folded* text with abbreviations spelled out and slips in telling words put right."""

    def corrected(match: re.Match[str]) -> str:
        word = match.group()
        return language.abbreviations.get(word) or _nearest(word, language.code)

    return _WORD.sub(
        corrected, _phrases(language.code).sub(lambda match: language.abbreviations[match.group()], folded)
    )


@cache
def _phrases(code: str) -> re.Pattern[str]:
    """Return what matches the abbreviations of several words ("id like"): the word alone can mean something else."""
    phrases = sorted(phrase for phrase in load_language(code).abbreviations if " " in phrase)
    return re.compile("|".join(rf"(?<!\w){re.escape(phrase)}(?!\w)" for phrase in phrases) or r"(?!)")


@lru_cache(maxsize=65536)
def _nearest(word: str, code: str) -> str:
    language = load_language(code)
    if _STRETCHED.search(word):
        for kept in (r"\1", r"\1\1"):
            plain = _STRETCHED.sub(kept, word)
            if plain in language.common_words or plain in language.abbreviations:
                return language.abbreviations.get(plain, plain)
    if len(word) < _SHORTEST or word in language.common_words or word in language.spelling:
        return word
    if language.action_words.fullmatch(word) or language.said.fullmatch(word):
        return word
    close = sorted(known for known in language.spelling if _is_one_slip(word, known))
    return close[0] if len(close) == 1 else word


def _is_one_slip(word: str, known: str) -> bool:
    """Say whether *word* is *known* with one letter added, lost or replaced, or two neighbours swapped."""
    if abs(len(word) - len(known)) > 1 or word[0] != known[0]:
        return False
    shared = 0
    while shared < min(len(word), len(known)) and word[shared] == known[shared]:
        shared += 1
    a, b = word[shared:], known[shared:]
    if len(a) == len(b):
        return a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
    return a[1:] == b if len(a) > len(b) else b[1:] == a
