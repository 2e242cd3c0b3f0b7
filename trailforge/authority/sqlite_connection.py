"""Opening a SQLite file the one way trailforge does: gated, WAL, ``synchronous=FULL``, migrated.

The driver is apsw, which brings its own SQLite. Every write transaction starts with ``BEGIN IMMEDIATE``, so that it
waits for the writer lock before it reads; a read-then-write transaction that upgrades its lock fails at once
instead of waiting (https://sqlite.org/rescode.html#busy_snapshot).
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import apsw

from trailforge.authority.sqlite_gate import refuse_network_file_system, refuse_unsafe_library
from trailforge.authority.sqlite_wal import WAL_BYTES
from trailforge.errors import AuthorityBusyError, AuthorityUnavailableError, StoreRefusedError

MEMORY: Final = ":memory:"
"""Path of a store that lives and dies with its connection."""

BUSY_MILLISECONDS: Final = 60_000
"""Longest wait for the writer lock; ours, far above the longest transaction of a crowd of writers."""


LOOK_AGAIN_SECONDS: Final = 0.05
"""How long it is believed that a file is where it was: looking before every commit costs a fast run a sixth of its
time, and whoever moves a file loses what is written in the moment before as surely as what is written in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """What a file of one kind holds."""

    application_id: int
    """Number in the file's header that says whose file it is."""
    migrations: tuple[str, ...]
    """Scripts in order; `PRAGMA user_version` counts those applied."""


def open_connection(path: str | Path, schema: Schema, *, vfs: str | None = None) -> apsw.Connection:
    """Open or create the file at *path* and bring it to the newest *schema*.

    Args:
        path: the file, or `MEMORY`.
        schema: what the file must hold.
        vfs: name of a registered SQLite VFS to go through instead of the default one.

    Raises:
        StoreRefusedError: if the library, the file system or the file cannot be trusted.
        AuthorityBusyError: if another process kept the file locked.
    """
    if str(path) != MEMORY:
        refuse_unsafe_library(apsw.sqlite_lib_version())
        refuse_network_file_system(Path(path).resolve().parent)
    try:
        connection = apsw.Connection(str(path), vfs=vfs)
    except apsw.Error as error:
        raise StoreRefusedError(f"{path} cannot be opened: {error}") from error
    try:
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        _version(connection, path, schema)  # a file that is not ours is refused before anything of it changes
        _configure(connection)
        _migrate(connection, path, schema)
    except apsw.BusyError as error:
        connection.close()
        raise AuthorityBusyError(f"{path} stayed locked while it was opened; try again") from error
    except apsw.Error as error:
        connection.close()
        raise StoreRefusedError(f"{path} cannot be used: {error}; expected a trailforge store") from error
    except StoreRefusedError:
        connection.close()
        raise
    return connection


class HeldFiles:
    """The file a connection writes to, and its log, where they lay when the connection was opened.

    A file that was renamed, removed or replaced can still be written by whoever has it open, and nobody would ever find
    what was written; SQLite itself only notices in its rollback mode.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._paths = (connection.filename, connection.filename_wal) if connection.filename else ()
        self._held = [_identity(path) for path in self._paths]
        self._looked = -math.inf

    def require_lately_in_place(self, now: float) -> None:
        """Return when both were found under their names within the last `LOOK_AGAIN_SECONDS`; look again otherwise.

        Args:
            now: seconds on any clock; one that jumps either way makes it look.

        Raises:
            AuthorityUnavailableError: if they are not; nothing is written then.
        """
        if abs(now - self._looked) >= LOOK_AGAIN_SECONDS:
            self.require_in_place()
            self._looked = now

    def require_in_place(self) -> None:
        """Return when both are still found under their names.

        Raises:
            AuthorityUnavailableError: if not; nothing is written then.
        """
        for position, path in enumerate(self._paths):
            found = _identity(path)
            if self._held[position] is None:
                self._held[position] = found
            elif found != self._held[position]:
                raise AuthorityUnavailableError(
                    f"{path} was moved, removed or replaced while it was in use; nothing was written: "
                    "put it back, or restore a copy, before anything goes on"
                )


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - before every commit, and a Path costs three times as much
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def immediate(connection: apsw.Connection) -> Iterator[None]:
    """Run the block in one ``BEGIN IMMEDIATE`` transaction; an exception rolls it back."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: apsw.Connection) -> Iterator[None]:
    """Run the block's reads on one state of the file."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _configure(connection: apsw.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")


def _migrate(connection: apsw.Connection, path: str | Path, schema: Schema) -> None:
    if _version(connection, path, schema) == len(schema.migrations):
        return
    with immediate(connection):
        version = _version(connection, path, schema)
        for script in schema.migrations[version:]:
            connection.execute(script)
        connection.execute(f"PRAGMA application_id = {schema.application_id}")
        connection.execute(f"PRAGMA user_version = {len(schema.migrations)}")


def _version(connection: apsw.Connection, path: str | Path, schema: Schema) -> int:
    version = int(connection.pragma("user_version"))
    application = int(connection.pragma("application_id"))
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if application != schema.application_id and (version or application or tables):
        raise StoreRefusedError(
            f"{path} is a SQLite file of another kind (application id {application}, "
            f"expected {schema.application_id}); choose another path"
        )
    if version < (1 if tables else 0):
        raise StoreRefusedError(f"{path} says it has schema {version}, but holds tables; restore it from a copy")
    if version > len(schema.migrations):
        raise StoreRefusedError(
            f"{path} has schema {version}, this trailforge knows {len(schema.migrations)}; use a newer trailforge"
        )
    return version
