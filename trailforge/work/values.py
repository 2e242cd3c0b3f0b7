"""JSON values that may be stored: canonical ones, without what two systems read differently.

Beyond the canonical form, minus zero (RFC 8785 writes it as 0, so a value would come back changed) and the character
NUL (which ends a text in some stores) are refused.
"""

import math
from collections.abc import Iterator
from typing import Any

from trustrail.errors import CanonicalizationError
from trustrail.foundation import canonical_json


def stored_json(value: Any) -> bytes:  # noqa: ANN401 - any value at all
    """Return the canonical JSON of *value*.

    Raises:
        CanonicalizationError: naming the first part that may not be stored.
    """
    encoded = canonical_json(value)
    for path, problem in _unfit("$", value):
        raise CanonicalizationError(path, problem)
    return encoded


def _unfit(path: str, value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - any JSON value
    kind = type(value)
    if kind is str:
        if "\x00" in value:
            yield path, f"has the character NUL at index {value.index(chr(0))}"
    elif kind is float:
        if value == 0 and math.copysign(1, value) < 0:
            yield path, "is -0.0, expected 0"
    elif kind is dict:
        for key, item in value.items():
            yield from _unfit(path, key)
            yield from _unfit(f"{path}.{key}", item)
    elif kind is list or kind is tuple:
        for index, item in enumerate(value):
            yield from _unfit(f"{path}[{index}]", item)
