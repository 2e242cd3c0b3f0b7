"""The remedy for a misspelt name: the nearest one that would have been right."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """Return a remedy that names the *valid* name nearest to *name*, or lists them all when none is near."""
    names = sorted(valid)
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; expected one of {', '.join(names)}" if names else ""
