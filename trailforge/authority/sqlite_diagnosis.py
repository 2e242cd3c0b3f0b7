"""What a SQLite store says about itself: the facts `trailforge doctor` prints."""

from collections.abc import Sequence
from pathlib import Path

import apsw

from trailforge.authority.port import Diagnosis
from trailforge.authority.sqlite_connection import MEMORY
from trailforge.authority.sqlite_gate import has_wal_reset_bug, refuse_network_file_system


def diagnose_file(connection: apsw.Connection, place: str, store_id: str, damage: Sequence[str]) -> Diagnosis:
    """Return the facts about the store behind *connection*, adding to the *damage* already known."""
    checked = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    found = [*damage, *(f"integrity check: {line}" for line in checked if line != "ok")]
    unfit = []
    facts = {
        "authority": "sqlite",
        "store": store_id,
        "place": place,
        **library_facts(),
        "journal_mode": str(connection.pragma("journal_mode")),
        "synchronous": "FULL" if connection.pragma("synchronous") == 2 else "weaker than FULL",
        "schema": str(connection.pragma("user_version")),
    }
    if place != MEMORY:
        facts["file_system"] = refuse_network_file_system(Path(place).resolve().parent)
        facts["wal_bytes"] = str(wal_bytes(place))
        if facts["journal_mode"] != "wal" or facts["synchronous"] != "FULL":
            kept = f"journal mode {facts['journal_mode']}, synchronous {facts['synchronous']}"
            unfit.append(f"{kept}, expected wal, FULL")
    return Diagnosis(facts=facts, unfit=tuple(unfit), damage=tuple(found))


def library_facts() -> dict[str, str]:
    """Return which SQLite a store of this process would run on."""
    version = apsw.sqlite_lib_version()
    return {
        "library": f"SQLite {version} through apsw {apsw.apsw_version()}",
        "wal_reset_bug": "present" if has_wal_reset_bug(version) else "fixed in this library",
    }


def wal_bytes(place: str) -> int:
    """Return the size in bytes of the WAL beside the store at *place*."""
    wal = Path(f"{Path(place).resolve()}-wal")
    return wal.stat().st_size if wal.exists() else 0
