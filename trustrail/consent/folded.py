"""Text made comparable: one spelling for quotes, spaces, case and width, and cut into sentences.

Nothing is lost that a rule needs: punctuation stays, markup goes.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

LONGEST_TEXT: Final = 20_000
"""Characters of one message that are read; ours, ten times the longest message in the recorded corpora."""

_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_MARKUP: Final = re.compile(r"\*\*|__|###\s*stop\s*###|(?<!\w)[*_~](?=\w)|(?<=\w)[*~](?!\w)")
_LONG_WORD: Final = re.compile(r"(\w{48})\w+")
_SPACES: Final = re.compile(r"[^\S\n]+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;。！？])[)\"'\]]*\s+|\n+|(?<=[?!])(?=\w)|\s+-\s+")
_ABBREVIATION: Final = re.compile(r"\b(?:mr|mrs|ms|dr|no|st|vs|etc|approx|e\.g|i\.e)\.$")


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Return *text* in NFKC, lower case, with plain quotes and single spaces, without emphasis marks.

    A run of more than 48 letters or digits is no word of any language and is cut there.
    """
    plain = unicodedata.normalize("NFKC", text[:LONGEST_TEXT]).casefold().translate(_QUOTES)
    return _SPACES.sub(" ", _LONG_WORD.sub(r"\1", _MARKUP.sub("", plain))).strip()


@lru_cache(maxsize=8192)
def sentences(folded: str) -> tuple[str, ...]:
    """Cut *folded* text at sentence ends and line breaks; list marks stay with their line."""
    parts: list[str] = []
    for piece in _SENTENCE_END.split(folded):
        part = piece.strip()
        if not part:
            continue
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return tuple(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A proposal's or an answer's words, raw and folded."""

    raw: str
    folded: str

    @classmethod
    def of(cls, raw: str) -> "Text":
        """Fold *raw* once."""
        return cls(raw=raw[:LONGEST_TEXT], folded=fold(raw))

    def without(self, pattern: re.Pattern[str]) -> "Text":
        """Return the text without what *pattern* matches in its folded form."""
        if pattern.search(self.folded) is None:
            return self
        return Text(
            raw=re.sub(pattern.pattern, " ", self.raw, flags=re.IGNORECASE), folded=pattern.sub(" ", self.folded)
        )


def has_word(folded: str, word: str) -> bool:
    """Say whether *word* (or phrase) stands in *folded* between word edges."""
    if not word or word not in folded:
        return False
    start = folded.find(word)
    while start >= 0:
        end = start + len(word)
        before = folded[start - 1] if start else " "
        after = folded[end] if end < len(folded) else " "
        if not ((before.isalnum() and word[0].isalnum()) or (after.isalnum() and word[-1].isalnum())):
            return True
        start = folded.find(word, start + 1)
    return False
