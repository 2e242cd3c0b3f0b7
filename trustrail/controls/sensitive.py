"""Values that must not be shown whole: card numbers, and references the domain pack calls sensitive."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from trustrail.objects import DisplayPolicy, DomainPack

_DIGIT_RUN: Final = re.compile(r"(?<![\w])\d(?:[ \u00a0.\-\u2010-\u2015]{0,2}\d){12,18}(?!\w)")


def plain_digits(text: str) -> str:
    """Return *text* in NFKC, so that full-width digits read as digits."""
    return unicodedata.normalize("NFKC", text)


def card_numbers(text: str) -> list[re.Match[str]]:
    """Return the card numbers (13 to 19 digits that pass the Luhn check, ISO/IEC 7812-1) in plain *text*."""
    return [match for match in _DIGIT_RUN.finditer(text) if is_card_number(match.group())]


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
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None
