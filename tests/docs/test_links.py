"""Nothing the documentation points at is missing: links, paths, names in modules, terms.

A path in backticks may name what is inside a Python file, as in ``mast/protocol/gate.py::decide``.
"""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1\s*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
PATH = re.compile(r"`([\w.-]+/[\w./-]*|\.importlinter|Makefile|pyproject\.toml)(?:::(\w+))?`")
ELSEWHERE = ("seeds/", "runs/")
"""Beginnings of paths that are not in this repository: the texts it was built from, and what a run leaves behind."""


def pages() -> list[Path]:
    """Every Markdown file of the project, whether committed yet or not."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
        names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
        return sorted(ROOT / name for name in names if name and (ROOT / name).is_file())
    return sorted([ROOT / "README.md", *DOCS.rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors GitHub makes of headings: lower case, spaces to hyphens, punctuation dropped."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(prose(page))}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(prose(page)):
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(target)

    assert broken == []


def defined(path: Path) -> set[str]:
    """Functions, classes and constants at the top level of a Python file."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


POINTING = [DOCS / "architecture.md", DOCS / "protocol.md", DOCS / "mechanisms.md", DOCS / "contributing.md"]
POINTING += sorted((DOCS / "decisions").glob("*.md"))


@pytest.mark.parametrize("page", POINTING, ids=lambda page: page.name)
def test_every_path_in_backticks_exists_and_holds_what_is_named(page: Path) -> None:
    missing = []
    for path, name in PATH.findall(prose(page)):
        there = ROOT / path
        if path.startswith(ELSEWHERE):
            continue
        if not there.exists() or (name and name not in defined(there)):
            missing.append(f"{path}::{name}" if name else path)

    assert missing == []


def terms() -> list[str]:
    return re.findall(r"^\*\*(.+?)\*\*", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_glossary_terms_are_unique_and_sorted() -> None:
    assert len(terms()) > 50
    assert terms() == sorted(set(terms()), key=str.casefold)


def test_the_index_leads_to_every_page() -> None:
    """Directly; the decisions have an index of their own."""
    index = DOCS / "index.md"
    linked = {(DOCS / target.partition("#")[0]).resolve() for target in LINK.findall(prose(index))}
    wanted = {page for page in [*pages(), *DOCS.rglob("*.ipynb")] if page not in (index, ROOT / "README.md")}

    assert {page for page in wanted - linked if page.parent.name != "decisions"} == set()


def test_the_index_of_decisions_leads_to_every_decision() -> None:
    folder = DOCS / "decisions"
    linked = {folder / target for target in LINK.findall(prose(folder / "README.md"))}

    assert {page for page in folder.glob("0*.md") if page not in linked} == set()


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_make_target_that_is_named_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|\$ )make ([a-z-]+)", page.read_text(encoding="utf-8")))

    assert named - targets == set()
