"""The progress bar of a study, on stderr or in a notebook, with the time that is left."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mast.experiments.study import Progress as Tell


@contextmanager
def progress_bar(title: str) -> Iterator[Tell | None]:
    """Show a bar while the body runs; yields what to tell the number of runs done and planned to.

    Where nobody watches (stderr is neither a terminal nor a notebook's), nothing is shown and None is yielded.
    """
    console = Console(stderr=True)
    if not (sys.stderr.isatty() or console.is_jupyter):
        yield None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(TextColumn("{task.description}"), *columns, console=console) as progress:
        bar = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)
