"""What an adapter is: a name, a way to recognise its shape, and a way to read it.

The one rule: an adapter produces canonical events and judges nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

from trustrail.adapters.document import Document
from trustrail.adapters.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """One recorded shape and how it becomes runs. Each file below ``formats/`` defines one as ``ADAPTER``."""

    name: str
    """What a user types after ``--adapter``."""
    summary: str
    """One line for ``trustrail adapters``."""
    recognises: Callable[[Document], bool]
    """Whether the whole document has this shape; at most one adapter may say yes to a document."""
    read: Callable[[Document, str], list[Run]]
    """Return the runs of the document; the second argument names the test run."""


def run_ids(test_run_id: str, count: int) -> list[str]:
    """Return one id per run: the given one, or with a number from 1 where a document holds several."""
    return [test_run_id] if count == 1 else [f"{test_run_id}-{number}" for number in range(1, count + 1)]
