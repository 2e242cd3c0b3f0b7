"""Every ``console`` block of trailforge's pages runs, in order, in a copy of the folder, and ends as the page says.

The blocks of a page are one shell session; `trailforge` is the one of this environment.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "trailforge"
BLOCK = re.compile(r"^ *```console\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
ENDED = re.compile(r"^== (\d+)$", re.MULTILINE)

# For each command: its exit code, and what its output must say.
PAGES = {
    "concepts.md": [
        (0, ""),
        (0, "COMPLETED"),
        (0, "AttemptSucceeded"),
        (0, "PASS"),
    ],
    "recover-a-held-run.md": [
        (0, ""),
        (1, "ask: ADAPTER_RAISED TimeoutError: no answer in 30 s"),
        (0, "resolve ask retry, resolve ask cancel, cancel"),
        (0, "READY"),
        (0, "COMPLETED"),
        (0, "by=you decision=RETRY note=the provider shows no request task=ask"),
    ],
    "adoption-checklist.md": [
        (0, ""),
        (0, ""),
        (3, "tenant 'acme', this host acts only for 'another'"),
        (0, "COMPLETED"),
        (0, ""),
        (0, ""),
        (0, "units_spent"),
        (3, 'adapters.count-words.version "1", now offered "2"'),
        (1, "UNKNOWN"),
        (0, '"legal":["resolve ask retry","resolve ask cancel","cancel"]'),
        (0, "after call count"),
        (0, ""),
        (0, "PASS"),
        (0, '"isolation_chosen":'),
    ],
}
TEST_SUITE = "(cd .. && python -m pytest -q "


def commands(page: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    lines = [line.strip() for block in BLOCK.findall(text) for line in block.splitlines()]
    assert lines
    assert all(line.startswith("$ ") for line in lines)
    return [line.removeprefix("$ ") for line in lines]


def session(lines: list[str], folder: Path) -> list[tuple[int, str]]:
    """Run *lines* in one shell and return each one's exit code with what it printed."""
    shutil.copytree(DOCS, folder / "docs" / "trailforge", ignore=shutil.ignore_patterns("__pycache__"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "".join(f"{line}\ncode=$?; echo; echo == $code\n" for line in lines)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
        cwd=folder,
        env={"PATH": path, "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"},
        timeout=100,
    )
    *parts, rest = ENDED.split(done.stdout)
    assert rest.strip() == ""
    return [(int(code), output) for output, code in zip(parts[::2], parts[1::2], strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_end_as_it_says(page: str, tmp_path: Path) -> None:
    lines = [line for line in commands(page) if not line.startswith(TEST_SUITE)]
    expected = PAGES[page]
    assert len(lines) == len(expected)

    for line, (code, output), (wanted, text) in zip(lines, session(lines, tmp_path), expected, strict=True):
        assert (code, text in output) == (wanted, True), f"{line}\n{output}"


def test_no_page_has_commands_that_are_not_run() -> None:
    pages = {page.name for page in DOCS.glob("*.md") if BLOCK.search(page.read_text(encoding="utf-8"))}
    assert pages == set(PAGES)


def test_the_parts_of_the_test_suite_that_a_page_names_exist() -> None:
    named = [line for page in PAGES for line in commands(page) if line.startswith(TEST_SUITE)]
    assert named
    for line in named:
        for path in line.removeprefix(TEST_SUITE).removesuffix(")").split():
            assert (ROOT / path).exists(), line
