"""The WAL of a SQLite store, laid out before it is needed.

A commit that makes a file longer also flushes the file's new length, which costs a journalled file system about as
much again as the bytes do. So the first writer of a process gives the WAL its full length in zeros; SQLite reads a
zeroed frame as the end of the log (https://sqlite.org/fileformat2.html#the_write_ahead_log) and keeps writing over
what is there. Nothing rests on it: a WAL of any length holds the same commits.
"""

from typing import Final

import apsw

WAL_BYTES: Final = 4 << 20
"""Length of a laid out WAL, and the one it is cut back to: a little over the 1,000 pages of 4 KiB after which SQLite
folds it into the database (https://sqlite.org/pragma.html#pragma_wal_autocheckpoint)."""

_PIECE_BYTES: Final = 120 << 10
"""Bytes of one write; the file layer of SQLite takes less than 128 KiB at a time."""

_OPEN_FLAGS: Final = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_READWRITE


def lay_out_wal(connection: apsw.Connection, vfs: str | None) -> None:
    """Make the WAL of *connection* `WAL_BYTES` long, unless it is already.

    The connection must be in a write transaction: the writer lock keeps every other process from writing frames, and
    from shortening the file, meanwhile. When the disk cannot spare the bytes, the WAL is left as it was.

    Args:
        connection: a connection to a file in WAL mode.
        vfs: name of the SQLite VFS it goes through; the default one when None.
    """
    wal = apsw.VFSFile(vfs or "", connection.filename_wal, [_OPEN_FLAGS, 0])
    try:
        length = wal.xFileSize()
        if length >= WAL_BYTES:
            return
        try:
            for offset in range(length, WAL_BYTES, _PIECE_BYTES):
                wal.xWrite(bytes(min(_PIECE_BYTES, WAL_BYTES - offset)), offset)
        except apsw.Error:
            wal.xTruncate(length)
    finally:
        wal.xClose()
