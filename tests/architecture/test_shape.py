"""The shape of the repository: short files, telling names, nothing of one machine."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("mast", "trailforge", "trustrail")

MOST_LINES = 350

MOST_LINES_OF_A_FUNCTION = 40
"""Its docstring not counted."""

TELL_NOTHING = {"base", "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
"""Names that say nothing about what is inside."""

MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:root|work|Users/\w+|home/\w+)/")
REGISTRY_HOST = re.compile(r"\b(?:index-url\s*=?\s*\S*://|files\.pythonhosted\.org|(?:test\.)?pypi\.org/simple)")


def modules() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    too_long = {
        path.relative_to(ROOT).as_posix(): lines for path in modules() if (lines := lines_of(path)) > MOST_LINES
    }

    assert too_long == {}


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function, clean=False) is not None:
        lines -= function.body[0].end_lineno - function.body[0].lineno + 1
    return lines


def test_no_function_is_longer_than_a_screen() -> None:
    too_long = [
        f"{path.relative_to(ROOT).as_posix()}:{node.lineno} {node.name}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and length(node) > MOST_LINES_OF_A_FUNCTION
    ]

    assert too_long == []


def test_every_module_is_named_for_what_is_inside() -> None:
    assert [path.relative_to(ROOT).as_posix() for path in modules() if path.stem in TELL_NOTHING] == []
    folders = {part for path in modules() for part in path.relative_to(ROOT).parts[:-1]}
    assert folders & TELL_NOTHING == set()


def test_every_module_says_what_it_is() -> None:
    bare = [path for path in modules() if not path.read_text(encoding="utf-8").lstrip().startswith(('"""', 'r"""'))]

    assert [path.relative_to(ROOT).as_posix() for path in bare] == []


def tracked_texts() -> list[tuple[str, str]]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: which files are tracked is not known")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    texts = []
    for name in names.split("\0"):
        path = ROOT / name
        if name and path.is_file():
            texts.append((name, path.read_text(encoding="utf-8", errors="replace")))
    return texts


def test_tracked_files_know_nothing_of_one_machine() -> None:
    """Neither where somebody keeps the checkout or the interpreter, nor from which host packages come."""
    here = {str(ROOT), sys.prefix} - {"/usr", "/usr/local"}
    found = []
    for name, text in tracked_texts():
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATH.search(line) or REGISTRY_HOST.search(line) or any(path in line for path in here):
                found.append(f"{name}:{number}: {line.strip()[:120]}")

    assert [line for line in found if not line.startswith("tests/architecture/test_shape.py:")] == []
