"""Several processes and connections on one file: nobody sees SQLITE_BUSY, nobody writes on a stale read."""

import os

import apsw
import pytest

from tests.faults.trailforge.processes import in_child
from tests.unit.trailforge.goals import make_goal, verify_adapter, work_adapter
from trailforge.authority import SqliteAuthority, Units
from trailforge.authority.sqlite_connection import open_connection
from trailforge.authority.sqlite_diagnosis import wal_bytes
from trailforge.errors import AuthorityBusyError, ConflictError, CorruptStoreError
from trailforge.harness import Harness, RunStatus
from trailforge.harness.decisions import after_crash
from trailforge.harness.session import Session
from trailforge.harness.telemetry import NoTelemetry
from trailforge.testing import SAMPLE_ADAPTERS, sample_goal
from trailforge.work import Recovery
from trailforge.workspace import ArtifactScope, LocalArtifactStore
from trustrail.foundation import FixedClock

ADAPTERS = tuple(SAMPLE_ADAPTERS.values())


@pytest.mark.slow
def test_eight_processes_share_one_file(tmp_path):
    """Row 9: every write transaction takes the lock before it reads, and waits for it."""
    path = tmp_path / "runs.db"
    SqliteAuthority(path).close()
    children = [fork_worker(path) for _ in range(8)]

    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]

    assert codes == [0] * 8
    authority = SqliteAuthority(path)
    assert authority.units() == Units(reserved=0, spent=8 * 4 * 3 * 2)  # processes, goals, tasks, units
    assert {run.status for run in authority.runs()} == {"COMPLETED"}
    authority.close()


def fork_worker(path) -> int:
    """Fork a process that completes four goals and exits 0; return its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        authority = SqliteAuthority(path)
        for number in range(4):
            goal = sample_goal(objective=f"{os.getpid()} {number}")
            assert Harness(authority, ADAPTERS).run(goal).status is RunStatus.COMPLETED
        authority.close()
        code = 0
    finally:
        os._exit(code)


def test_second_resumer_with_a_stale_read_gets_a_conflict_and_runs_nothing(tmp_path):
    """Row 3: two resumers read the same in-doubt attempt; the first claims it, the second must not run the body."""
    calls = []
    clock = FixedClock(0)
    goal = make_goal(recovery=Recovery.REATTEMPT_READS)
    adapters = {each.name: each for each in (work_adapter(lambda request: calls.append(1) or {}), verify_adapter())}
    authorities = [SqliteAuthority(tmp_path / "runs.db", clock=clock) for _ in range(2)]
    crashing = [work_adapter(interrupt), verify_adapter()]
    with pytest.raises(KeyboardInterrupt):
        Harness(Deaf(authorities[0]), crashing).run(goal, "run-1")
    records = [Harness(each, adapters.values()).status("run-1").record for each in authorities]
    first, second = (
        Session(authority, adapters, f"holder-{number}", NoTelemetry(), record)
        for number, (authority, record) in enumerate(zip(authorities, records, strict=True))
    )
    claim = after_crash("run-1", records[0].state, 0, fence=True)

    first.commit(claim)
    with pytest.raises(ConflictError, match="no longer at version 2"):
        second.commit(claim)

    assert calls == []
    for authority in authorities:
        authority.close()


def interrupt(request):
    raise KeyboardInterrupt


class Deaf:
    """An authority that loses what a dying process still says: everything after the first commit."""

    def __init__(self, authority) -> None:
        self._authority = authority
        self._commits = 0

    def commit(self, transition) -> None:
        self._commits += 1
        if self._commits == 1:
            self._authority.commit(transition)

    def __getattr__(self, name: str):
        return getattr(self._authority, name)


def test_lock_that_never_comes_free_is_a_typed_retryable_error(tmp_path):
    """Row 9: a bounded wait, then an error that provably changed nothing."""
    path = tmp_path / "runs.db"
    authority = SqliteAuthority(path)
    authority._connection.set_busy_timeout(1)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(AuthorityBusyError, match="stayed locked; nothing was written, try again"):
        Harness(authority, ADAPTERS).start(sample_goal())
    other.execute("ROLLBACK")
    other.close()

    assert list(authority.runs()) == []
    assert Harness(authority, ADAPTERS).run(sample_goal()).status is RunStatus.COMPLETED
    authority.close()


@pytest.mark.slow
def test_wal_is_bounded_once_a_reader_ends(tmp_path):
    """Row 10: a foreign reader holds its snapshot while 20,000 transactions commit; the WAL shrinks after it."""
    path = tmp_path / "runs.db"
    authority = SqliteAuthority(path)
    connection = authority._connection
    connection.execute("PRAGMA synchronous = OFF")  # flushing is not what is looked at here
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM ledgers").get  # noqa: B018 - takes the snapshot
    for _ in range(20_000):
        connection.execute("UPDATE ledgers SET spent = spent + 1")
    grown = wal_bytes(str(path))
    reader.execute("ROLLBACK")
    reader.close()

    for _ in range(2_000):
        connection.execute("UPDATE ledgers SET spent = spent + 1")

    assert grown > 20_000 * 4_096
    assert authority.diagnose().facts["wal_bytes"] == str(wal_bytes(str(path)))
    assert wal_bytes(str(path)) <= 4 << 20
    authority.close()


def test_no_reader_of_ours_stays_open_between_calls(tmp_path):
    """Row 10: after every call the connection is outside any transaction."""
    authority = SqliteAuthority(tmp_path / "runs.db")
    harness = Harness(authority, ADAPTERS)
    run_id = harness.run(sample_goal()).run_id

    for look in (
        lambda: authority.load(run_id),
        authority.runs,
        authority.units,
        authority.notices,
        authority.diagnose,
    ):
        look()
        assert not authority._connection.in_transaction
    authority.close()


@pytest.mark.parametrize("deleted", ["journal WHERE sequence > 2", "journal", "plans"])
def test_half_deleted_run_is_corrupt_and_not_started_anew(tmp_path, deleted):
    """Row 22: a deletion that was cut short never lets the same id run again or replay an older result."""
    authority = SqliteAuthority(tmp_path / "runs.db")
    harness = Harness(authority, ADAPTERS)
    harness.run(sample_goal(), "run-1")
    authority._connection.execute(f"DELETE FROM {deleted}")

    with pytest.raises(CorruptStoreError):
        harness.run(sample_goal(), "run-1")
    authority.close()


def test_rows_without_their_run_are_reported(tmp_path):
    """Row 22: orphan rows make a store unfit."""
    authority = SqliteAuthority(tmp_path / "runs.db")
    Harness(authority, ADAPTERS).run(sample_goal(), "run-1")
    authority._connection.execute("DELETE FROM runs")

    assert authority.diagnose().problems == (
        "rows of run number 1 belong to no run; a deletion was cut short",
        "run run-1: it was created here and its row is gone",
    )
    authority.close()


@pytest.mark.slow
def test_large_results_stay_out_of_the_database(tmp_path):
    """Row 30: 128 tasks of 200 kB each; the results are artifacts by digest, the database grows under 1 kB a task."""
    path, payload = tmp_path / "runs.db", 200_000
    (tmp_path / "artifacts").mkdir()
    artifacts = LocalArtifactStore(tmp_path / "artifacts", max_scope_bytes=128 * payload)
    scope = ArtifactScope(tenant="acme", resource="repository@1")

    def produce(request):
        data = f"{request.task_id:<10}".encode() * (payload // 10)
        return {"artifact": artifacts.put(scope, data).sha256}

    authority = SqliteAuthority(path)
    empty = pages(authority)
    view = Harness(authority, (work_adapter(produce), verify_adapter())).run(make_goal(works=127))

    assert view.status is RunStatus.COMPLETED
    # The plan itself is stored once and grows with the goal, not with the results.
    plan = len(view.record.binding.plan)
    assert (pages(authority) - empty - plan) / 128 <= 1_000
    authority.close()
    artifacts.close()


def pages(authority: SqliteAuthority) -> int:
    return authority._connection.pragma("page_count") * authority._connection.pragma("page_size")


def test_connection_of_another_schema_shares_the_rules(tmp_path):
    """What other packages keep beside runs is opened the same way."""
    from trailforge.authority.sqlite_connection import Schema

    schema = Schema(application_id=7, migrations=("CREATE TABLE kept (x)",))
    connection = open_connection(tmp_path / "other.db", schema)

    assert connection.pragma("journal_mode") == "wal"
    assert connection.pragma("synchronous") == 2
    connection.close()


def test_child_that_raises_is_told_apart_from_one_that_is_killed():
    assert in_child(lambda: None) == 0
    assert in_child(lambda: 1 / 0) == 1
