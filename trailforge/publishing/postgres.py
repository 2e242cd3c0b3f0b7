"""The publication store in one schema of a PostgreSQL database: many hosts, the server's clock, one writer at a time.

Needs the ``postgres`` extra.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from trailforge.authority.named_sql import load_migrations, load_queries
from trailforge.authority.postgres_connection import connect, import_driver
from trailforge.publishing.store import PublicationStore, Row
from trustrail.foundation import Clock

_PACKAGE: Final = "trailforge.publishing"

DEFAULT_SCHEMA: Final = "trailforge_publications"


@cache
def _queries() -> Mapping[str, bytes]:
    return {name: text.encode() for name, text in load_queries(_PACKAGE, "postgres.sql").items()}


class PostgresPublicationStore(PublicationStore):
    """Approvals and operations of many hosts.

    Args:
        dsn: a libpq connection string or URL.
        schema: the schema its tables live in, created when absent.
        clock: a clock to use instead of the server's; only for tests, since hosts' clocks disagree.

    Raises:
        MissingExtraError: if psycopg is not installed.
        StoreRefusedError: if the server cannot be reached, or the schema is newer than this code.
    """

    def __init__(self, dsn: str, *, schema: str = DEFAULT_SCHEMA, clock: Clock | None = None) -> None:
        driver = import_driver()
        self._failure = (driver.Error,)
        self._busy = (driver.errors.LockNotAvailable, driver.errors.DeadlockDetected)
        self._sql = _queries()
        self._clock = clock
        self._dsn, self._schema = dsn, schema
        self._connect()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _connect(self) -> None:
        self._connection = connect(self._dsn, self._schema, load_migrations(_PACKAGE, "postgres_migrations"))

    def _reconnect_if_broken(self) -> None:
        """Only between transactions: what the broken connection carried is then asked for, never assumed."""
        if self._connection.broken or self._connection.closed:
            self._connect()

    def _clock_now(self) -> int:
        if self._clock is not None:
            return int(self._clock.now() * 1000)
        return int(self._rows("server_time", {})[0][0])

    def _rows(self, name: str, values: Mapping[str, Any]) -> list[Row]:
        cursor = self._connection.execute(self._sql[name], values)
        return list(cursor.fetchall()) if cursor.description else []

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._reconnect_if_broken()
        with self._connection.transaction():
            self._rows("lock_writers", {})
            yield

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        self._reconnect_if_broken()
        with self._connection.transaction():
            self._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
