"""Where runs are kept: the authority port, the integrity rules, and the SQLite and PostgreSQL stores.

`PostgresAuthority` is imported from its own module, so that psycopg stays optional.
"""

from trailforge.authority.integrity import checksum, entry_head, verify_journal, verify_stored
from trailforge.authority.port import (
    UNBOUNDED,
    Authority,
    Caps,
    Checkpoint,
    Diagnosis,
    JournalEntry,
    NewRun,
    Notice,
    RunSummary,
    StoredRun,
    Transition,
    Units,
)
from trailforge.authority.sqlite import SqliteAuthority

__all__ = [
    "UNBOUNDED",
    "Authority",
    "Caps",
    "Checkpoint",
    "Diagnosis",
    "JournalEntry",
    "NewRun",
    "Notice",
    "RunSummary",
    "SqliteAuthority",
    "StoredRun",
    "Transition",
    "Units",
    "checksum",
    "entry_head",
    "verify_journal",
    "verify_stored",
]
