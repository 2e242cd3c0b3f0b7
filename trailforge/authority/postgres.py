"""The PostgreSQL authority: one schema, many hosts, the server's clock, row locks in place of a file lock."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from trailforge.authority.named_sql import load_migrations, load_queries
from trailforge.authority.port import Caps, Diagnosis
from trailforge.authority.postgres_connection import connect, import_driver
from trailforge.authority.sql_authority import Row, SqlAuthority
from trustrail.foundation import Clock

_PACKAGE: Final = "trailforge.authority"


@cache
def _queries() -> Mapping[str, bytes]:
    return {name: text.encode() for name, text in load_queries(_PACKAGE, "postgres.sql").items()}


class PostgresAuthority(SqlAuthority):
    """A store in one schema of a PostgreSQL database.

    Args:
        dsn: a libpq connection string or URL.
        schema: the schema its tables live in, created when absent.
        caps: caps a store created here gets, and an existing one must have; None takes what is there, or no caps.
        clock: a clock to use instead of the server's; only for tests, since hosts' clocks disagree.
        store_id: identity for a store created here; random when None.
        create: whether an absent schema is created.

    Raises:
        MissingExtraError: if psycopg is not installed.
        StoreRefusedError: if the schema cannot be trusted.
        CapsChangedError: if the store exists with other caps.
    """

    def __init__(
        self,
        dsn: str,
        *,
        schema: str = "trailforge",
        caps: Caps | None = None,
        clock: Clock | None = None,
        store_id: str | None = None,
        create: bool = True,
    ) -> None:
        driver = import_driver()
        self._failure = (driver.Error,)
        self._busy = (driver.errors.LockNotAvailable, driver.errors.DeadlockDetected)
        self._dsn, self._schema, self._clock = dsn, schema, clock
        self._place = f"schema {schema}"
        self._sql = _queries()
        self._open(create=create)
        try:
            self._identify(caps, store_id or f"store-{secrets.token_hex(8)}")
        except BaseException:
            self.close()
            raise

    def now(self) -> int:
        """Return the server's time in whole milliseconds."""
        if self._clock is not None:
            return int(self._clock.now() * 1000)
        return int(self._read("now", {})[0][0])

    def diagnose(self) -> Diagnosis:
        """Say which server this is, how it keeps its promises, and what is wrong."""
        version, fsync, commit, pages, schema = self._read("server", {})[0]
        problems = [
            f"{name} is {value}, expected {wanted}"
            for name, value, wanted in (("fsync", fsync, "on"), ("full_page_writes", pages, "on"))
            if value != wanted
        ]
        if commit == "off":
            problems.append("synchronous_commit is off, expected on")
        facts = {
            "authority": "postgres",
            "store": self.store_id,
            "place": f"schema {schema}",
            "library": f"PostgreSQL {version}",
            "fsync": fsync,
            "synchronous_commit": commit,
            "clock": "server" if self._clock is None else "injected",
        }
        return Diagnosis(facts=facts, unfit=tuple(problems), damage=tuple(self._damage()))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _open(self, *, create: bool = False) -> None:
        migrations = load_migrations(_PACKAGE, "postgres_migrations")
        self._connection = connect(self._dsn, self._schema, migrations, create=create)

    def _rows(self, name: str, values: Mapping[str, Any]) -> list[Row]:
        cursor = self._connection.execute(self._sql[name], values)
        return list(cursor.fetchall()) if cursor.description else []

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._connection.transaction():
            yield

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        with self._connection.transaction():
            self._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield

    def _recover(self) -> None:
        """A broken connection tells nothing about the write it carried: ask over a new one."""
        if self._connection.broken or self._connection.closed:
            self._open()
