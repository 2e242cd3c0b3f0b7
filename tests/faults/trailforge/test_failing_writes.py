"""The n-th write or flush fails, for every n: nothing corrupt, a legal prefix, no acknowledged transition missing."""

from contextlib import suppress

import apsw
import pytest

from tests.faults.trailforge.fault_vfs import FaultVfs
from tests.faults.trailforge.processes import assert_whole, finish
from trailforge.authority import SqliteAuthority
from trailforge.errors import AuthorityError, AuthorityUnavailableError, TrailforgeError, WriteFailedError
from trailforge.harness import Harness, restore
from trailforge.testing import SAMPLE_ADAPTERS, sample_goal

GOAL = sample_goal()


class Attempt:
    """One run through a failing VFS: what was acknowledged, how often callbacks ran, how it ended."""

    def __init__(self, path, **faults: int) -> None:
        self.acknowledged = 0
        self.calls = 0
        self.error: Exception | None = None
        with FaultVfs("failing", **faults) as vfs:
            try:
                self._run(path)
            except (TrailforgeError, apsw.Error) as error:
                self.error = error
            self.hit = vfs.failed
            self.writes, self.syncs = vfs.writes, vfs.syncs

    def _run(self, path) -> None:
        authority = SqliteAuthority(path, vfs="failing")
        commit, create = authority.commit, authority.create

        def acknowledged_commit(transition) -> None:
            commit(transition)
            self.acknowledged = transition.checkpoint.version

        def acknowledged_create(run) -> None:
            create(run)
            self.acknowledged = 1

        authority.commit, authority.create = acknowledged_commit, acknowledged_create
        try:
            Harness(authority, [self._counted(each) for each in SAMPLE_ADAPTERS.values()]).run(GOAL)
        finally:
            with suppress(apsw.Error):
                authority.close()

    def _counted(self, adapter):
        def call(request):
            self.calls += 1
            return adapter.call(request)

        values = {name: getattr(adapter, name) for name in type(adapter).__dataclass_fields__}
        return type(adapter)(**{**values, "call": call})


def assert_survived(path, attempt: Attempt) -> None:
    connection = apsw.Connection(str(path))
    assert connection.pragma("integrity_check") == "ok"
    connection.close()
    authority = SqliteAuthority(path)
    stored = [authority.load(run.run_id) for run in authority.runs()]
    versions = [restore(run, authority.store_id).version for run in stored]
    authority.close()
    assert len(versions) == (1 if attempt.acknowledged else len(versions))
    assert all(version >= attempt.acknowledged for version in versions)
    assert_whole(path, finish(path, GOAL))


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("kind", ["write", "sync"])
def test_every_failing_call_leaves_a_legal_prefix(tmp_path, kind, lasting):
    """Row 12: disk full or a failed flush at the receipt, the journal row, the checkpoint and everywhere else."""
    number = 0
    while True:
        number += 1
        path = tmp_path / str(number) / "runs.db"
        path.parent.mkdir()
        attempt = Attempt(path, **{f"fail_{kind}": number, "lasting": lasting})
        if not attempt.hit:
            break
        assert_survived(path, attempt)
    # Each of the 5 transitions writes and flushes at least once.
    assert number > 5


def test_receipt_that_cannot_be_stored_is_unknown_and_nothing_more_is_called(tmp_path):
    """Row 12: the effect happened and its receipt is not stored: UNKNOWN, never FAILED, and nothing is dispatched."""
    path = tmp_path / "runs.db"
    whole = Attempt(tmp_path / "whole.db")
    first_call_ends = calls_by_write(tmp_path, whole.writes)

    attempt = Attempt(path, fail_write=first_call_ends, lasting=True)

    assert isinstance(attempt.error, AuthorityError)
    assert attempt.calls == 1
    authority = SqliteAuthority(path)
    view = Harness(authority, SAMPLE_ADAPTERS.values()).resume(GOAL, fence=True)
    assert (view.status.value, view.hold.task) == ("UNKNOWN", "echo-1")
    authority.close()


def test_receipt_that_failed_once_leaves_its_doubt_in_the_store_at_once(tmp_path):
    """Row 12: nobody has to wait for the lease to end to learn that the effect happened and its receipt is missing."""
    path = tmp_path / "runs.db"
    whole = Attempt(tmp_path / "whole.db")
    first_call_ends = calls_by_write(tmp_path, whole.writes)

    attempt = Attempt(path, fail_write=first_call_ends)

    assert isinstance(attempt.error, AuthorityError)
    assert attempt.calls == 1
    authority = SqliteAuthority(path)
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    (run_id,) = harness.run_ids()
    view = harness.status(run_id)
    assert (view.status.value, view.hold.task, view.hold.reason) == ("UNKNOWN", "echo-1", "RECEIPT_NOT_STORED")
    authority.close()


def calls_by_write(tmp_path, writes: int) -> int:
    """Number of the first write after the first callback, found by failing ever later ones."""
    for number in range(1, writes):
        attempt = Attempt(tmp_path / f"probe-{number}.db", fail_write=number, lasting=True)
        if attempt.calls == 1:
            return number
    raise AssertionError("no callback ran")


def test_failed_write_is_read_again_before_it_is_called_failed(tmp_path):
    """An I/O error is not a "no": when the transition is found in the store it counts as written."""
    authority = SqliteAuthority(tmp_path / "runs.db")
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    harness.start(GOAL)
    rows = authority._rows

    def fail_after_commit(name, values):
        found = rows(name, values)
        if name == "append_journal":
            authority._connection.execute("COMMIT")
            raise apsw.IOError("the answer was lost")
        return found

    authority._rows = fail_after_commit
    view = harness.advance(GOAL)
    authority._rows = rows

    assert (view.status.value, view.done) == ("READY", 1)
    assert harness.status(view.run_id).head == view.head
    authority.close()


def test_failed_write_that_left_nothing_is_told_as_such(tmp_path):
    authority = SqliteAuthority(tmp_path / "runs.db")
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    run_id = harness.start(GOAL).run_id
    rows = authority._rows

    def fail(name, values):
        if name == "append_journal":
            raise apsw.FullError("disk full")
        return rows(name, values)

    authority._rows = fail
    with pytest.raises(WriteFailedError, match=r"is still at version 1: .* failed to write: disk full"):
        harness.advance(GOAL)
    authority._rows = rows

    assert harness.status(run_id).status.value == "READY"
    authority.close()


def test_store_that_can_be_neither_written_nor_read_says_that_it_does_not_know(tmp_path):
    authority = SqliteAuthority(tmp_path / "runs.db")
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    harness.start(GOAL)
    rows = authority._rows

    def fail(name, values):
        if name in ("append_journal", "settle_position"):
            raise apsw.IOError("gone")
        return rows(name, values)

    authority._rows = fail
    with pytest.raises(AuthorityUnavailableError, match=r"failed to write \(gone\) and to read \(gone\)"):
        harness.advance(GOAL)
    authority._rows = rows
    authority.close()
