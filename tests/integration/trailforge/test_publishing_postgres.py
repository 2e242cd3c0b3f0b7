"""Publishing from many hosts over one PostgreSQL schema."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psycopg
import pytest

from tests.publishing_world import INTENT, ExternalSystem, Guard
from trailforge.errors import ApprovalRefusedError, CorruptOperationError, StoreRefusedError
from trailforge.publishing import GuardedPublisher, OperationState
from trailforge.publishing.postgres import PostgresPublicationStore

SCHEMA = "trailforge_publishing_tests"


@pytest.fixture
def dsn(postgres_dsn: str) -> Iterator[str]:
    PostgresPublicationStore(postgres_dsn, schema=SCHEMA).close()
    yield postgres_dsn
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


def test_published_on_one_host_is_observed_on_another(dsn: str) -> None:
    system = ExternalSystem()
    first, second = (PostgresPublicationStore(dsn, schema=SCHEMA) for _ in range(2))
    publisher = GuardedPublisher(first, Guard(), [system])
    approval = publisher.approve(INTENT, by="ann").approval_id
    operation = publisher.execute(INTENT, approval, by="bob")

    assert operation.state is OperationState.ACCEPTED
    assert GuardedPublisher(second, Guard(), [system]).execute(INTENT, approval, by="eve") == operation
    assert system.sends == 1
    first.close()
    second.close()


@pytest.mark.parametrize("approvals", [1, 6], ids=["one approval for all", "an approval each"])
def test_six_hosts_at_once_send_one_intent_once(dsn: str, approvals: int) -> None:
    """Rows 3 and 13 of the durable reference: the losers observe, and consume nothing."""
    system = ExternalSystem()
    stores = [PostgresPublicationStore(dsn, schema=SCHEMA) for _ in range(6)]
    publishers = [GuardedPublisher(store, Guard(), [system]) for store in stores]
    given = [publishers[0].approve(INTENT, by="ann").approval_id for _ in range(approvals)]

    def execute(number: int) -> OperationState:
        return publishers[number].execute(INTENT, given[number % approvals], by="bob").state

    with ThreadPoolExecutor(6) as pool:
        states = set(pool.map(execute, range(6)))
    ends = [stores[0].approval_end(approval) for approval in given]
    for store in stores:
        store.close()

    assert states <= {OperationState.SENDING, OperationState.ACCEPTED}
    assert system.sends == 1
    assert ends.count("CONSUMED") == 1


def test_lost_connection_before_sending_sends_nothing_and_the_store_recovers(dsn: str) -> None:
    """A broken connection is a doubt, so the operation is asked for again over a new one."""
    system = ExternalSystem()
    store = PostgresPublicationStore(dsn, schema=SCHEMA)
    publisher = GuardedPublisher(store, Guard(), [system])
    approval = publisher.approve(INTENT, by="ann").approval_id
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [store._connection.info.backend_pid])
    with pytest.raises(Exception, match="cannot be used"):
        publisher.execute(INTENT, approval, by="bob")

    assert system.sends == 0
    assert publisher.execute(INTENT, approval, by="bob").state is OperationState.ACCEPTED
    store.close()


def test_edited_rows_are_refused(dsn: str) -> None:
    """Row 21 of the durable reference."""
    system = ExternalSystem()
    store = PostgresPublicationStore(dsn, schema=SCHEMA)
    publisher = GuardedPublisher(store, Guard(), [system])
    publisher.execute(INTENT, publisher.approve(INTENT, by="ann").approval_id, by="bob")
    other = replace(INTENT, action="other")
    approval = publisher.approve(other, by="ann").approval_id
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"UPDATE {SCHEMA}.trail SET entry = replace(entry, '17', '18')")
        connection.execute(f"UPDATE {SCHEMA}.approvals SET body = replace(body, 'ann', 'eve')")
    with pytest.raises(CorruptOperationError):
        publisher.observe(INTENT)
    with pytest.raises(ApprovalRefusedError, match="was changed where it is stored"):
        publisher.execute(other, approval, by="bob")
    store.close()

    assert system.sends == 1


def test_newer_schema_is_refused(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"INSERT INTO {SCHEMA}.schema_version (version) VALUES (99)")
    with pytest.raises(StoreRefusedError, match="use a newer trailforge"):
        PostgresPublicationStore(dsn, schema=SCHEMA)
