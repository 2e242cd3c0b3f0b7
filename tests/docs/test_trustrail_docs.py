"""The pages about trustrail do what they say: their files are written, their blocks run, their output compared."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("judge-my-agent.md", "write-a-domain-pack.md", "what-a-pass-means.md")
BLOCK = re.compile(r"^```(?P<kind>\w+)(?P<options>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = f'#!/bin/sh\nexec {sys.executable} -c "from trustrail.cli import main; main()" "$@"\n'


@dataclass(frozen=True)
class Block:
    kind: str
    options: str
    text: str


def blocks(page: str) -> list[Block]:
    text = (ROOT / "docs" / "trustrail" / page).read_text()
    return [Block(found["kind"], found["options"].strip(), found["text"]) for found in BLOCK.finditer(text)]


@pytest.fixture
def place(tmp_path):
    """A directory to work in, with the command on the path."""
    command = tmp_path / "bin" / "trustrail"
    command.parent.mkdir()
    command.write_text(COMMAND)
    command.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    return work


def run_shell(text: str, place: Path) -> tuple[int, str]:
    path = f"{place.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", text],
        cwd=place,
        env={"PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def run_python(text: str, names: dict, capsys) -> str:
    exec(compile(text, "page", "exec"), names)
    return capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs_from_top_to_bottom_and_prints_what_it_shows(page, place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    names: dict = {}
    shown = ""
    for block in blocks(page):
        titled = re.fullmatch(r'title="(.+)"', block.options)
        if titled:
            (place / titled[1]).write_text(block.text)
        elif block.kind == "sh":
            code, shown = run_shell(block.text, place)
            wanted = re.fullmatch(r"exit=(\d)", block.options)
            assert code == (int(wanted[1]) if wanted else 0), block.text
        elif block.kind == "python":
            shown = run_python(block.text, names, capsys)
        elif block.kind == "text":
            assert shown == block.text


def test_links_between_the_pages_lead_somewhere():
    for page in PAGES:
        text = (ROOT / "docs" / "trustrail" / page).read_text()
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert (ROOT / "docs" / "trustrail" / target).is_file(), (page, target)
