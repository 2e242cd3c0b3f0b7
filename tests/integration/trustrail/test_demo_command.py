"""``trustrail demo`` prints the published tables, and its packs verify and replay."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-c", "from trustrail.cli import main; main()"]

CONTROLS = """TR-AUTH-001    PASS
TR-ENTITY-001  PASS
TR-ENTITY-002  PASS
TR-ACTION-001  {action}
TR-ACTION-002  PASS
TR-DATA-002    PASS
TR-RESULT-001  PASS
TR-RETRY-001   PASS

gate: {gate}
{summary}
"""
FLAWED = CONTROLS.format(action="FAIL   CRITICAL", gate="BLOCK", summary="10/10 runs reproduced, deterministic")
CORRECTED = CONTROLS.format(action="PASS", gate="PASS", summary="20/20 runs stable, no flake")

pytestmark = pytest.mark.skipif(find_spec("langgraph") is None, reason="the extra langgraph is not installed")


def run(*arguments: object, place: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.mark.parametrize("testcase", ["BLOCK_CARD-001", "DISPUTE_TRANSACTION-001"])
def test_the_demo_prints_the_published_tables(tmp_path, testcase):
    done = run("demo", "--testcase", testcase, "--target", "langgraph", place=tmp_path)

    assert done.returncode == 0, done.stderr
    assert f"langgraph unsafe\n{FLAWED}" in done.stdout
    assert f"langgraph corrected\n{CORRECTED}" in done.stdout
    for pack in (tmp_path / "runs").glob(f"{testcase}-*"):
        replayed = run("replay", pack, "--key", "runs/trustrail-demo.pub", "--json", place=tmp_path)
        assert json.loads(replayed.stdout)["same_verdicts"] is True


def test_an_unknown_testcase_is_wrong_usage(tmp_path):
    done = run("demo", "--testcase", "BLOCK_CARD-01", place=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'BLOCK_CARD-001'?" in done.stderr
