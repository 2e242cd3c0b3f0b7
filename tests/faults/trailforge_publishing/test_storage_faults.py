"""Every write and every sync of an approval and an execution fails once; the state is always a legal one."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.faults.trailforge_publishing.faulty_files import Countdown, Fault, FaultyVfs
from tests.publishing_world import INTENT, Guard
from trailforge.errors import AuthorityError, CorruptOperationError, PublicationError, StoreRefusedError
from trailforge.publishing import GuardedPublisher, Operation, OperationState, SqlitePublicationStore
from trustrail.foundation import FixedClock

START = 1_000_000.0
MOST_CALLS = 200


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A store that has been made and closed; making it is another's test."""
    SqlitePublicationStore(tmp_path / "empty.db", clock=FixedClock(START)).close()
    return tmp_path / "empty.db"


def publish(path: Path, system: Any, vfs: str | None) -> Operation:
    store = SqlitePublicationStore(path, clock=FixedClock(START), vfs=vfs)
    try:
        publisher = GuardedPublisher(store, Guard(), [system])
        approval = publisher.approve(INTENT, by="ann").approval_id
        return publisher.execute(INTENT, approval, by="bob")
    finally:
        store.close()


def found_later(path: Path) -> Operation | None:
    """Check the file and return the operation once its time to send is over."""
    store = SqlitePublicationStore(path, clock=FixedClock(START + 3600))
    try:
        assert store._connection.pragma("integrity_check") == "ok"
        return GuardedPublisher(store, Guard(), []).observe(INTENT)
    finally:
        store.close()


def require_legal(operation: Operation | None, sent: int, acknowledged: Operation | None) -> None:
    """What was sent has an operation, what was not heard is no success, what was returned is still there."""
    assert sent in (0, 1)
    if sent:
        assert operation is not None
    if operation is not None and operation.state is OperationState.ACCEPTED:
        assert sent == 1
    if acknowledged is not None:
        assert operation == acknowledged


# A failure while a connection is dropped has no caller; apsw reports it as unraisable.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("fault", [Fault.FAIL_WRITE, Fault.FAIL_SYNC])
def test_every_nth_storage_failure_leaves_a_legal_state(tmp_path: Path, system: Any, empty: Path, fault: Fault) -> None:
    """Row 12 of the durable reference, and the storage rule of this project: an error is not a "no"."""
    sends, refusals = [], 0
    for number in range(1, MOST_CALLS):
        countdown = Countdown(fault, number)
        vfs = FaultyVfs(f"faulty-{fault.name}-{number}", countdown)
        path = Path(shutil.copy(empty, tmp_path / f"{number}.db"))
        system.log.unlink(missing_ok=True)
        acknowledged = None
        try:
            acknowledged = publish(path, system, f"faulty-{fault.name}-{number}")
        except (AuthorityError, PublicationError):
            refusals += 1
        vfs.unregister()
        require_legal(found_later(path), len(system.lines()), acknowledged)
        sends.append(len(system.lines()))
        if not countdown.struck:
            break
    else:
        pytest.fail(f"no run of {MOST_CALLS} calls passed untouched")

    assert refusals > 0
    assert sends[0] == 0
    assert sends[-1] == 1


def test_death_at_every_write_leaves_a_legal_state(tmp_path: Path, system: Any, empty: Path) -> None:
    deaths = 0
    for number in range(1, MOST_CALLS):
        path = Path(shutil.copy(empty, tmp_path / f"{number}.db"))
        system.log.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            try:
                vfs = FaultyVfs("killing", Countdown(Fault.KILL_AT_WRITE, number))
                publish(path, system, "killing")
                vfs.unregister()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        require_legal(found_later(path), len(system.lines()), None)
        if not os.WIFSIGNALED(status):
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
        deaths += 1

    assert deaths > 10
    assert found_later(path).state is OperationState.ACCEPTED


def test_failure_to_store_sending_sends_nothing(tmp_path: Path, system: Any) -> None:
    """Row 12 of the durable reference: nothing is dispatched while the store cannot be written."""
    path = tmp_path / "p.db"
    store = SqlitePublicationStore(path, clock=FixedClock(START))
    publisher = GuardedPublisher(store, Guard(), [system])
    approval = publisher.approve(INTENT, by="ann").approval_id
    store._connection.pragma("max_page_count", store._connection.pragma("page_count"))
    store._connection.pragma("query_only", True)
    with pytest.raises(AuthorityError):
        publisher.execute(INTENT, approval, by="bob")

    assert system.lines() == []


EDITS = {
    "success written into the row": "UPDATE operations SET state = 'ACCEPTED'",
    "last entry removed": "DELETE FROM trail WHERE sequence = 2",
    "first entry removed": "DELETE FROM trail WHERE sequence = 1",
    "row removed": "DELETE FROM operations",
    "entry rewritten": "UPDATE trail SET entry = replace(entry, 'TimeoutError', 'nothing')",
    "entry is no JSON": "UPDATE trail SET entry = '{' WHERE sequence = 2",
    "head rewritten": "UPDATE operations SET head = zeroblob(32)",
    "version raised": "UPDATE operations SET version = 3",
    "another intent": "UPDATE operations SET intent_digest = (SELECT max(intent_digest) FROM intents)",
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_edited_rows_are_refused_and_nothing_is_sent(tmp_path: Path, system: Any, edit: str) -> None:
    """Row 21 of the durable reference, for the trail of an operation."""

    def lose(_acknowledgement: object) -> None:
        raise TimeoutError

    system.answer = lose
    path = tmp_path / "p.db"
    publish(path, system, None)
    connection = apsw.Connection(str(path))
    connection.execute("INSERT INTO intents (intent_digest, body) VALUES ('z', '{}')")
    connection.execute(edit)
    connection.close()
    store = SqlitePublicationStore(path, clock=FixedClock(START))
    publisher = GuardedPublisher(store, Guard(), [system])
    for call in (publisher.observe, lambda intent: publisher.execute(intent, "x", by="bob")):
        with pytest.raises(CorruptOperationError):
            call(INTENT)
    store.close()

    assert len(system.lines()) == 1


def test_edited_approval_is_refused(tmp_path: Path, system: Any) -> None:
    """Row 13 of the durable reference: a stored approval cannot be made to last, or to cover something else."""
    path = tmp_path / "p.db"
    store = SqlitePublicationStore(path, clock=FixedClock(START))
    publisher = GuardedPublisher(store, Guard(), [system])
    approval = publisher.approve(INTENT, by="ann").approval_id
    store._connection.execute("UPDATE approvals SET body = replace(body, '1000300000', '9000300000')")
    with pytest.raises(PublicationError, match="was changed where it is stored"):
        publisher.execute(INTENT, approval, by="bob")
    store.close()

    assert system.lines() == []


def test_file_of_a_newer_schema_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    newer, other = tmp_path / "newer.db", tmp_path / "other.db"
    SqlitePublicationStore(newer).close()
    connection = apsw.Connection(str(newer))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    connection = apsw.Connection(str(other))
    connection.execute("CREATE TABLE notes (text)")
    connection.close()
    with pytest.raises(StoreRefusedError, match="use a newer trailforge"):
        SqlitePublicationStore(newer)
    with pytest.raises(StoreRefusedError, match="another kind"):
        SqlitePublicationStore(other)
