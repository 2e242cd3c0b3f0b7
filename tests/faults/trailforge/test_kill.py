"""SIGKILL at every boundary and at random lines: no unrecorded repeat, no lost task, exact unit totals."""

import random
import sys

import pytest

from tests.faults.trailforge.processes import assert_whole, die, finish, in_child
from trailforge.authority import SqliteAuthority
from trailforge.harness import Harness, RunStatus
from trailforge.harness.events import AttemptBegan, events_from_text
from trailforge.testing import SAMPLE_ADAPTERS, sample_goal
from trailforge.testing.crash import _KillSwitch as KillSwitch
from trailforge.testing.crash import _run, _witnessed, crash_test
from trailforge.work import Recovery

ADAPTERS = tuple(SAMPLE_ADAPTERS.values())


@pytest.mark.slow
@pytest.mark.parametrize("recovery", list(Recovery))
def test_kill_at_every_boundary(tmp_path, recovery):
    """Row 1: killed after the effect and before the receipt, or between a start that returned and the first attempt.

    Row 2: receipt, checkpoint, journal row and units are one transaction, so that no boundary splits them.
    """
    goal = sample_goal(recovery=recovery)

    trials = list(crash_test(goal, ADAPTERS, tmp_path / "trials"))

    assert len(trials) == 16  # 5 commits and 3 calls, each with a boundary before and after
    for number, trial in enumerate(trials, start=1):
        assert trial.status == "COMPLETED"
        assert trial.unrecorded == {}
        assert set(trial.calls) == {task.id for task in goal.tasks}
        path = tmp_path / "trials" / f"{number}-{trial.boundary.replace(' ', '-')}" / "runs.db"
        assert_whole(path, finish(path, goal))
    in_doubt = [trial.boundary for trial in trials if trial.held]
    assert in_doubt == ([trial.boundary for trial in trials[3:15]] if recovery is Recovery.HOLD else [])


@pytest.mark.slow
def test_kill_at_twenty_random_lines(tmp_path):
    """Row 20: the dead process's attempt is either not begun, or numbered and charged; totals are exact."""
    goal = sample_goal()
    lines = count_lines(goal, tmp_path / "count")
    points = sorted(random.Random(20).sample(range(1, lines), 20))

    for point in points:
        place = tmp_path / str(point)
        place.mkdir()
        assert in_child(lambda place=place, point=point: run_until(goal, place, point)) == -9
        view = finish(place / "runs.db", goal)
        assert_whole(place / "runs.db", view)
        attempts = [event.task for event in journal(place, view.run_id) if isinstance(event, AttemptBegan)]
        assert len(_witnessed(place)) <= len(attempts)


def run_until(goal, place, point: int) -> int:
    """Run the goal and die at the *point*-th line of this project's code; return the lines run when none is hit."""
    seen = 0

    def trace(frame, event, _argument):
        nonlocal seen
        if "/trailforge/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            seen += 1
            if seen == point:
                die()
        return trace

    sys.settrace(trace)
    _run(goal, ADAPTERS, place, KillSwitch(0))
    sys.settrace(None)
    return seen


def count_lines(goal, place) -> int:
    place.mkdir()
    in_child(lambda: (place / "lines").write_text(str(run_until(goal, place, -1))))
    return int((place / "lines").read_text())


def journal(place, run_id):
    authority = SqliteAuthority(place / "runs.db")
    events = [event for entry in authority.load(run_id).entries for event in events_from_text(entry.text)]
    authority.close()
    return events


def test_writer_killed_in_its_transaction_leaves_no_lock(tmp_path):
    """Row 28: locks are the kernel's and end with the process; no file with a process id can go stale."""
    path = tmp_path / "runs.db"
    SqliteAuthority(path).close()

    def die_holding_the_lock() -> None:
        authority = SqliteAuthority(path)
        authority._connection.execute("BEGIN IMMEDIATE")
        authority._connection.execute("UPDATE ledgers SET spent = 1")
        die()

    assert in_child(die_holding_the_lock) == -9

    assert_whole(path, finish(path, sample_goal()))
    assert {each.name for each in tmp_path.iterdir()} == {"runs.db"}


def test_units_of_a_killed_process_stay_charged_until_settled(tmp_path):
    """Row 7: kill -9 while holding units; they are visible as reserved, and settling moves them to spent."""
    path, goal = tmp_path / "runs.db", sample_goal()

    def die_in_the_callback() -> None:
        adapters = [type(each)(**{**fields(each), "call": lambda request: die()}) for each in ADAPTERS]
        Harness(SqliteAuthority(path), adapters).run(goal)

    assert in_child(die_in_the_callback) == -9
    authority = SqliteAuthority(path)
    assert (authority.units().reserved, authority.units().spent) == (2, 0)

    view = Harness(authority, ADAPTERS).resume(goal, fence=True)

    assert (view.status, authority.units().reserved) == (RunStatus.UNKNOWN, 2)
    authority.close()
    assert_whole(path, finish(path, goal))


def fields(adapter) -> dict:
    return {name: getattr(adapter, name) for name in type(adapter).__dataclass_fields__}
