"""Opening a PostgreSQL schema the one way trailforge does.

It is migrated under a lock, waits for other writers a bounded time, and commits each statement outside transactions.

psycopg is optional and imported here only, when a connection is asked for.
"""

import re
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from trailforge.errors import AuthorityBusyError, MissingExtraError, StoreRefusedError
from trailforge.errors.showing import shown

if TYPE_CHECKING:  # the driver is an extra; its types are not
    import psycopg

_SCHEMA: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
"""Names PostgreSQL takes as they are (section 4.1.1 of its manual): not folded, not cut, not a list."""

LOCK_MILLISECONDS: Final = 60_000
"""Longest wait for another writer's row; ours, far above the longest transaction of a crowd of writers."""


def connect(
    dsn: str, schema: str, migrations: Sequence[str], *, create: bool = True
) -> "psycopg.Connection[tuple[Any, ...]]":
    """Connect to *dsn*, create *schema* when absent and bring it to the newest migration.

    Args:
        dsn: a libpq connection string or URL.
        schema: the schema the tables live in; separate schemas are separate stores.
        migrations: scripts in order; the table ``schema_version`` counts those applied.
        create: whether an absent schema is created; it is refused otherwise.

    Raises:
        MissingExtraError: if psycopg is not installed.
        StoreRefusedError: if *schema* is no plain name, the server cannot be reached or the schema is newer.
    """
    require_schema_name(schema)
    driver = import_driver()
    try:
        connection: psycopg.Connection[tuple[Any, ...]] = driver.connect(dsn, autocommit=True)
    except (driver.Error, UnicodeError, TypeError, AttributeError) as error:
        raise StoreRefusedError(f"PostgreSQL cannot be reached: {str(error).strip()}") from error
    try:
        connection.execute("SELECT set_config('lock_timeout', %s, false)", [str(LOCK_MILLISECONDS)])
        connection.execute("SELECT set_config('search_path', %s, false)", [schema])
        # A role or a database may have been told otherwise; what is acknowledged here is on disk.
        connection.execute("SELECT set_config('synchronous_commit', 'on', false)")
        if not create:
            _require_schema(connection, schema)
        _migrate(connection, schema, migrations)
    except driver.errors.LockNotAvailable as error:
        connection.close()
        raise AuthorityBusyError(f"schema {schema} stayed locked while it was opened; try again") from error
    except driver.Error as error:
        connection.close()
        raise StoreRefusedError(f"schema {schema} cannot be used: {str(error).strip()}") from error
    except StoreRefusedError:
        connection.close()
        raise
    return connection


def _require_schema(connection: "psycopg.Connection[tuple[Any, ...]]", schema: str) -> None:
    row = connection.execute("SELECT to_regnamespace(%s)", [schema]).fetchone()
    if row is None or row[0] is None:
        raise StoreRefusedError(f"schema {schema} does not exist; start a run with it first, or name another one")


def require_schema_name(schema: object) -> None:
    """Return when *schema* is one plain name: a list or a longer name would make other tables the store's.

    Raises:
        StoreRefusedError: if it is not.
    """
    if not isinstance(schema, str) or not _SCHEMA.fullmatch(schema) or schema.startswith("pg_"):
        expected = "1 to 63 lower-case letters, digits or _, the first a letter or _, and not pg_…"
        raise StoreRefusedError(f"schema is {shown(schema, 80)}, expected {expected}")


def import_driver() -> Any:  # noqa: ANN401 - the module, imported late
    """Return the psycopg module.

    Raises:
        MissingExtraError: if it is not installed.
    """
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtraError("the PostgreSQL authority", "postgres") from error
    return psycopg


def _migrate(connection: "psycopg.Connection[tuple[Any, ...]]", schema: str, migrations: Sequence[str]) -> None:
    from psycopg import sql

    with connection.transaction():
        # One opener at a time; the lock ends with the transaction.
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [zlib.crc32(schema.encode())])
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
        connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)")
        row = connection.execute("SELECT coalesce(max(version), 0) FROM schema_version").fetchone()
        version = int(row[0]) if row else 0
        if version > len(migrations):
            raise StoreRefusedError(
                f"schema {schema} is at version {version}, this trailforge knows {len(migrations)}; "
                "use a newer trailforge"
            )
        for number, script in enumerate(migrations[version:], start=version + 1):
            connection.execute(script.encode())
            connection.execute("INSERT INTO schema_version (version) VALUES (%s)", [number])
