"""The SQLite authority: one file, many processes, one writer at a time."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import apsw

from trailforge.authority.named_sql import load_migrations, load_queries
from trailforge.authority.port import Caps, Diagnosis
from trailforge.authority.sql_authority import Row, SqlAuthority
from trailforge.authority.sqlite_connection import MEMORY, HeldFiles, Schema, immediate, open_connection, snapshot
from trailforge.authority.sqlite_diagnosis import diagnose_file
from trailforge.authority.sqlite_wal import lay_out_wal
from trustrail.foundation import Clock, SystemClock

_PACKAGE: Final = "trailforge.authority"
_APPLICATION_ID: Final = int.from_bytes(b"TFrn", "big")


@cache
def _schema() -> Schema:
    return Schema(application_id=_APPLICATION_ID, migrations=load_migrations(_PACKAGE, "sqlite_migrations"))


@cache
def _queries() -> Mapping[str, str]:
    return load_queries(_PACKAGE, "sqlite.sql")


class SqliteAuthority(SqlAuthority):
    """A store in one SQLite file, or in memory.

    Args:
        path: the file, created when absent, or ``":memory:"``.
        caps: caps a store created here gets, and an existing one must have; None takes what is there, or no caps.
        clock: where its time comes from.
        store_id: identity for a store created here; random when None.
        vfs: name of a registered SQLite VFS to go through.

    Raises:
        StoreRefusedError: if the file cannot be trusted.
        CapsChangedError: if the store exists with other caps.
    """

    _failure = (apsw.Error, UnicodeDecodeError)
    _busy = (apsw.BusyError, apsw.LockedError)

    def __init__(
        self,
        path: str | Path = MEMORY,
        *,
        caps: Caps | None = None,
        clock: Clock | None = None,
        store_id: str | None = None,
        vfs: str | None = None,
    ) -> None:
        self._place = str(path)
        self._clock = clock or SystemClock()
        self._sql = _queries()
        self._connection = open_connection(path, _schema(), vfs=vfs)
        self._execute = self._connection.execute
        self._files = HeldFiles(self._connection)
        self._vfs = vfs
        self._wal_laid_out = self._place == MEMORY
        try:
            self._identify(caps, store_id or f"store-{secrets.token_hex(8)}")
        except BaseException:
            self._connection.close()
            raise

    def now(self) -> int:
        """Return the clock's time in whole milliseconds."""
        return int(self._clock.now() * 1000)

    def diagnose(self) -> Diagnosis:
        """Say which SQLite this is, how the file is kept, and what is wrong with it."""
        try:
            return diagnose_file(self._connection, self._place, self.store_id, self._damage())
        except apsw.Error as error:
            raise self._unreadable(error) from error

    def close(self) -> None:
        """Close the file; the last one out folds the WAL into it."""
        self._connection.close()

    def _rows(self, name: str, values: Mapping[str, Any]) -> list[Row]:
        return list(self._execute(self._sql[name], values))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with immediate(self._connection):
            self._files.require_lately_in_place(self._clock.now())
            if not self._wal_laid_out:
                lay_out_wal(self._connection, self._vfs)
                self._wal_laid_out = True
            yield

    def _snapshot(self) -> AbstractContextManager[None]:
        return snapshot(self._connection)

    def _recover(self) -> None:
        if self._connection.in_transaction:
            self._execute("ROLLBACK")
