"""The publication store in one SQLite file, or in memory."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import apsw

from trailforge.authority.named_sql import load_migrations, load_queries
from trailforge.authority.sqlite_connection import HeldFiles, Schema, immediate, open_connection, snapshot
from trailforge.publishing.store import PublicationStore, Row
from trustrail.foundation import Clock, SystemClock

_PACKAGE: Final = "trailforge.publishing"
_APPLICATION_ID: Final = int.from_bytes(b"TFpb", "big")


@cache
def _schema() -> Schema:
    return Schema(application_id=_APPLICATION_ID, migrations=load_migrations(_PACKAGE, "sqlite_migrations"))


@cache
def _queries() -> Mapping[str, str]:
    return load_queries(_PACKAGE, "sqlite.sql")


class SqlitePublicationStore(PublicationStore):
    """Approvals and operations of one host.

    Args:
        path: the file, created when absent, or ``":memory:"``.
        clock: where the time comes from.
        vfs: name of a registered SQLite VFS to go through.

    Raises:
        StoreRefusedError: if the file cannot be trusted.
    """

    _failure = (apsw.Error, UnicodeDecodeError)
    _busy = (apsw.BusyError, apsw.LockedError)

    def __init__(self, path: str | Path, *, clock: Clock | None = None, vfs: str | None = None) -> None:
        self._clock = clock or SystemClock()
        self._sql = _queries()
        self._connection = open_connection(path, _schema(), vfs=vfs)
        self._files = HeldFiles(self._connection)

    def close(self) -> None:
        """Close the file.

        Raises:
            AuthorityUnavailableError: if its log could not be folded in; what was stored is still in the log.
        """
        with self._translated():
            self._connection.close()

    def _clock_now(self) -> int:
        return int(self._clock.now() * 1000)

    def _rows(self, name: str, values: Mapping[str, Any]) -> list[Row]:
        return list(self._connection.execute(self._sql[name], values))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with immediate(self._connection):
            self._files.require_in_place()
            yield

    def _snapshot(self) -> AbstractContextManager[None]:
        return snapshot(self._connection)
