"""Adapters: recorded runs of any framework become canonical events; nothing is judged here.

`read_events` is the front door. Each recorded shape is one file below ``formats/``.
"""

from pathlib import Path

from trustrail.adapters.adapter import Adapter
from trustrail.adapters.document import load_document
from trustrail.adapters.registry import adapters, get_adapter, recognise
from trustrail.adapters.run import Run, RunWriter
from trustrail.events import message_index

__all__ = ["Adapter", "Run", "RunWriter", "adapters", "get_adapter", "message_index", "read_events"]


def read_events(path: str | Path, adapter: str = "auto", test_run_id: str | None = None) -> list[Run]:
    """Return the runs recorded in the file at *path*, in file order.

    Args:
        path: the recording.
        adapter: the adapter's name, or ``auto`` to recognise the shape.
        test_run_id: names the run in its events; the file's name without its ending by default. A file that
            holds several runs numbers them from 1, as ``ID-1``.

    Raises:
        SourceError: if the file cannot be read.
        UnknownShapeError: if its shape is not known; nothing was half read.
        UnknownAdapterError: if no adapter has that name.
    """
    named = None if adapter == "auto" else get_adapter(adapter)
    source = Path(path)
    document = load_document(source)
    chosen = named or recognise(document)
    return chosen.read(document, test_run_id or source.stem)
