"""A SQLite file is opened only with a library and on a file system that can keep it whole."""

import apsw
import pytest

from trailforge.authority import sqlite_connection
from trailforge.authority.named_sql import load_migrations
from trailforge.authority.sqlite import SqliteAuthority
from trailforge.authority.sqlite_gate import (
    file_system_type,
    has_wal_reset_bug,
    refuse_network_file_system,
    refuse_unsafe_library,
)
from trailforge.errors import CheckpointMismatchError, RunForgottenError, StoreRefusedError, UnknownRunError

# https://sqlite.org/wal.html: 3.7.0 to 3.51.2 are affected; 3.51.3, 3.50.7 and 3.44.6 are fixed.
VERSIONS = {
    "3.6.23": False,
    "3.7.0": True,
    "3.40.1": True,
    "3.44.5": True,
    "3.44.6": False,
    "3.45.0": True,
    "3.50.6": True,
    "3.50.7": False,
    "3.51.2": True,
    "3.51.3": False,
    "3.54.1": False,
}

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /mnt/share rw - nfs4 server:/export rw
31 30 0:41 / /mnt/share/local rw - xfs /dev/vdb rw
32 22 0:42 / /mnt/with\\040space rw - cifs //server/share rw
"""


@pytest.mark.parametrize(("version", "affected"), VERSIONS.items(), ids=VERSIONS)
def test_wal_reset_bug_is_known_by_version(version, affected):
    """Row 11: start with an affected version."""
    assert has_wal_reset_bug(version) is affected


def test_affected_library_is_refused_with_the_remedy():
    with pytest.raises(StoreRefusedError, match=r"SQLite 3\.40\.1 has the WAL-reset corruption bug.*install apsw"):
        refuse_unsafe_library("3.40.1")


def test_file_is_not_even_created_with_an_affected_library(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_connection.apsw, "sqlite_lib_version", lambda: "3.40.1")

    with pytest.raises(StoreRefusedError):
        SqliteAuthority(tmp_path / "runs.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/runs", "ext4"),
        ("/mnt/share/runs", "nfs4"),
        ("/mnt/share/local/runs", "xfs"),
        ("/mnt/sharefolder", "ext4"),
        ("/mnt/with space/runs", "cifs"),
    ],
)
def test_file_system_is_that_of_the_longest_mount(tmp_path, path, kind):
    from pathlib import Path

    assert file_system_type(Path(path), MOUNTS) == kind


def test_network_file_system_is_refused(tmp_path):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"22 1 0:1 / / rw - ext4 /dev/vda rw\n30 22 0:2 / {tmp_path} rw - nfs4 server:/export rw\n")

    with pytest.raises(StoreRefusedError, match="is on nfs4, a network file system, where WAL cannot work"):
        refuse_network_file_system(tmp_path, mounts)
    assert refuse_network_file_system(tmp_path, tmp_path / "absent") == "unknown"


def test_newer_schema_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "runs.db"
    SqliteAuthority(path).close()
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(StoreRefusedError, match="has schema 99, this trailforge knows 2; use a newer trailforge"):
        SqliteAuthority(path)


def test_file_of_another_kind_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "other.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE mine (x)")
    connection.close()

    before = path.read_bytes()

    with pytest.raises(StoreRefusedError, match="is a SQLite file of another kind"):
        SqliteAuthority(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["other.db"]


@pytest.mark.parametrize("version", [0, -1])
def test_store_whose_schema_number_is_lost_is_refused_by_name(tmp_path, version):
    path = tmp_path / "runs.db"
    SqliteAuthority(path).close()
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()

    with pytest.raises(StoreRefusedError, match=f"says it has schema {version}, but holds tables; restore it"):
        SqliteAuthority(path)


def test_store_of_the_first_schema_is_brought_to_the_newest(tmp_path):
    """A run and a retired id of the first schema are both known afterwards."""
    path = tmp_path / "runs.db"
    first = load_migrations("trailforge.authority", "sqlite_migrations")[0]
    application = int.from_bytes(b"TFrn", "big")
    connection = apsw.Connection(str(path))
    connection.execute(f"{first}; PRAGMA application_id = {application}; PRAGMA user_version = 1")
    connection.execute("INSERT INTO store VALUES (1, 'store-1', 9, 9, 9, 9); INSERT INTO retired VALUES ('old')")
    connection.execute("INSERT INTO ledgers VALUES ('global', 0, 0, 9, 9); INSERT INTO plans VALUES (zeroblob(32), '')")
    connection.execute(
        "INSERT INTO runs VALUES (1, 'kept', 'acme', zeroblob(32), 1, 'READY', '', zeroblob(32), zeroblob(32))"
    )
    connection.close()

    authority = SqliteAuthority(path)
    assert authority.store_id == "store-1"
    with pytest.raises(RunForgottenError):
        authority.load("old")
    with pytest.raises(UnknownRunError):
        authority.load("new")
    authority._connection.execute("DELETE FROM runs")
    with pytest.raises(CheckpointMismatchError, match="kept: it was created here and its row is gone"):
        authority.load("kept")
    authority.close()


def test_file_system_is_that_of_the_file_and_not_of_a_link_to_it(tmp_path, monkeypatch):
    """A link that lies on a local disk leads to a store that does not."""
    share, local = tmp_path / "share", tmp_path / "local"
    share.mkdir()
    local.mkdir()
    (local / "runs.db").symlink_to(share / "runs.db")
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"22 1 0:1 / / rw - ext4 /dev/vda rw\n30 22 0:2 / {share} rw - nfs4 server:/export rw\n")
    refuse = sqlite_connection.refuse_network_file_system
    monkeypatch.setattr(sqlite_connection, "refuse_network_file_system", lambda path: refuse(path, mounts))

    with pytest.raises(StoreRefusedError, match="is on nfs4"):
        SqliteAuthority(local / "runs.db")
    assert not (share / "runs.db").exists()


def test_doctor_tells_of_the_file_a_link_leads_to(tmp_path):
    (tmp_path / "link.db").symlink_to(tmp_path / "runs.db")
    authority = SqliteAuthority(tmp_path / "link.db")

    facts = authority.diagnose().facts

    assert int(facts["wal_bytes"]) == (tmp_path / "runs.db-wal").stat().st_size > 0
    authority.close()


def test_file_that_is_no_database_is_refused(tmp_path):
    path = tmp_path / "text.db"
    path.write_text("not a database, but long enough to be read as one " * 100)

    with pytest.raises(StoreRefusedError, match="expected a trailforge store"):
        SqliteAuthority(path)


def test_missing_folder_is_refused(tmp_path):
    with pytest.raises(StoreRefusedError, match="cannot be opened"):
        SqliteAuthority(tmp_path / "absent" / "runs.db")


def test_missing_table_is_not_created_again(tmp_path):
    """A damaged store is never opened as a new one."""
    path = tmp_path / "runs.db"
    SqliteAuthority(path).close()
    connection = apsw.Connection(str(path))
    connection.execute("DROP TABLE store")
    connection.close()

    with pytest.raises(StoreRefusedError):
        SqliteAuthority(path)
