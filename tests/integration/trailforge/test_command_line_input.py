"""What a command line may name: odd goals, adapters and folders end in one line, whichever command meets them."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trailforge.cli import app
from trailforge.harness import Harness

GOAL = (Path(__file__).parents[3] / "docs" / "trailforge" / "example_goal.yaml").read_text()

ADAPTERS = """
import os
from dataclasses import replace
from itertools import repeat
from trailforge.work import Adapter, AdapterKind

COUNT = Adapter(name="count-words", version="1", kind=AdapterKind.RESEARCH, call=lambda request: {"words": 6})
JUDGE = Adapter(name="judge-count", version="1", kind=AdapterKind.VERIFY, call=lambda request: {"verdict": "PASS"})
ADAPTERS = (COUNT, JUDGE)

def broken():
    yield COUNT
    raise RuntimeError("broke off")

class Shy(dict):
    def values(self):
        raise RuntimeError("not now")

BROKEN = broken()
ENDLESS = repeat(COUNT)
SHY = Shy(count=COUNT)
NAMELESS = (COUNT, replace(JUDGE, name=["judge-count"]))
TWICE = (COUNT, JUDGE, replace(COUNT, version="2"))
QUITTING = (COUNT, replace(JUDGE, call=lambda request: os._exit(0)))
MUTE = (COUNT, replace(JUDGE, call=None))
"""


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """Run ``trailforge`` beside these adapters, with *goal* as its goal file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "odd", raising=False)
    (tmp_path / "odd.py").write_text(ADAPTERS)
    (tmp_path / "goal.yaml").write_text(GOAL)

    def run(*arguments: str):
        result = CliRunner().invoke(app, list(arguments))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


VALUES = {
    "not a number": ".nan",
    "infinity": ".inf",
    "minus infinity": "-.inf",
    "beyond the largest double": "1e400",
    "minus zero": "-0.0",
    "2**53": "9007199254740992",
    "2**64": "18446744073709551616",
    "5,000 digits": "9" * 5_000,
    "lone surrogate": r'"\ud800"',
    "lone surrogate as key": r'{"\ud800": 1}',
    "NUL": r'"a\u0000b"',
    "the same key twice": "{a: 1, a: 2}",
    "key that is no text": "{1: 2}",
    "bytes": "!!binary aGk=",
    "set": "!!set {a}",
    "10,000 levels": "[" * 10_000 + "]" * 10_000,
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("command", ["run", "resume", "crashtest"])
def test_value_that_has_no_place_in_a_goal_is_refused_by_every_command_that_reads_one(shell, tmp_path, command, value):
    """Row 17, at the command line: an error that names the file, nothing stored, nothing run."""
    (tmp_path / "goal.yaml").write_text(GOAL.replace("input: {", f"input: {{odd: {value}, ", 1))
    store = () if command == "crashtest" else ("--store", "runs.db")

    result = shell(command, "goal.yaml", "--adapters", "odd:ADAPTERS", *store)

    assert result.exit_code in (2, 3)
    assert result.stderr.startswith("trailforge: goal.yaml")
    assert not (tmp_path / "runs.db").exists()


REFUSED = {
    "BROKEN": "cannot be imported: RuntimeError: broke off",
    "SHY": "cannot be imported: RuntimeError: not now",
    "NAMELESS": "adapters[1].name: is a list, expected a str",
    "TWICE": "adapters[2].name: repeats 'count-words'; every adapter name is used once",
    "MUTE": "tasks[1].adapter.call: is a NoneType, expected a function of a Request",
    "ENDLESS": "tasks[1].adapter: is 'judge-count', which is not registered",
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("command", ["run", "resume", "crashtest"])
def test_adapters_that_cannot_be_used_are_refused_before_anything_is_stored(shell, tmp_path, command, name):
    store = () if command == "crashtest" else ("--store", "runs.db")

    result = shell(command, "goal.yaml", "--adapters", f"odd:{name}", *store)

    assert result.exit_code in (2, 3)
    assert REFUSED[name] in result.stderr
    assert not (tmp_path / "runs.db").exists()


def test_file_without_an_end_is_not_read_to_it(shell):
    result = shell("run", "/dev/zero", "--adapters", "odd:ADAPTERS")

    assert (result.exit_code, "is larger than 4194304 bytes" in result.stderr) == (2, True)


def test_crash_test_says_that_its_folder_cannot_be_made(shell, tmp_path):
    (tmp_path / "file").write_text("")

    result = shell("crashtest", "goal.yaml", "--adapters", "odd:ADAPTERS", "--keep", "file/kept")

    assert (result.exit_code, "cannot be made: Not a directory" in result.stderr) == (3, True)


def test_crash_test_that_fails_leaves_the_store_it_names(shell, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    failed = shell("crashtest", "goal.yaml", "--adapters", "odd:QUITTING")
    (folder,) = tmp_path.glob("trailforge-crashtest-*")
    passed = shell("crashtest", "goal.yaml", "--adapters", "odd:ADAPTERS")

    assert (failed.exit_code, passed.exit_code) == (3, 0)
    assert f"see {folder / '0-no-kill'}" in failed.stderr
    assert (folder / "0-no-kill" / "runs.db").exists()
    assert list(tmp_path.glob("trailforge-crashtest-*")) == [folder]


def test_run_that_was_interrupted_before_an_attempt_is_no_success(shell, monkeypatch):
    """Whoever waits for exit code 0 waits for the end of the run, or for the pause that was asked for."""

    def interrupted(harness, goal, *_, **__):
        harness.start(goal)
        raise KeyboardInterrupt

    monkeypatch.setattr(Harness, "run", interrupted)

    result = shell("run", "goal.yaml", "--adapters", "odd:ADAPTERS", "--store", "runs.db", "--json")

    assert (result.exit_code, '"status":"READY"' in result.stdout) == (1, True)
    assert "was interrupted (KeyboardInterrupt)" in result.stderr
