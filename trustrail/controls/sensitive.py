"""Values that must not be shown whole: card numbers, and references the domain pack calls sensitive."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from trustrail.objects import DisplayPolicy, DomainPack

_UNMISTAKABLE: Final = 9
"""Letters and digits from which on a value inside a longer one is still that value; ours."""

_NOT_SHOWN: Final = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff\\\\*`~]")
"""Characters without a width, and marks of Markdown: what stands around them is read together."""

BETWEEN: Final = r"[\W_]{0,6}"
"""What may stand between the letters and digits of one value that is known."""

_LIKE_A_CARD: Final = r"\d{4}([\W_]{1,6})\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?"
_GROUPED: Final = (
    r"\d{4}([\W_]{1,6})\d{6}\2\d{4,5}",
    r"\d([\W_]{1,6})\d(?:\3\d){11,17}",
    r"\d\d([\W_]{1,6})\d\d(?:\4\d\d){5,7}",
)
"""How people group the digits of a card number; between all groups stands the same."""

_CARD: Final = re.compile(
    rf"(?<![\w])(?:{_LIKE_A_CARD}|{'|'.join(_GROUPED)}|\d(?:[ \u00a0.\-\u2010-\u2015]{{0,2}}\d){{12,18}})(?!\w)"
)
_FOUR_BY_FOUR: Final = re.compile(_LIKE_A_CARD)


def plain_digits(text: str) -> str:
    """Return *text* as it reads: in NFKC, so that full-width digits are digits, without markup and invisible signs."""
    return _NOT_SHOWN.sub("", unicodedata.normalize("NFKC", text))


def card_numbers(text: str) -> list[re.Match[str]]:
    """Return the card numbers in plain *text*.

    They have 13 to 19 digits that pass the Luhn check (ISO/IEC 7812-1), or stand four by four as on a card: issuers'
    test numbers and invented ones need not pass.
    """
    found = _CARD.finditer(text)
    return [match for match in found if is_card_number(match.group()) or _FOUR_BY_FOUR.fullmatch(match.group())]


def is_card_number(text: str) -> bool:
    """Say whether the digits of *text* are a card number by length and Luhn check."""
    digits = [int(char) for char in text if char.isdigit()]
    if not 13 <= len(digits) <= 19:
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def sensitive_ids(pack: DomainPack) -> re.Pattern[str] | None:
    """Return the pattern of ids that fall under a display policy themselves; None when there are none."""
    patterns = tuple(
        kind.id_pattern
        for kind in pack.entity_types.values()
        if kind.id_is_sensitive and kind.id_pattern is not None and kind.display_policy is not DisplayPolicy.FULL
    )
    return _joined(patterns)


@lru_cache(maxsize=64)
def _joined(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    # An underscore is a blank or a dash to who reads aloud; in a set of characters it is left as it is.
    spaced = (pattern if "[" in pattern else pattern.replace("_", r"[\W_]{1,4}") for pattern in patterns)
    return re.compile("|".join(f"(?:{pattern})" for pattern in spaced), re.IGNORECASE) if patterns else None


def alphanumeric(text: str) -> str:
    """Return the letters and digits of *text*."""
    return "".join(character for character in text if character.isalnum())


def value_pattern(values: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of *values* in plain text, by their letters and digits, whatever stands between them.

    A short value is only itself as a word of its own.
    """
    longest_first = sorted(values, key=lambda value: (-len(value), value))
    return re.compile("|".join(map(_spelt, longest_first)) or r"(?!)", re.IGNORECASE)


def spaced(value: str) -> str:
    """Return the pattern of *value*, letters and digits, whatever stands between them."""
    return BETWEEN.join(map(re.escape, value))


def _spelt(value: str) -> str:
    return spaced(value) if len(value) >= _UNMISTAKABLE else rf"(?<![^\W_]){spaced(value)}(?![^\W_])"
