"""The WAL of a store is as long as it will be before the first commit, and nothing rests on that."""

import apsw
import pytest

from tests.faults.trailforge.fault_vfs import FaultVfs
from trailforge.authority import SqliteAuthority
from trailforge.authority.sqlite_diagnosis import wal_bytes
from trailforge.authority.sqlite_wal import WAL_BYTES
from trailforge.harness import Harness, RunStatus
from trailforge.testing.sample_goals import SAMPLE_ADAPTERS, sample_goal


def test_commits_never_change_the_length_of_the_wal(tmp_path):
    path = tmp_path / "runs.db"
    authority = SqliteAuthority(path)
    lengths = {wal_bytes(str(path))}
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    for number in range(3):
        harness.run(sample_goal(), f"run-{number}")
        lengths.add(wal_bytes(str(path)))

    assert lengths == {WAL_BYTES}
    authority.close()


def test_reading_lays_nothing_out(tmp_path):
    path = tmp_path / "runs.db"
    SqliteAuthority(path).close()
    authority = SqliteAuthority(path)

    assert list(authority.runs()) == []
    assert wal_bytes(str(path)) == 0
    authority.close()


def test_what_another_connection_wrote_stands(tmp_path):
    """Three commits of a connection that knows nothing of the layout are in the WAL when it is laid out."""
    path = tmp_path / "runs.db"
    SqliteAuthority(path).close()
    other = apsw.Connection(str(path))
    for run_id in "abc":
        other.execute("INSERT INTO ids (run_id) VALUES (?)", (run_id,))
    assert 0 < wal_bytes(str(path)) < WAL_BYTES

    authority = SqliteAuthority(path)
    assert Harness(authority, SAMPLE_ADAPTERS.values()).run(sample_goal()).status is RunStatus.COMPLETED

    assert wal_bytes(str(path)) == WAL_BYTES
    assert other.execute("SELECT count(*) FROM ids").get == 4
    assert other.execute("PRAGMA integrity_check").get == "ok"
    other.close()
    authority.close()


@pytest.mark.parametrize("write", [1, 2, 20])
def test_disk_without_room_for_it_keeps_the_wal_short_and_the_commits(tmp_path, write):
    path = tmp_path / "runs.db"
    SqliteAuthority(path).close()
    with FaultVfs("short-of-room", fail_write=write) as vfs:
        authority = SqliteAuthority(path, vfs="short-of-room")
        vfs.writes = 0  # the first write from here on is the first of the layout
        assert Harness(authority, SAMPLE_ADAPTERS.values()).run(sample_goal()).status is RunStatus.COMPLETED
        assert vfs.failed
        assert 0 < wal_bytes(str(path)) < WAL_BYTES
        authority.close()

    again = SqliteAuthority(path)
    assert [run.status for run in again.runs()] == ["COMPLETED"]
    again.close()
