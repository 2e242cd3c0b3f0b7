"""Which language a turn is in: one of the profile's, or another one that must not be guessed at."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from trustrail.consent.folded import fold
from trustrail.consent.language import available_languages, foreign_words, load_language

_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_STRETCHED: Final = re.compile(r"(\w)\1{2,}")
_CODE: Final = re.compile(r"\S*[\d@/#_]\S*")


@lru_cache(maxsize=16384)
def language_of(text: str, languages: tuple[str, ...]) -> str | None:
    """Return the language of *languages* that *text* is in, or None when it is in none of them.

    A text without words (numbers, references, signs) is in the first language: there is nothing to misread.
    """
    words = [_STRETCHED.sub(r"\1", word) for word in _WORD.findall(_CODE.sub(" ", fold(text)))]
    if not words:
        return languages[0]
    if sum(_is_latin(word) for word in words) * 2 < len(words):
        return None
    spoken = {code: _score(words, text, code) for code in languages if code in available_languages()}
    best = max(spoken, key=lambda code: spoken[code], default=None)
    others = [code for code in available_languages() if code not in languages]
    outside = max(
        [_score(words, text, code) for code in others]
        + [sum(word in known for word in words) for known in foreign_words().values()]
    )
    if best is None or spoken[best] == 0 or outside > spoken[best]:
        return None
    return best


def _score(words: list[str], text: str, code: str) -> int:
    language = load_language(code)
    known = sum(
        word in language.common_words
        or word in language.abbreviations
        or language.action_words.fullmatch(word) is not None
        for word in words
    )
    return known + (1 if language.said.search(fold(text)) else 0)


def _is_latin(word: str) -> bool:
    return unicodedata.name(word[0], "").startswith("LATIN")
