"""A SQLite VFS that counts file writes and flushes, and fails the one it is told to.

Whatever was written before the failing call stays written, as on a disk that ran full.
"""

from typing import Any, Self

import apsw


class FaultVfs(apsw.VFS):
    """Passes everything to the default VFS but the call it fails.

    Attributes:
        writes: file writes so far.
        syncs: file flushes so far.
    """

    def __init__(self, name: str, *, fail_write: int = 0, fail_sync: int = 0) -> None:
        super().__init__(name, "")
        self.fail_write = fail_write
        self.fail_sync = fail_sync
        self.writes = 0
        self.syncs = 0

    def xOpen(self, name: Any, flags: list[int]) -> "FaultFile":  # noqa: N802 - apsw's name
        return FaultFile(self, name, flags)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()


class FaultFile(apsw.VFSFile):
    """A file of a `FaultVfs`."""

    def __init__(self, vfs: FaultVfs, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._vfs = vfs

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - apsw's name
        self._vfs.writes += 1
        if self._vfs.writes == self._vfs.fail_write:
            raise apsw.FullError("disk full, on purpose")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802 - apsw's name
        self._vfs.syncs += 1
        if self._vfs.syncs == self._vfs.fail_sync:
            raise apsw.IOError("flush failed, on purpose")
        super().xSync(flags)
