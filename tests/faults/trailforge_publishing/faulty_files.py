"""A SQLite VFS whose n-th write or sync fails, or kills the process; everything after a failure fails too."""

import os
import signal
from enum import Enum

import apsw


class Fault(Enum):
    """What happens at the n-th call."""

    FAIL_WRITE = "fail write"
    FAIL_SYNC = "fail sync"
    KILL_AT_WRITE = "kill at write"


class Countdown:
    """Counts writes and syncs, and strikes at the n-th.

    Attributes:
        struck: whether the fault has happened.
    """

    def __init__(self, fault: Fault, at: int) -> None:
        self._fault = fault
        self._left = at
        self.struck = False

    def write(self) -> None:
        if self._fault is not Fault.FAIL_SYNC:
            self._step()

    def sync(self) -> None:
        if self._fault is Fault.FAIL_SYNC:
            self._step()

    def _step(self) -> None:
        self._left -= 1
        if self._left > 0:
            return
        self.struck = True
        if self._fault is Fault.KILL_AT_WRITE:
            os.kill(os.getpid(), signal.SIGKILL)
        raise apsw.FullError("database or disk is full" if self._fault is Fault.FAIL_WRITE else "sync failed")


class FaultyFile(apsw.VFSFile):
    """A file that tells the countdown about its writes and syncs."""

    def __init__(self, name: object, flags: list[int], countdown: Countdown) -> None:
        super().__init__("", name, flags)
        self._countdown = countdown

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        self._countdown.write()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        self._countdown.sync()
        super().xSync(flags)


class FaultyVfs(apsw.VFS):
    """The default VFS with one fault in it; keep it alive as long as connections use it."""

    def __init__(self, name: str, countdown: Countdown) -> None:
        self._countdown = countdown
        super().__init__(name, "")

    def xOpen(self, name: object, flags: list[int]) -> FaultyFile:  # noqa: N802 - SQLite's name
        return FaultyFile(name, flags, self._countdown)
