"""The shell's view: tables for people, JSON for machines, exit codes 0, 1, 2 and 3."""

import json
import sys
from pathlib import Path

import apsw
import psycopg
import pytest
from typer.testing import CliRunner

from trailforge.authority import SqliteAuthority
from trailforge.cli import app
from trailforge.cli.opening import load_adapters
from trailforge.harness import Harness, RunStatus
from trailforge.work.goal_file import load_goal
from trustrail.foundation import FixedClock

DOCS = Path(__file__).parents[3] / "docs" / "trailforge"
GOAL = str(DOCS / "example_goal.yaml")


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """Run ``trailforge`` beside the example adapters, on a store of its own."""
    monkeypatch.chdir(DOCS)
    monkeypatch.setenv("TRAILFORGE_STORE", str(tmp_path / "runs.db"))
    monkeypatch.setenv("TRAILFORGE_ADAPTERS", "example_adapters:ADAPTERS")

    def run(*arguments: str):
        return CliRunner().invoke(app, list(arguments))

    return run


def value(result):
    return json.loads(result.stdout)


def failing_goal(tmp_path, adapter_text: str = "raise ValueError('down')") -> None:
    (tmp_path / "failing_adapters.py").write_text(
        "from trailforge.work import Adapter, AdapterKind\n"
        f"def work(request):\n    {adapter_text}\n"
        "ADAPTERS = [Adapter(name='count-words', version='1', kind=AdapterKind.RESEARCH, call=work),\n"
        "  Adapter(name='judge-count', version='1', kind=AdapterKind.VERIFY, call=lambda r: {'verdict': 'PASS'})]\n"
    )


def test_run_completes_and_status_verify_and_journal_agree(shell):
    run = value(shell("run", GOAL, "--json"))
    assert (run["status"], run["done"], run["units_used"]) == ("COMPLETED", 2, 2)

    assert value(shell("status", "--json")) == [run]
    assert value(shell("verify", "--json", run["run"], "--head", run["head"]))[0]["verdict"] == "PASS"
    kinds = [event["event"] for event in value(shell("journal", run["run"], "--json"))]
    assert kinds == ["RunAdmitted", "AttemptBegan", "AttemptSucceeded", "AttemptBegan", "AttemptSucceeded"]
    assert "COMPLETED" in shell("status").stdout
    assert "AttemptBegan" in shell("journal", run["run"]).stdout


def test_pause_and_resume(shell):
    paused = shell("run", GOAL, "--pause-after", "count", "--json")
    assert (paused.exit_code, value(paused)["status"]) == (0, "PAUSED")

    assert value(shell("resume", GOAL, "--json"))["status"] == "COMPLETED"


def test_held_run_is_listed_with_its_reason_and_the_legal_commands(shell, tmp_path, monkeypatch):
    """Row 29: status lists every hold with the reason and the legal commands."""
    failing_goal(tmp_path)
    monkeypatch.chdir(tmp_path)
    held = shell("run", GOAL, "--adapters", "failing_adapters:ADAPTERS", "--json")
    assert held.exit_code == 1

    status = value(shell("status", "--json"))[0]
    assert status["hold"]["reason"] == "ADAPTER_RAISED"
    assert status["legal"] == ["resolve count retry", "resolve count cancel", "cancel"]
    retried = shell("resolve", status["run"], "count", "retry", "--by", "operator", "--json")
    assert (retried.exit_code, value(retried)["status"]) == (0, "READY")
    cancelled = shell("cancel", status["run"], "--by", "operator", "--json")
    assert value(cancelled)["status"] == "CANCELLED"


def test_doctor_names_the_library_and_the_mode(shell):
    shell("run", GOAL)

    facts = value(shell("doctor", "--json"))["facts"]

    assert facts["library"].startswith("SQLite 3.")
    assert (facts["journal_mode"], facts["synchronous"], facts["wal_reset_bug"]) == (
        "wal",
        "FULL",
        "fixed in this library",
    )
    assert facts["runs_COMPLETED"] == "1"
    assert shell("doctor").exit_code == 0


def test_edited_row_makes_verify_fail(shell, tmp_path):
    run = value(shell("run", GOAL, "--json"))["run"]
    connection = apsw.Connection(str(tmp_path / "runs.db"))
    connection.execute("UPDATE journal SET entry = '[]' WHERE sequence = 2")
    connection.close()

    result = shell("verify", "--json")

    assert result.exit_code == 1
    assert value(result)[0]["problem"].startswith(
        f"JournalEditedError: run {run}: journal row 2 is not what was written"
    )
    assert shell("status", run).exit_code == 1


def test_head_kept_elsewhere_is_compared(shell):
    run = value(shell("run", GOAL, "--json"))["run"]

    result = shell("verify", run, "--head", "00" * 32, "--json")

    assert (result.exit_code, value(result)[0]["verdict"]) == (1, "FAIL")


def test_crashtest_finds_no_unrecorded_repeat(shell):
    result = shell("crashtest", GOAL, "--json")

    trials = value(result)
    assert result.exit_code == 0
    assert [trial["ended"] for trial in trials] == ["COMPLETED"] * len(trials)
    assert {"after call count", "before commit 3"} <= {trial["killed"] for trial in trials if trial["ran twice"]}
    assert [trial["unrecorded"] for trial in trials] == [{}] * len(trials)


BAD = {
    "no goal file": (("run", "absent.yaml"), 2, "absent.yaml cannot be read: No such file or directory"),
    "no such module": (("run", GOAL, "--adapters", "absent:ADAPTERS"), 2, "No module named 'absent'"),
    "no colon": (("run", GOAL, "--adapters", "absent"), 2, "has no colon, expected package.module:NAME"),
    "no such name": (("run", GOAL, "--adapters", "example_adapters:NONE"), 2, "has no 'NONE'"),
    "no adapters": (("run", GOAL, "--adapters", "json:dumps"), 2, "expected one or more trailforge.work.Adapter"),
    "no store": (("status",), 2, "does not exist; start a run with it first"),
    "no such decision": (("resolve", "r", "t", "maybe", "--by", "x"), 2, "expected retry or cancel"),
    "a head without a run": (("verify", "--head", "00"), 2, "--head belongs to one run"),
    "no argument": (("run",), 2, "Missing argument"),
}


@pytest.mark.parametrize(("arguments", "code", "text"), BAD.values(), ids=BAD)
def test_wrong_usage_is_one_line_and_exit_code_2(shell, arguments, code, text):
    result = shell(*arguments)

    assert result.exit_code == code
    assert text in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


def test_refused_goal_lists_every_problem_and_exits_3(shell, tmp_path):
    goal = tmp_path / "bad.yaml"
    text = Path(GOAL).read_text().replace("tenant: acme", 'tenant: ""').replace("max_units: 10", "max_units: 0")
    goal.write_text(text)

    result = shell("run", str(goal))

    assert result.exit_code == 3
    assert [line.split(": ")[1:3] for line in result.stderr.splitlines()] == [
        [f"{goal}:1", "tenant"],
        [f"{goal}:14", "limits.max_units"],
    ]


def test_unknown_run_exits_3_and_debug_shows_the_traceback(shell):
    shell("run", GOAL)

    assert shell("status", "run-none").exit_code == 3
    assert type(shell("--debug", "status", "run-none").exception).__name__ == "UnknownRunError"


def test_caps_cannot_be_changed_from_the_shell(shell):
    assert shell("run", GOAL, "--global-total", "50").exit_code == 0

    result = shell("run", GOAL, "--global-total", "60")

    assert result.exit_code == 3
    assert "open it with its own caps" in result.stderr


def adapters_that(tmp_path, monkeypatch, text: str) -> None:
    """Let adapters whose work is *text* stand beside the shell."""
    failing_goal(tmp_path, text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("TRAILFORGE_ADAPTERS", "failing_adapters:ADAPTERS")
    monkeypatch.delitem(sys.modules, "failing_adapters", raising=False)


def test_an_adapter_that_ends_the_process_is_held_shown_and_no_success(shell, tmp_path, monkeypatch):
    adapters_that(tmp_path, monkeypatch, "raise SystemExit(0)")

    result = shell("run", GOAL, "--json")

    assert (result.exit_code, value(result)["status"]) == (1, "UNKNOWN")
    assert "was interrupted (SystemExit)" in result.stderr


def test_what_an_adapter_prints_is_not_mixed_with_the_result(shell, tmp_path, monkeypatch):
    adapters_that(tmp_path, monkeypatch, "print('working'); return {}")

    result = shell("run", GOAL, "--json")

    assert value(result)["status"] == "COMPLETED"
    assert "working" in result.stderr


BROKEN_MODULES = {
    "does not parse": ("ADAPTERS = (", "SyntaxError"),
    "raises": ("1 / 0", "ZeroDivisionError: division by zero"),
    "ends the process": ("raise SystemExit(0)", "SystemExit"),
}


@pytest.mark.parametrize(("text", "problem"), BROKEN_MODULES.values(), ids=BROKEN_MODULES)
def test_adapters_that_cannot_be_imported_are_one_line_and_leave_no_store(shell, tmp_path, monkeypatch, text, problem):
    (tmp_path / "broken_adapters.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "broken_adapters", raising=False)

    result = shell("run", GOAL, "--adapters", "broken_adapters:ADAPTERS")

    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert problem in result.stderr
    assert not (tmp_path / "runs.db").exists()


REFUSED = {
    "a store that is not kept": (("run", GOAL, "--store", ""), 2, "expected a file that is kept"),
    "a store in memory": (("status", "--store", ":memory:"), 2, "expected a file that is kept"),
    "a run id of another file": (("run", GOAL, "--run-id", "../../x"), 3, "run_id: is '../../x', expected"),
    "a run id no text can hold": (("run", GOAL, "--run-id", "a\udcff"), 3, "run_id: is 'a\\udcff', expected"),
    "a pause after nothing": (("run", GOAL, "--pause-after", "cuont"), 3, "did you mean 'count'?"),
    "a cap no integer keeps": (("run", GOAL, "--tenant-total", "9" * 20), 3, "cap tenant_total is 9999"),
}


@pytest.mark.parametrize(("arguments", "code", "text"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_refused_before_a_store_is_made(shell, tmp_path, arguments, code, text):
    result = shell(*arguments)

    assert (result.exit_code, text in result.stderr) == (code, True)
    assert not (tmp_path / "runs.db").exists()


def test_a_store_that_lost_its_content_is_not_taken_for_a_new_one(shell, tmp_path):
    shell("run", GOAL)
    (tmp_path / "runs.db").write_bytes(b"")

    for command in ("status", "verify", "doctor"):
        result = shell(command)
        assert (result.exit_code, "is an empty file" in result.stderr) == (3, True)
    assert (tmp_path / "runs.db").read_bytes() == b""


EDITED = {
    "a ledger that spent less": ("UPDATE ledgers SET spent = 0", "units spent, journals tell 2"),
    "a ledger that reserves": ("UPDATE ledgers SET reserved = 7", "units reserved, journals tell 0"),
    "a notice nobody sent": (
        "INSERT INTO notices SELECT 1, run_id, 1, 'UNKNOWN', 'count', 'x' FROM runs",
        "are not the 0 its journal announces",
    ),
}


@pytest.mark.parametrize(("statement", "problem"), EDITED.values(), ids=EDITED)
def test_edited_ledgers_and_notices_make_verify_fail(shell, tmp_path, statement, problem):
    shell("run", GOAL)
    connection = apsw.Connection(str(tmp_path / "runs.db"))
    connection.execute(statement)
    connection.close()

    result = shell("verify", "--json")

    assert result.exit_code == 1
    assert any(problem in finding["problem"] for finding in value(result) if finding["run"] == "(store)")


@pytest.mark.parametrize("statement", ["UPDATE ledgers SET total_cap = 99", "UPDATE store SET global_total = 99"])
def test_caps_edited_in_the_file_are_not_obeyed(shell, tmp_path, statement):
    shell("run", GOAL)
    connection = apsw.Connection(str(tmp_path / "runs.db"))
    connection.execute(statement)
    connection.close()

    result = shell("status")

    assert (result.exit_code, "somebody edited one of them" in result.stderr) == (3, True)


def test_damaged_run_hides_no_other_one(shell, tmp_path):
    shell("run", GOAL, "--run-id", "broken")
    shell("run", GOAL, "--run-id", "whole")
    connection = apsw.Connection(str(tmp_path / "runs.db"))
    connection.execute("UPDATE runs SET checkpoint = '{}' WHERE run_id = 'broken'")
    connection.close()

    result = shell("status", "--json")
    whole, broken = value(result)
    table = shell("status")

    assert (result.exit_code, table.exit_code) == (1, 1)
    assert (whole["run"], whole["status"]) == ("whole", "COMPLETED")
    assert broken["run"] == "broken"
    assert broken["damage"].startswith("CheckpointMismatchError: run broken: its checkpoint does not have its checksum")
    assert "DAMAGED" in table.stdout
    assert "whole" in table.stdout


def test_attempt_whose_lease_ended_is_shown_as_a_hold(shell, tmp_path, monkeypatch):
    """Row 29: the process is dead, the lease is over, and nobody has said so in the store yet."""
    lasting = tmp_path / "lasting.yaml"
    lasting.write_text(Path(GOAL).read_text().replace("lease_seconds: 60", "lease_seconds: 1"))
    clock = FixedClock(1_000_000.0)
    authority = SqliteAuthority(tmp_path / "runs.db", clock=clock)
    goal = load_goal(lasting).goal
    harness = Harness(authority, load_adapters("example_adapters:ADAPTERS"))
    record = harness._start(goal, "dead")
    harness._session(record).begin()
    running = harness.status("dead")
    clock.advance(1)
    over = harness.status("dead")
    authority.close()
    shown = value(shell("status", "dead", "--json"))[0]

    assert (running.hold, running.legal) == (None, ("resume --fence", "cancel"))
    assert (over.hold.task, over.hold.reason, over.hold.since) == ("count", "LEASE_EXPIRED", 1_000_001_000)
    assert (over.status, over.legal) == (RunStatus.RUNNING, ("resume", "cancel"))
    assert (shown["hold"]["reason"], shown["legal"]) == ("LEASE_EXPIRED", ["resume", "cancel"])
    assert value(shell("resume", str(lasting), "--run-id", "dead", "--json"))["status"] == "UNKNOWN"


def test_resume_of_a_changed_goal_says_how_to_find_its_run(shell, tmp_path):
    shell("run", GOAL)
    changed = tmp_path / "changed.yaml"
    changed.write_text(Path(GOAL).read_text().replace("expected: 6", "expected: 7"))

    result = shell("resume", str(changed))

    assert result.exit_code == 2
    assert "is not in store" in result.stderr
    assert "if the goal was changed since, name the run with --run-id" in result.stderr


def test_what_an_adapter_raised_moves_no_cursor(shell, tmp_path, monkeypatch):
    failing_goal(tmp_path, r"raise ValueError('\x1b[2J\x1b]0;gone\x07')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "failing_adapters", raising=False)

    result = shell("run", GOAL, "--adapters", "failing_adapters:ADAPTERS")

    assert "\x1b" not in result.stdout
    assert r"\x1b[2J\x1b]0;gone" in result.stdout


def test_looking_at_a_schema_that_is_not_there_makes_none(shell, postgres_dsn):
    url = "postgresql://" + "@".join(
        (
            dict(part.split("=") for part in postgres_dsn.split())["user"],
            "{host}:{port}/{dbname}".format(**dict(part.split("=") for part in postgres_dsn.split())),
        )
    )
    for command in ("status", "doctor", "verify"):
        result = shell(command, "--store", url, "--schema", "mistyped")
        assert (result.exit_code, "schema mistyped does not exist" in result.stderr) == (3, True)
    with psycopg.connect(postgres_dsn) as connection:
        assert connection.execute("SELECT to_regnamespace('mistyped')").fetchone() == (None,)
