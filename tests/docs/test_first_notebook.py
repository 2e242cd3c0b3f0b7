"""The committed notebook shows what its code gives: it is executed again and its layered table compared."""

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebooks" / "01_first_run.ipynb"
REFERENCE_UNSAFE = {"L0": 48, "L1": 45, "L2": 39, "L3": 24, "L4": 0}
"""Unsafe completions of the published matrix, 48 affected tasks a layer."""


def _layered_table(notebook: nbformat.NotebookNode) -> str:
    (cell,) = [cell for cell in notebook.cells if "table = layered.summary()" in cell.source]
    return str(cell.outputs[0].data["text/plain"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_executed_again_the_notebook_gives_the_committed_table() -> None:
    committed = nbformat.read(NOTEBOOK, as_version=4)
    again = nbformat.read(NOTEBOOK, as_version=4)

    NotebookClient(again, timeout=100, record_timing=False).execute()

    assert _layered_table(committed) == _layered_table(again)


def test_the_committed_table_is_the_published_one() -> None:
    table = _layered_table(nbformat.read(NOTEBOOK, as_version=4)).splitlines()

    # pandas wraps wide tables: the first part has the columns runs and unsafe_completions
    first = [line.split() for line in table if line.startswith("L")][: len(REFERENCE_UNSAFE)]

    assert {layer: int(unsafe) for layer, _, unsafe, *_ in first} == REFERENCE_UNSAFE


def test_the_notebook_draws_and_stays_small() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    kinds = [kind for cell in cells for output in cell.get("outputs", []) for kind in output.get("data", {})]

    assert kinds.count("image/png") == 2
    assert NOTEBOOK.stat().st_size < 200_000
