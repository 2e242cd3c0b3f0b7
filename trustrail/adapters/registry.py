"""All adapters by name. A new one is one new file in ``formats/``; it is found there."""

import difflib
import functools
import importlib
import pkgutil

from trustrail.adapters import formats
from trustrail.adapters.adapter import Adapter
from trustrail.adapters.document import Document
from trustrail.errors import UnknownAdapterError, UnknownShapeError


@functools.cache
def adapters() -> dict[str, Adapter]:
    """Return every adapter by name, in order of name."""
    found = {}
    for module in pkgutil.iter_modules(formats.__path__):
        adapter = importlib.import_module(f"{formats.__name__}.{module.name}").ADAPTER
        found[adapter.name] = adapter
    return dict(sorted(found.items()))


def get_adapter(name: str) -> Adapter:
    """Return the adapter called *name*.

    Raises:
        UnknownAdapterError: if there is none; names the nearest.
    """
    known = adapters()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"expected one of auto, {', '.join(known)}"
        raise UnknownAdapterError(f"no adapter is called {name!r}; {hint}")
    return known[name]


def recognise(document: Document) -> Adapter:
    """Return the one adapter whose shape *document* has.

    Raises:
        UnknownShapeError: if none or more than one recognises it.
    """
    matching = [adapter for adapter in adapters().values() if adapter.recognises(document)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        names = " and ".join(adapter.name for adapter in matching)
        raise UnknownShapeError(document.name, f"fits {names}; name one with --adapter")
    raise UnknownShapeError(document.name, f"has an unknown shape: {_describe(document)}")


def _describe(document: Document) -> str:
    records = document.records()
    first = records[0] if records else None
    form = "JSON lines" if document.is_lines else "a list" if isinstance(document.value, list) else "one value"
    if isinstance(first, dict):
        keys = ", ".join(sorted(first)[:8]) or "no keys"
        return f"{form} whose first record has {keys}"
    return f"{form} whose first record is {'absent' if not records else type(first).__name__}"
