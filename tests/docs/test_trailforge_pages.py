"""The code blocks of trailforge's profile, publishing and review pages run, in order, and print what they should."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# What a reader of the page expects to see, line by line.
PAGES = {
    "develop-profile.md": [
        r"3 problems",
        r"COMPLETED FAIL PASS",
        r"\['README', 'answer.txt'\]",
        r"candidate tree changed after it was verified.*",
        r"UNKNOWN FAIL|isolation of commands is unavailable: .*",
    ],
    "publish-safely.md": [
        r"UNKNOWN - the adapter failed: TimeoutError",
        r"\('op-[0-9a-f]{32}',\)",
        r"ACCEPTED",
        r"ACCEPTED",
    ],
    "offline-review.md": [
        r"INCOMPLETE 1 \['UNREADABLE_FILE', 'MALFORMED_FINDING'\]",
        r"\[<MessageState.SENT: 'SENT'>\]",
        r"\[\('app.py', 2, 'UNTRUSTED_SOURCE'\)\]",
    ],
}


@pytest.mark.parametrize("page", PAGES)
def test_page_runs_and_prints_what_it_says(page: str, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "trailforge" / page).read_text(encoding="utf-8")
    program = "\n".join(BLOCK.findall(text))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        timeout=60,
    )
    lines = done.stdout.splitlines()

    assert done.stderr == ""
    assert len(lines) == len(PAGES[page])
    for line, expected in zip(lines, PAGES[page], strict=True):
        assert re.fullmatch(expected, line), line
