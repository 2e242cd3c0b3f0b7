"""Running something in a process of its own that may be killed, and checking what it left behind."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import apsw

from trailforge.authority import SqliteAuthority, Units
from trailforge.harness import Decision, Harness, RunStatus, RunView
from trailforge.testing import SAMPLE_ADAPTERS
from trailforge.work import Goal


def in_child(action: Callable[[], None]) -> int:
    """Run *action* in a forked process; return its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            action()
        except BaseException:  # noqa: BLE001 - the child must never return into pytest
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def die() -> None:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def finish(path: Path, goal: Goal) -> RunView:
    """Open the store as a new process does, retry whatever is held, and run the goal to its end."""
    authority = SqliteAuthority(path)
    try:
        harness = Harness(authority, SAMPLE_ADAPTERS.values())
        run_id = harness.start(goal).run_id
        view = harness.resume(goal, fence=True)
        while view.status is RunStatus.UNKNOWN:
            harness.resolve(run_id, view.task, Decision.RETRY, by="test")
            view = harness.resume(goal)
        return view
    finally:
        authority.close()


def assert_whole(path: Path, view: RunView) -> None:
    """The file is intact, every task is done, and every begun attempt is charged exactly once."""
    connection = apsw.Connection(str(path))
    assert connection.pragma("integrity_check") == "ok"
    connection.close()
    authority = SqliteAuthority(path)
    assert (view.status, view.done) == (RunStatus.COMPLETED, view.tasks)
    charged = sum(2 for _ in range(view.attempts_total))  # every task of the sample goal declares 2 units
    assert authority.units("acme") == authority.units() == Units(reserved=0, spent=charged)
    authority.close()
