"""Hide what the display policy protects, so that a report can show a conversation without repeating a disclosure.

Masked are numbers as long as a payment card's, ids of entity types whose id is sensitive, and every value the
domain pack's ``sensitive_paths`` select in the run's own tool results, however its digits are spaced: at least
what TR-DATA-002 finds. The last four characters stay.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from trustrail.controls.sensitive import alphanumeric, sensitive_ids, spaced
from trustrail.events import Event, ToolResult
from trustrail.objects import DisplayPolicy, DomainPack, find_values

_SPACING: Final = r"[\s\-\u2010-\u2015\u2212.\u00b7\u00ad\u200b-\u200d\u2060\ufeff]{0,2}"
"""What may stand between the digits of one number that nothing is known about."""

CARD_NUMBER: Final = rf"\d(?:{_SPACING}\d){{11,18}}"
"""12 to 19 digits (ISO/IEC 7812-1 allows 8 to 19; shorter ones are dates and order numbers more often)."""

_SHORTEST_VALUE: Final = 5
"""A protected value of up to four characters may be shown: that is what a masked reference shows."""


class Mask:
    """Masks texts of one run."""

    def __init__(self, pack: DomainPack, events: Iterable[Event]) -> None:
        patterns = [CARD_NUMBER]
        ids = sensitive_ids(pack)
        patterns += [ids.pattern] if ids is not None else []
        values = protected_values(pack, events)
        patterns += [spaced(value) for value in sorted(values, key=lambda v: (-len(v), v))]
        self._found = re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)

    def text(self, text: str) -> str:
        """Return *text* with every protected value cut to its last four characters."""
        return self._found.sub(lambda found: f"••••{found.group()[-4:]}", text)


def protected_values(pack: DomainPack, events: Iterable[Event]) -> set[str]:
    """Return the values that the pack's ``sensitive_paths`` select in tool results, as their letters and digits."""
    paths = [
        path
        for entity_type in pack.entity_types.values()
        if entity_type.display_policy is not DisplayPolicy.FULL
        for path in entity_type.sensitive_paths
    ]
    results = [event.body.result for event in events if isinstance(event.body, ToolResult)] if paths else []
    return {value for result in results for path in paths for value in _texts(find_values(path, result))}


def _texts(values: Sequence[Any]) -> Iterable[str]:
    for value in values:
        if isinstance(value, str | int) and not isinstance(value, bool):
            text = alphanumeric(str(value))
            if len(text) >= _SHORTEST_VALUE and any(character.isdigit() for character in text):
                yield text
