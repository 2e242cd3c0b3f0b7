"""The output directory of the command: never overwritten, the same for any worker, resumed after an interrupt."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mast.cli.outcome import EXIT_BAD_INPUT, EXIT_INTERRUPTED, EXIT_OK
from tests.integration.mast_cli.conftest import Command

pytestmark = pytest.mark.slow

# A shell that starts jobs in the background makes them ignore SIGINT; the interpreter's handler is put back here.
INTERRUPTIBLE = """\
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from mast.cli import main
main()
"""
MATRIX = ("bench", "layered", "--verify", "mac")


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_tables_and_logs_are_the_same_with_one_worker_and_two_and_under_threads(mast: Command, tmp_path: Path) -> None:
    for name, *more in (("one",), ("two", "--workers", "2"), ("threads", "--runtime", "threads")):
        assert mast("bench", "freeze", "--out", str(tmp_path / name), *more).returncode == EXIT_OK

    assert files_in(tmp_path / "one") == files_in(tmp_path / "two") == files_in(tmp_path / "threads")


def test_string_hashing_changes_nothing(mast: Command) -> None:
    told = ("run", "converge_then_fork", "--fault", "confirmed_repair", "--json")

    printed = [mast(*told, PYTHONHASHSEED=hash_seed).stdout for hash_seed in ("0", "1", "random")]

    assert json.loads(printed[0])["status"] == "finished"
    assert printed[0] == printed[1] == printed[2]


def test_an_output_directory_does_not_depend_on_string_hashing(mast: Command, tmp_path: Path) -> None:
    for hash_seed in ("0", "1"):
        out = str(tmp_path / hash_seed)
        assert mast("bench", "freeze", "--out", out, PYTHONHASHSEED=hash_seed).returncode == EXIT_OK

    assert files_in(tmp_path / "0") == files_in(tmp_path / "1")


def test_a_directory_in_use_is_refused_with_the_remedies(mast: Command, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")

    ended = mast("bench", "freeze", "--out", str(tmp_path))

    assert ended.returncode == EXIT_BAD_INPUT
    assert f"{tmp_path} is not empty" in ended.stderr
    assert "name another directory" in ended.stderr
    assert files_in(tmp_path) == {"notes.txt": b"mine"}


def test_another_plan_is_not_resumed(mast: Command, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert mast("bench", "freeze", "--out", out).returncode == EXIT_OK

    ended = mast("bench", "freeze", "--verify", "mac", "--out", out, "--resume")

    assert ended.returncode == EXIT_BAD_INPUT
    assert "resume with the options it was started with, or name another directory" in ended.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupted_study_is_readable_and_resumed_to_the_same_bytes(
    mast: Command, tmp_path: Path, workers: str
) -> None:
    out = tmp_path / "out"
    told = (*MATRIX, "--workers", workers, "--out", str(out))
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *told], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _wait_for_lines(process, out / "runs.jsonl", 3)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)

    assert process.returncode == EXIT_INTERRUPTED
    assert f"finished runs are in {out}, and the same command with --resume continues them" in complaint
    rows = [json.loads(line) for line in (out / "runs.jsonl").read_text().splitlines()]
    assert 3 <= len(rows) < 150
    assert f"{len(rows)} of 150 runs carried out" in (out / "report.md").read_text()
    assert mast(*told, "--resume").returncode == EXIT_OK
    assert mast(*MATRIX, "--out", str(tmp_path / "whole")).returncode == EXIT_OK
    assert files_in(out) == files_in(tmp_path / "whole")


def _wait_for_lines(process: "subprocess.Popen[str]", path: Path, lines: int) -> None:
    deadline = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < lines:
        assert process.poll() is None, "the study ended before it could be interrupted"
        assert time.monotonic() < deadline
        os.sched_yield()
