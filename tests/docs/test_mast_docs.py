"""What README.md and the how-to pages of mast show is executed: Python blocks in order, ``mast`` commands, files.

A page is a story: its YAML blocks whose first line names a file are written down, then everything runs from top to
bottom in one directory.
"""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mast.cli import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
BLOCK = re.compile(r"^```(python|sh|console|yaml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def _drawn_on_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    names: dict[str, object] = {}

    for language, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(text, page.name, "exec"), names)  # the page is ours
        elif language in ("sh", "console"):
            for line in text.splitlines():
                _run_command(line.removeprefix("$ "))
        elif (first := text.splitlines()[0]).startswith("# "):
            Path(first.removeprefix("# ")).write_text(text, encoding="utf-8")


def _run_command(line: str) -> None:
    words = shlex.split(line, comments=True)
    if words[:1] == ["mast"]:
        result = CliRunner().invoke(app, words[1:])

        assert result.exit_code == 0, f"{line}: {result.output}"


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.name}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]

    assert broken == []
