"""The progress bar of a study, on stderr, with the time that is left."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mast.cli.outcome import complain
from mast.experiments.study import Progress as Tell


@contextmanager
def progress_bar(title: str) -> Iterator[Tell]:
    """Show a bar while the body runs; yields what to tell the number of runs done and planned to.

    Where stderr is not a terminal, one line is written when all is done.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: complain(f"{title}: {done} runs") if done == total else None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(TextColumn("{task.description}"), *columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)
