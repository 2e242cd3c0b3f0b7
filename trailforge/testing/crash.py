"""The crash test: kill a run at every boundary, go on in a new process, and say what ran twice.

Each trial runs a host's own goal and adapters in a forked process on a store of its own, which is killed (SIGKILL)
at one boundary: before or after each commit, before or after each callback. A second process then fences the
attempt, resumes, and retries whatever is held. A file with one appended line per call is the witness; the journal
must explain every line.
"""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from trailforge.authority import NewRun, SqliteAuthority, Transition
from trailforge.errors import TrailforgeError
from trailforge.harness import Decision, Harness, RunStatus, RunView
from trailforge.harness.events import AttemptBegan, events_from_text
from trailforge.work import Adapter, Goal, Request, admit
from trailforge.work.admission import adapters_by_name

_MAX_RETRIES: Final = 128
"""Held attempts retried before a trial is given up: one for each task a goal may have."""


class CrashTestError(TrailforgeError):
    """A trial could not be carried out; its store is left where the message says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One kill and what came after it."""

    boundary: str
    """Where the process was killed, as ``before commit 3`` or ``after call 2``."""
    held: bool
    """Whether the kill left an attempt UNKNOWN, to be decided by a host."""
    status: str
    """How the run ended after it was resumed."""
    calls: dict[str, int]
    """How often each task's callback began, by the witness."""
    attempts: dict[str, int]
    """How often each task was attempted, by the journal."""

    @property
    def repeated(self) -> dict[str, int]:
        """Tasks whose callback ran more than once."""
        return {task: count for task, count in self.calls.items() if count > 1}

    @property
    def unrecorded(self) -> dict[str, int]:
        """Calls the journal has no attempt for; must be empty."""
        extra = {task: count - self.attempts.get(task, 0) for task, count in self.calls.items()}
        return {task: count for task, count in extra.items() if count > 0}


class _KillSwitch:
    """Kills its own process when the boundary with the given number is reached; 0 only counts."""

    def __init__(self, at: int) -> None:
        self._at = at
        self.passed: list[str] = []

    def reach(self, boundary: str) -> None:
        self.passed.append(boundary)
        if len(self.passed) == self._at:
            os.kill(os.getpid(), signal.SIGKILL)


class _KillableAuthority(SqliteAuthority):
    """A SQLite authority with a boundary on each side of every commit."""

    def __init__(self, path: Path, switch: _KillSwitch) -> None:
        super().__init__(path)
        self._switch = switch
        self._commits = 0

    def create(self, run: NewRun) -> None:
        """Store a new run between two boundaries."""
        self._between(lambda: super(_KillableAuthority, self).create(run))

    def commit(self, transition: Transition) -> None:
        """Write a transition between two boundaries."""
        self._between(lambda: super(_KillableAuthority, self).commit(transition))

    def _between(self, write: Callable[[], None]) -> None:
        self._commits += 1
        self._switch.reach(f"before commit {self._commits}")
        write()
        self._switch.reach(f"after commit {self._commits}")


def crash_test(goal: Goal, adapters: Iterable[Adapter], folder: Path) -> Iterator[Trial]:
    """Yield one trial for each boundary of a run of *goal*, in the order they are reached.

    Args:
        goal: an admissible goal; its callbacks really run, once or more for each trial.
        adapters: the host's adapters.
        folder: where the stores and witness files go; one sub-folder is made for each trial.

    Raises:
        AdmissionError: if the goal is refused.
        CrashTestError: if *folder* cannot be used, a run without a kill does not end, or one after a kill neither.
    """
    adapters = tuple(adapters)
    admit(goal, adapters_by_name(adapters))
    boundaries = _count(goal, adapters, folder / "0-no-kill")
    for number, boundary in enumerate(boundaries, start=1):
        yield _trial(goal, adapters, folder / f"{number}-{boundary.replace(' ', '-')}", number, boundary)


def _count(goal: Goal, adapters: tuple[Adapter, ...], place: Path) -> list[str]:
    """Run once without a kill and return every boundary passed."""
    _make(place)
    boundaries = place / "boundaries"

    def run() -> None:
        switch = _KillSwitch(0)
        _run(goal, adapters, place, switch)
        boundaries.write_text("\n".join(switch.passed), encoding="utf-8")

    _in_child(run)
    if not boundaries.exists():
        raise CrashTestError(f"the run ended with an error even without a kill; see {place}")
    return boundaries.read_text(encoding="utf-8").splitlines()


def _trial(goal: Goal, adapters: tuple[Adapter, ...], place: Path, number: int, boundary: str) -> Trial:
    _make(place)
    if _in_child(lambda: _run(goal, adapters, place, _KillSwitch(number))) != -signal.SIGKILL:
        raise CrashTestError(f"the run did not reach {boundary!r} again; are its adapters deterministic? see {place}")
    held = place / "held"

    def recover() -> None:
        if _recover(goal, adapters, place):
            held.touch()

    if _in_child(recover) != 0:
        raise CrashTestError(f"the run could not be resumed after {boundary!r}; see {place}")
    authority = SqliteAuthority(place / "runs.db")
    try:
        run_id = next(iter(authority.runs())).run_id
        view = Harness(authority, adapters).status(run_id)
        events = [event for entry in authority.load(run_id).entries for event in events_from_text(entry.text)]
    finally:
        authority.close()
    if view.status is RunStatus.RUNNING:
        raise CrashTestError(f"the process that resumed after {boundary!r} ended during a callback; see {place}")
    attempts = [event.task for event in events if isinstance(event, AttemptBegan)]
    return Trial(
        boundary=boundary,
        held=held.exists(),
        status=view.status.value,
        calls=_counted(_witnessed(place)),
        attempts=_counted(attempts),
    )


def _run(goal: Goal, adapters: tuple[Adapter, ...], place: Path, switch: _KillSwitch) -> None:
    authority = _KillableAuthority(place / "runs.db", switch)
    Harness(authority, _witnesses(adapters, place, switch)).run(goal)
    authority.close()


def _recover(goal: Goal, adapters: tuple[Adapter, ...], place: Path) -> bool:
    """Resume as a new process does, retrying whatever is held; return whether anything was."""
    authority = SqliteAuthority(place / "runs.db")
    harness = Harness(authority, _witnesses(adapters, place, _KillSwitch(0)))
    view: RunView = harness.start(goal)
    view = harness.resume(goal, fence=True)
    retries = 0
    while view.status is RunStatus.UNKNOWN and f"resolve {view.task} retry" in view.legal and retries < _MAX_RETRIES:
        retries += 1
        harness.resolve(view.run_id, view.task, Decision.RETRY, by="crash test")
        view = harness.resume(goal)
    authority.close()
    return retries > 0


def _witnesses(adapters: tuple[Adapter, ...], place: Path, switch: _KillSwitch) -> tuple[Adapter, ...]:
    def witnessed(adapter: Adapter) -> Adapter:
        def call(request: Request) -> Any:  # noqa: ANN401 - any JSON value
            switch.reach(f"before call {request.task_id}")
            with (place / "calls").open("a", encoding="utf-8") as witness:
                witness.write(f"{request.task_id}\n")
            output = adapter.call(request)
            switch.reach(f"after call {request.task_id}")
            return output

        return replace(adapter, call=call)

    return tuple(witnessed(adapter) for adapter in adapters)


def _make(place: Path) -> None:
    try:
        place.mkdir(parents=True)
    except OSError as error:
        raise CrashTestError(f"{place} cannot be made: {error.strerror}; name another folder") from error


def _in_child(action: Callable[[], None]) -> int:
    """Run *action* in a forked process and return its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            action()
        except BaseException:  # noqa: BLE001 - the child must never return into its parent's code
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _witnessed(place: Path) -> list[str]:
    calls = place / "calls"
    return calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []


def _counted(names: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts
