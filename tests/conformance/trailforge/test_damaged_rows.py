"""Damage done to the rows themselves is named the same way on both stores, and the run is not loaded."""

from dataclasses import replace

import apsw
import psycopg
import pytest

from trailforge.errors import (
    AuthorityError,
    AuthorityUnavailableError,
    CheckpointMismatchError,
    JournalEditedError,
    JournalForkError,
    JournalGapError,
    JournalTruncatedError,
)
from trailforge.harness import Harness, RunStatus
from trailforge.testing import SAMPLE_ADAPTERS, sample_goal

DAMAGES = {
    "last row deleted": ("DELETE FROM journal WHERE sequence = 5", JournalTruncatedError),
    "middle row deleted": ("DELETE FROM journal WHERE sequence = 3", JournalGapError),
    "row edited": ("UPDATE journal SET entry = '[]' WHERE sequence = 2", JournalEditedError),
    "rows swapped": (
        (
            "UPDATE journal SET entry = (SELECT j.entry FROM journal j WHERE j.sequence = 5 - journal.sequence)"
            " WHERE sequence IN (2, 3)"
        ),
        JournalEditedError,
    ),
    "second row from the same one": (
        (
            "INSERT INTO journal (run, sequence, previous, entry, state_digest)"
            " SELECT run, 6, previous, '[]', state_digest FROM journal WHERE sequence = 3"
        ),
        JournalForkError,
    ),
    "output edited": ("UPDATE journal SET output = '1' WHERE sequence = 3", CheckpointMismatchError),
    "checkpoint edited": ("UPDATE runs SET checkpoint = replace(checkpoint, '3', '2')", CheckpointMismatchError),
    "status edited": ("UPDATE runs SET status = 'READY'", CheckpointMismatchError),
    "plan edited": ("UPDATE plans SET plan = replace(plan, 'echo', 'echa')", CheckpointMismatchError),
    "tenant edited": ("UPDATE runs SET tenant = 'beta'", CheckpointMismatchError),
}


def edit(authority, statement: str) -> None:
    if hasattr(authority._connection, "pragma"):
        authority._connection.execute(statement)
    else:
        # What guards against a fork while writing is taken away, as a person with the password could.
        authority._connection.execute("ALTER TABLE journal DROP CONSTRAINT IF EXISTS journal_run_previous_key")
        authority._connection.execute(statement.encode())


@pytest.mark.parametrize(("statement", "error"), DAMAGES.values(), ids=DAMAGES)
def test_damage_is_named(open_store, statement, error):
    """Row 21: fork, gap, truncation and edit are different findings."""
    authority = open_store()
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    harness.run(sample_goal(), "run-1")
    edit(authority, statement)

    with pytest.raises(error):
        harness.status("run-1")


LOST = {
    "the row of the run": "DELETE FROM runs WHERE run_id = 'run-1'",
    "the row and the plan": "DELETE FROM runs WHERE run_id = 'run-1'; DELETE FROM plans",
    "the row and the journal": "DELETE FROM journal; DELETE FROM runs WHERE run_id = 'run-1'",
}


@pytest.mark.parametrize("statement", LOST.values(), ids=LOST)
def test_id_of_a_run_whose_row_is_gone_is_not_used_again(open_store, statement):
    """Row 22: nothing runs again under it; other runs are not disturbed, and the store says what is missing."""
    authority = open_store()
    calls = []
    adapters = [replace(each, call=lambda request: calls.append(request.task_id)) for each in SAMPLE_ADAPTERS.values()]
    Harness(authority, SAMPLE_ADAPTERS.values()).run(sample_goal(), "run-1")
    edit(authority, statement)
    harness = Harness(authority, adapters)

    for refused in (
        lambda: harness.run(sample_goal(), "run-1"),
        lambda: harness.start(sample_goal(objective="another"), "run-1"),
        lambda: harness.resume(sample_goal(), "run-1"),
        lambda: harness.status("run-1"),
        lambda: authority.forget("run-1", 1),
    ):
        with pytest.raises(CheckpointMismatchError, match="run-1: it was created here and its row is gone"):
            refused()
    assert calls == []
    assert "run run-1: it was created here and its row is gone" in authority.diagnose().problems
    assert "run run-1: it was created here and its row is gone" in harness.audit()
    other = Harness(authority, SAMPLE_ADAPTERS.values()).run(sample_goal(), "run-2")
    assert other.status is RunStatus.COMPLETED


@pytest.mark.parametrize(
    "statement", ["DELETE FROM ids WHERE run_id = 'run-1'", "UPDATE ids SET forgotten = 1 WHERE run_id = 'run-1'"]
)
def test_run_whose_id_was_taken_off_the_list_is_damage(open_store, statement):
    """Row 22: once such a run is forgotten, nothing would keep its id from being given out again."""
    authority = open_store()
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    harness.run(sample_goal(), "run-1")
    edit(authority, statement)

    assert "run run-1: it is here and its id is not among those given out" in harness.audit()


@pytest.mark.parametrize("open_store", ["sqlite"], indirect=True)
def test_stored_text_that_is_no_text_is_an_edit(open_store):
    authority = open_store()
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    harness.run(sample_goal(), "run-1")
    edit(authority, "UPDATE journal SET entry = CAST(x'5bff5d' AS TEXT) WHERE sequence = 2")

    with pytest.raises(JournalEditedError, match="a row of it is not UTF-8"):
        harness.status("run-1")


@pytest.mark.parametrize("open_store", ["sqlite"], indirect=True)
def test_list_that_is_no_text_cannot_be_read(open_store):
    authority = open_store()
    Harness(authority, SAMPLE_ADAPTERS.values()).run(sample_goal(), "run-1")
    edit(authority, "UPDATE runs SET tenant = CAST(x'ff' AS TEXT)")

    with pytest.raises(AuthorityUnavailableError, match="cannot be read"):
        authority.runs()


@pytest.mark.parametrize("open_store", ["sqlite"], indirect=True)
@pytest.mark.parametrize("act", ["create", "commit", "forget", "notices", "units"])
def test_row_that_is_no_text_stops_a_write_and_a_read_alike(open_store, act):
    """What is damaged somewhere else in the file may be met by any statement."""
    authority = open_store()
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    harness.start(sample_goal(), "run-1")
    acts = {
        "create": lambda: harness.start(sample_goal(), "run-2"),
        "commit": lambda: harness.cancel("run-1", by="operator"),
        "forget": lambda: authority.forget("run-1", 1),
        "notices": authority.notices,
        "units": authority.units,
    }
    rows = authority._rows

    def damaged(name, values):
        if name in ("take_id", "append_journal", "retire_id", "list_notices", "read_ledger"):
            b"\xa5".decode()
        return rows(name, values)

    authority._rows = damaged
    with pytest.raises(AuthorityError, match=r"can't decode byte 0xa5"):
        acts[act]()
    authority._rows = rows

    assert [run.run_id for run in authority.runs()] == ["run-1"]
    assert harness.status("run-1").status is RunStatus.READY


def test_fork_cannot_be_written(open_store):
    """Row 21: two rows never continue from one: a unique key on PostgreSQL, the row number on SQLite."""
    authority = open_store()
    Harness(authority, SAMPLE_ADAPTERS.values()).run(sample_goal(), "run-1")
    sqlite = hasattr(authority._connection, "pragma")
    sequence = 3 if sqlite else 9
    statement = (
        "INSERT INTO journal (run, sequence, previous, entry, state_digest)"
        f" SELECT run, {sequence}, previous, '[]', state_digest FROM journal WHERE sequence = 3"
    )

    with pytest.raises((apsw.ConstraintError, psycopg.errors.UniqueViolation)):
        authority._connection.execute(statement)


def test_times_are_whole_numbers_and_text_is_kept_as_text(open_store):
    """Row 21: nothing that was hashed is read back as another type, so no precision is lost on the way."""
    authority = open_store()
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    run_id = harness.run(sample_goal()).run_id

    stored = authority.load(run_id)

    assert {type(entry.text) for entry in stored.entries} == {str}
    assert type(authority.now()) is int
    assert harness.status(run_id).record.state.clock <= authority.now()


@pytest.mark.parametrize("open_store", ["postgres"], indirect=True)
def test_lost_connection_is_replaced_before_the_answer_is_given(open_store):
    """A commit whose answer was lost is looked up over a new connection."""
    authority = open_store()
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    harness.start(sample_goal(), "run-1")
    rows = authority._rows

    def cut(name, values):
        found = rows(name, values)
        if name == "append_journal":
            authority._rows = rows
            killer = open_store()
            pid = authority._connection.info.backend_pid
            killer._connection.execute("SELECT pg_terminate_backend(%s)", [pid])
        return found

    authority._rows = cut
    with pytest.raises(Exception, match="still at version 1"):
        harness.resume(sample_goal(), "run-1")

    assert harness.resume(sample_goal(), "run-1").status.value == "COMPLETED"


@pytest.mark.parametrize("open_store", ["postgres"], indirect=True)
def test_postgres_judges_time_by_the_servers_clock(open_store):
    """Row 5: hosts' clocks do not matter."""
    authority = open_store()
    (server,) = authority._connection.execute("SELECT extract(epoch FROM clock_timestamp()) * 1000").fetchone()

    assert 0 <= authority.now() - int(server) < 60_000
    assert authority.diagnose().facts["clock"] == "server"


@pytest.mark.parametrize("open_store", ["postgres"], indirect=True)
def test_newer_postgres_schema_is_refused(open_store):
    from trailforge.errors import StoreRefusedError

    authority = open_store()
    authority._connection.execute("INSERT INTO schema_version (version) VALUES (99)")

    with pytest.raises(StoreRefusedError, match="is at version 99, this trailforge knows 2; use a newer trailforge"):
        open_store()
