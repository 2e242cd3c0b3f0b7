"""HTML from values: every text is escaped here, and nowhere else."""

from html import escape
from typing import Final

_UNSEEN: Final = {code: "\N{REPLACEMENT CHARACTER}" for code in range(32) if chr(code) not in "\t\n\r"} | dict.fromkeys(
    (*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\N{REPLACEMENT CHARACTER}"
)
"""Control characters, and the bidirectional controls that make a line read in another order than it is stored."""


def text_of(text: str) -> str:
    """Return *text* safe to stand in an element or a quoted attribute."""
    return escape(text.translate(_UNSEEN))


def tag(name: str, inner: str, *, css: str = "") -> str:
    """Return an element around *inner*, which is markup already."""
    return f'<{name} class="{css}">{inner}</{name}>' if css else f"<{name}>{inner}</{name}>"


def verdict_badge(verdict: str, *, exercised: bool = True) -> str:
    """Return a verdict as a labelled badge; one that met nothing to judge says so."""
    if verdict == "PASS" and not exercised:
        return tag("span", "not exercised", css="badge idle")
    return tag("span", verdict, css=f"badge {verdict.lower()}")
