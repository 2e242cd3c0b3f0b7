"""Rows that hold other kinds of values than were written.

STRICT tables keep such values out, so the schema is rewritten first, as a damaged page or a person with an editor may.
"""

from pathlib import Path

import apsw

VALUES = (
    "NULL",
    "'x'",
    "x'ff'",
    "-1",
    "9223372036854775807",
    "1e308",
    "char(27) || '[2J'",
    "CAST(x'fffe' AS TEXT)",
    "'{}'",
)
"""Expressions of SQLite: no value, other kinds, figures out of range, bytes that are no text, JSON of another shape."""


def columns(connection: apsw.Connection) -> list[tuple[str, str]]:
    """Return every table with each of its columns."""
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return [(table, row[1]) for table in tables for row in connection.execute(f"PRAGMA table_info({table})")]


def put(path: Path, table: str, column: str, value: str) -> bool:
    """Write the expression *value* whatever the schema says; return whether SQLite let it."""
    connection = apsw.Connection(str(path))
    try:
        connection.execute("PRAGMA ignore_check_constraints = 1; PRAGMA writable_schema = 1")
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(replace(replace(sql, ') STRICT, WITHOUT ROWID', ') WITHOUT ROWID'),"
            " ') STRICT', ')'), 'NOT NULL', '')"
        )
        connection.execute("PRAGMA writable_schema = RESET")
        connection.execute(f"UPDATE OR REPLACE {table} SET {column} = {value}")
    except apsw.Error:
        return False
    finally:
        connection.close()
    return True
