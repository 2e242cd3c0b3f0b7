"""Starting a process group and ending it: the one place of the runner that knows processes and time.

The group is killed as soon as its leader has ended or the time is up, so that a grandchild can neither hold
the output open nor go on writing. Output is read to its end but kept only up to a bound; when somebody outside
the group still holds it open after the grace, reading stops and the execution says so.
"""

import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, Final

from trailforge.errors import CommandError
from trailforge.runner.command import Launch

GRACE_SECONDS: Final = 1.0
"""How long output may still arrive after the group was killed; ours, far above what a kill takes."""

_CHUNK: Final = 65_536


class Outcome(StrEnum):
    """How a process ended."""

    EXITED = "EXITED"  #: by itself, with an exit code
    SIGNALLED = "SIGNALLED"  #: by a signal that was not the time limit's
    TIMED_OUT = "TIMED_OUT"  #: killed with its group when the time was up


class CapturedOutput:
    """One output stream, kept up to a bound.

    Attributes:
        data: the first bytes, up to the bound.
        size: bytes written in all.
    """

    __slots__ = ("_limit", "data", "size")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.data = b""
        self.size = 0

    def take(self, chunk: bytes) -> None:
        """Count *chunk* and keep what fits."""
        self.data += chunk[: self._limit - len(self.data)]
        self.size += len(chunk)

    @property
    def truncated(self) -> bool:
        """Whether bytes were dropped."""
        return self.size > len(self.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What was observed of one process group."""

    outcome: Outcome
    code: int | None
    """Exit code if it exited, else None."""
    signal: int | None
    """Signal number if it was ended by one, else None."""
    stdout: CapturedOutput
    stderr: CapturedOutput
    left_over: bool
    """Whether a process outside the group still held the output open after the grace."""


def execute(launch: Launch, *, timeout_ms: int, max_output_bytes: int) -> Execution:
    """Run *launch* to its end, or to the kill of its group after *timeout_ms* milliseconds.

    Raises:
        CommandError: if the program cannot be started.
    """
    try:
        process = subprocess.Popen(
            launch.arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(launch.environment),
            cwd=launch.folder,
            start_new_session=True,
        )
    except OSError as error:
        raise CommandError(f"command {launch.arguments[0]!r} cannot be started: {error.strerror}") from error
    outputs = CapturedOutput(max_output_bytes), CapturedOutput(max_output_bytes)
    with process:
        timed_out, left_over = _follow(process, outputs, timeout_ms / 1000)
    code = process.returncode
    ended = Outcome.EXITED if code >= 0 else Outcome.SIGNALLED
    outcome = Outcome.TIMED_OUT if timed_out else ended
    return Execution(
        outcome=outcome,
        code=code if outcome is Outcome.EXITED else None,
        signal=-code if code < 0 else None,
        stdout=outputs[0],
        stderr=outputs[1],
        left_over=left_over,
    )


def _follow(
    process: "subprocess.Popen[bytes]", outputs: tuple[CapturedOutput, CapturedOutput], seconds: float
) -> tuple[bool, bool]:
    """Read both streams until they end; return whether the time was up and whether a stream stayed open."""
    pidfd = os.pidfd_open(process.pid)
    timed_out = killed = False
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(pidfd, selectors.EVENT_READ)
        for stream, output in zip((process.stdout, process.stderr), outputs, strict=True):
            selector.register(_unblocked(stream), selectors.EVENT_READ, output)
        try:
            while selector.get_map():
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                ended = any(key.data is None for key, _ in ready)
                # Asked of the clock, since a flood of output keeps the wait from ever coming back empty.
                late = time.monotonic() >= deadline
                if late and killed:
                    break
                if (ended or late) and not killed:
                    # The leader is not reaped yet, so its number cannot belong to another group.
                    _kill_group(process.pid)
                    timed_out, killed = not ended, True
                    deadline = time.monotonic() + GRACE_SECONDS
                _read_ready(selector, ready)
            return timed_out, any(key.data is not None for key in selector.get_map().values())
        finally:
            if not killed:
                _kill_group(process.pid)
            os.close(pidfd)


def _read_ready(selector: selectors.BaseSelector, ready: list[tuple[selectors.SelectorKey, int]]) -> None:
    for key, _ in ready:
        if key.data is None:
            selector.unregister(key.fileobj)
            continue
        chunk = os.read(key.fd, _CHUNK)
        if chunk:
            key.data.take(chunk)
        else:
            selector.unregister(key.fileobj)


def _unblocked(stream: IO[bytes] | None) -> int:
    if stream is None:
        raise CommandError("the process was started without its output streams")
    os.set_blocking(stream.fileno(), False)
    return stream.fileno()


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
