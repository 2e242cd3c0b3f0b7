"""Any value at all, shown in a message: a value that is refused must not keep its refusal from being said."""

from typing import Final

_BITS: Final = 128
"""Integers above this many bits are described: CPython refuses to print long ones, and nobody reads them."""


def shown(value: object, most: int = 60) -> str:
    """Return *value* as it may stand in a message, in at most *most* characters; it may be of any kind."""
    if isinstance(value, int) and value.bit_length() > _BITS:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - what is shown was made by somebody else, and so is how it is shown
        return f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= most else f"{text[: most - 3]}…"
