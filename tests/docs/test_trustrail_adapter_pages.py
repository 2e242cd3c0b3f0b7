"""The code blocks of the adapter and recorder pages run, in order, and print what they should."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

PAGES = {
    "add-an-adapter.md": [
        "turn-1 messages[0] I lost my card",
        "{'card_id': 'CARD-001', 'note': None}",
        "{'status': 'BLOCKED'} 9523456873",
        "block_card {'card_id': 'CARD-001'} unknown",
    ],
    "record-live.md": [
        "['customer_message', 'agent_invocation', 'model_call', 'agent_message']",
        "['customer_message', 'agent_invocation', 'model_call', 'agent_message']",
    ],
}
NEEDS = {"add-an-adapter.md": (), "record-live.md": ("google.adk", "langgraph")}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_page_runs_and_prints_what_it_says(page: str, tmp_path: Path) -> None:
    for package in NEEDS[page]:
        pytest.importorskip(package, reason=f"{package} is not installed")
    text = (ROOT / "docs" / "trustrail" / page).read_text(encoding="utf-8")
    program = "\n".join(BLOCK.findall(text))

    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        timeout=100,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == PAGES[page]
