"""Whatever text is given as a path: it is refused, or it is one file below the root and no other."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trailforge.errors import PathListError, PathRefusedError
from trailforge.workspace import HeldRoot
from trailforge.workspace.descriptors import open_by_kernel, open_by_walk
from trailforge.workspace.paths import admit_path, admit_paths, alias_key

NASTY = st.sampled_from(
    ["..", ".", "", "a", "A", "é", "e\u0301", "ß", "SS", ".git", "CON", "nul.txt", "a ", "a.", "\x00"]
)
PATHS = st.one_of(st.text(max_size=40), st.lists(st.one_of(NASTY, st.text(max_size=6)), max_size=4).map("/".join))


@pytest.fixture(scope="module", params=[open_by_kernel, open_by_walk], ids=["openat2", "walk"])
def root(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> HeldRoot:
    with HeldRoot(tmp_path_factory.mktemp("root"), opener=request.param) as held:
        yield held


@settings(max_examples=150, derandomize=True, database=None, deadline=None)
@given(path=PATHS)
def test_a_path_is_refused_or_stays_below_the_root(root: HeldRoot, path: str) -> None:
    try:
        root.replace(path, b"x")
    except PathRefusedError:
        return
    assert root.read(path, limit=1) == b"x"
    assert Path(root.location, path).resolve().is_relative_to(root.location.resolve())
    root.remove(path)


@settings(max_examples=300, derandomize=True, database=None, deadline=None)
@given(path=PATHS)
def test_an_admitted_path_is_its_own_canonical_form(path: str) -> None:
    try:
        admitted = admit_path(path)
    except PathRefusedError:
        return
    assert admitted == path == unicodedata.normalize("NFC", path)
    assert admitted == Path(admitted).as_posix()
    assert alias_key(alias_key(path)) == alias_key(path)


@settings(max_examples=300, derandomize=True, database=None, deadline=None)
@given(paths=st.lists(PATHS, min_size=1, max_size=6))
def test_admitted_paths_are_different_files_for_every_file_system(paths: list[str]) -> None:
    try:
        admitted = admit_paths(paths)
    except PathListError:
        return
    for spelling in (str.casefold, str.upper, lambda text: unicodedata.normalize("NFD", text)):
        assert len({spelling(path) for path in admitted}) == len(admitted)
