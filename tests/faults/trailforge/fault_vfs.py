"""A SQLite VFS that counts file writes and flushes, and fails the one it is told to.

Whatever was written before the failing call stays written, as on a disk that ran full.
"""

import sys
from typing import Any, Self

import apsw

ON_PURPOSE = ", on purpose"


class FaultVfs(apsw.VFS):
    """Passes everything to the default VFS but the call it fails.

    Args:
        name: name to open connections through.
        fail_write: number of the write to fail, from 1; none when 0.
        fail_sync: number of the flush to fail, from 1; none when 0.
        lasting: whether everything after it fails too.

    Attributes:
        failed: whether a call was failed.
        writes: file writes so far.
        syncs: file flushes so far.
    """

    def __init__(self, name: str, *, fail_write: int = 0, fail_sync: int = 0, lasting: bool = False) -> None:
        super().__init__(name, "")
        self.fail_write = fail_write
        self.fail_sync = fail_sync
        self.lasting = lasting
        self.failed = False
        self.writes = 0
        self.syncs = 0

    def xOpen(self, name: Any, flags: list[int]) -> "FaultFile":  # noqa: N802 - apsw's name
        return FaultFile(self, name, flags)

    def fails(self, number: int, wanted: int) -> bool:
        """Whether the call with this *number* must fail; remembers that one did."""
        hit = bool(wanted) and (number == wanted or (self.lasting and number > wanted))
        self.failed = self.failed or hit
        return hit

    def __enter__(self) -> Self:
        # apsw reports what a VFS raises as unraisable; SQLite already got it as its result code.
        self._report, sys.unraisablehook = sys.unraisablehook, self._report_others
        return self

    def __exit__(self, *_: object) -> None:
        sys.unraisablehook = self._report
        self.unregister()

    def _report_others(self, unraisable: Any) -> None:
        if not str(unraisable.exc_value).endswith(ON_PURPOSE):
            self._report(unraisable)


class FaultFile(apsw.VFSFile):
    """A file of a `FaultVfs`."""

    def __init__(self, vfs: FaultVfs, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._vfs = vfs

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - apsw's name
        self._vfs.writes += 1
        if self._vfs.fails(self._vfs.writes, self._vfs.fail_write):
            raise apsw.FullError(f"disk full{ON_PURPOSE}")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802 - apsw's name
        self._vfs.syncs += 1
        if self._vfs.fails(self._vfs.syncs, self._vfs.fail_sync):
            raise apsw.IOError(f"flush failed{ON_PURPOSE}")
        super().xSync(flags)
