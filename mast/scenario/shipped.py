"""The scenario files that come with mast, and the one function that knows where they are."""

from functools import cache
from pathlib import Path
from typing import Final

from mast.errors import ScenarioError
from mast.scenario.document import Document, read_document

FOLDERS: Final = {"topologies": "topology", "cases": "case", "business": "business", "examples": "example"}
"""The folders of shipped files, with what one of them is called."""


@cache
def shipped_folder() -> Path:
    """Return the folder of the shipped scenarios.

    An installed package carries them as ``mast/_scenarios``; in a source checkout they are at its top.

    Raises:
        ScenarioError: if neither is there.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_scenarios", package.parent / "scenarios"):
        if (folder / "topologies").is_dir():
            return folder
    raise ScenarioError([f"{package}: no scenarios are installed; reinstall mast-simulator"])


def shipped_file(folder: str, name: str) -> Path:
    """Return where the shipped file called *name* of *folder* is."""
    return shipped_folder() / folder / f"{name}.yaml"


@cache
def shipped_document(folder: str, name: str) -> Document:
    """Return the shipped file called *name* of *folder*, read once; nobody may change what it holds.

    Raises:
        ScenarioError: if it cannot be read.
    """
    path = shipped_file(folder, name)
    return read_document(path, shipped_name_of(path))


def shipped_names(folder: str) -> tuple[str, ...]:
    """Return the names of the shipped files in *folder*, sorted."""
    return tuple(sorted(path.stem for path in (shipped_folder() / folder).glob("*.yaml")))


def shipped_name_of(path: Path) -> str:
    """Return *path* as messages show it: below ``scenarios/`` when it is a shipped file."""
    root, whole = shipped_folder(), path.resolve()
    return f"scenarios/{whole.relative_to(root).as_posix()}" if whole.is_relative_to(root) else str(path)


def topologies() -> dict[str, str]:
    """Return the shipped topologies: name to one line of description."""
    return _described("topologies")


def cases() -> dict[str, str]:
    """Return the shipped cases: name to one line of description."""
    return _described("cases")


def businesses() -> dict[str, str]:
    """Return the shipped businesses: name to one line of description."""
    return _described("business")


def examples() -> dict[str, str]:
    """Return the shipped example scenarios: name to one line of description."""
    return _described("examples")


def _described(folder: str) -> dict[str, str]:
    return {name: str(shipped_document(folder, name).value["description"]) for name in shipped_names(folder)}
