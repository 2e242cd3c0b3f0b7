"""What a canonical path is, and which paths are aliases of each other."""

import pytest

from trailforge.errors import PathListError, PathRefusedError
from trailforge.workspace.paths import admit_path, admit_paths, alias_key

REFUSED = {
    "empty": ("", "is empty"),
    "absolute": ("/etc/passwd", "is absolute"),
    "parent folder": ("a/../../x", "has the part '..'"),
    "parent folder alone": ("..", "has the part '..'"),
    "current folder": ("./a", "has the part '.'"),
    "double slash": ("a//b", "has the part ''"),
    "trailing slash": ("a/", "has the part ''"),
    "NUL": ("a\x00b", "invisible character U\\+0000"),
    "line break": ("a\nb", "invisible character U\\+000A"),
    "zero width joiner inside .git": (".g\u200dit/hooks", "invisible character U\\+200D"),
    "right-to-left override": ("a\u202etxt.py", "invisible character U\\+202E"),
    "lone surrogate": ("a\ud800", "lone surrogate U\\+D800 at index 1"),
    "decomposed e acute": ("e\u0301.txt", "normalization form C"),
    "backslash": ("a\\b", "has the character"),
    "drive or stream": ("a.txt:stream", "has the character ':'"),
    "wildcard": ("*.py", "has the character"),
    "trailing dot": ("a.txt.", "ends with a space or a dot"),
    "trailing space": ("a.txt ", "ends with a space or a dot"),
    "leading space": (" a.txt", "begins with a space"),
    "device": ("CON", "is a device"),
    "device with extension": ("src/com1.py", "is a device"),
    "device with a space before the extension": ("nul .txt", "is a device"),
    "git folder in capitals": (".GIT/hooks/pre-commit", "belongs to a tool"),
    "short DOS name of the git folder": ("GIT~1/config", "belongs to a tool"),
    "name of 300 bytes": ("n" * 300, "has a name of 300 bytes, expected at most 255"),
    "name of 256 bytes": ("n" * 256, "has a name of 256 bytes, expected at most 255"),
    "two-byte letters count as two": ("é" * 128, "has a name of 256 bytes, expected at most 255"),
    "path of 1025 bytes": ("/".join(["n" * 204] * 5) + "a", "has 1025 bytes, expected at most 1024"),
}


@pytest.mark.parametrize(("path", "problem"), REFUSED.values(), ids=REFUSED)
def test_path_that_is_not_canonical_is_refused(path: str, problem: str) -> None:
    """Rows 23 and 25 of the durable reference."""
    with pytest.raises(PathRefusedError, match=problem):
        admit_path(path)


@pytest.mark.parametrize(
    "path", ["a", "src/app.py", "é/ß.txt", "日本/語.md", ".hidden", "console.py", "n" * 255, "a b.txt"]
)
def test_canonical_path_is_admitted_unchanged(path: str) -> None:
    assert admit_path(path) == path


ALIASES = {
    "case": (["A.txt", "a.txt"], "path 'a.txt' is an alias of 'A.txt'"),
    "case of an ending": (["run.ZSHRC", "run.zshrc"], "is an alias of"),
    "sharp s and ss": (["straße", "STRASSE"], "is an alias of"),
    "Kelvin sign is not NFC": (["\u212a", "k"], "normalization form C"),
    "case of a folder": (["Src/a", "src/b"], "spells the folder 'Src' as 'src'"),
    "the same path twice": (["a", "a"], "path 'a' is an alias of 'a'"),
    "a file that is also a folder": (["a", "a/b"], "path 'a' is also the folder of another path"),
    "a file that is also a folder in another case": (["A", "a/b"], "path 'A' is also the folder"),
}


@pytest.mark.parametrize(("paths", "problem"), ALIASES.values(), ids=ALIASES)
def test_alias_is_refused_even_on_a_case_sensitive_disk(paths: list[str], problem: str) -> None:
    """Row 25 of the durable reference."""
    with pytest.raises(PathListError, match=problem):
        admit_paths(paths)


def test_one_to_128_paths_are_admitted_and_sorted() -> None:
    paths = [f"f{number:03}" for number in range(128)]

    assert tuple(paths) == admit_paths(list(reversed(paths)))


@pytest.mark.parametrize("count", [0, 129])
def test_other_numbers_of_paths_are_refused(count: int) -> None:
    with pytest.raises(PathListError, match=f"the list has {count} paths, expected 1 to 128"):
        admit_paths([f"f{number}" for number in range(count)])


@pytest.mark.parametrize("paths", [None, "abc", {"a"}, 5])
def test_what_is_no_list_of_paths_is_refused(paths: object) -> None:
    with pytest.raises(PathListError, match=r"the paths are a .*, expected a list or a tuple"):
        admit_paths(paths)  # type: ignore[arg-type]


def test_every_problem_of_a_list_is_reported_at_once() -> None:
    with pytest.raises(PathListError) as caught:
        admit_paths(["/a", "b/", "c", "C"])

    assert len(caught.value.problems) == 3


def test_composed_and_decomposed_spellings_have_one_key() -> None:
    """Unicode Standard 3.13, D145: canonical caseless matching."""
    assert alias_key("É") == alias_key("e\u0301")
    assert alias_key("a") != alias_key("b")
