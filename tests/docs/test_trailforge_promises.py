"""docs/trailforge/what-a-run-promises.md: its program prints what the page shows."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "trailforge" / "what-a-run-promises.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_program_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    shown = 0
    for language, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(text, PAGE.name, "exec"), names)  # the page is ours
            printed = capsys.readouterr().out
        else:
            assert printed == text
            shown += 1

    assert shown == 4
