"""Worker processes: one that dies costs its own runs only, and none outlives its study."""

import os
from pathlib import Path

import pytest

import mast
from mast.experiments import engines
from mast.experiments.engines import carried_out

pytestmark = pytest.mark.slow


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Process ids of the workers, in the order they were started."""
    found: list[int] = []
    start = engines._start

    def watched():
        process = start()
        found.append(process.pid)
        return process

    monkeypatch.setattr(engines, "_start", watched)
    return found


def test_the_runs_of_a_dead_worker_fail_and_the_others_finish(started: list[int]) -> None:
    plan = mast.study("long_chain_fork", ["active", "late_notice", "signed_false"], ["L3", "L4"], verify="mac").plan
    outcomes = carried_out(plan, range(6), workers=2, runtime="virtual")
    done = [next(outcomes)]

    os.kill(started[1], 9)
    done += outcomes

    assert [outcome.planned.name for outcome in done] == [run.name for run in plan.runs]
    assert [outcome.finished for outcome in done[0::2]] == [True, True, True]
    failures = [outcome.failure for outcome in done[1::2] if outcome.failure]
    # how many it had handed over before it died is up to the system; what it had not is failed
    assert all(failure.stage == "worker" and "exit code -9" in failure.message for failure in failures)


def test_no_worker_outlives_a_study_that_is_given_up(started: list[int]) -> None:
    plan = mast.study("long_chain_fork", ["active", "late_notice"], ["L3", "L4"], verify="mac").plan
    outcomes = carried_out(plan, range(4), workers=2, runtime="virtual")
    next(outcomes)

    outcomes.close()  # type: ignore[attr-defined]

    assert len(started) == 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in started)


def test_workers_that_cannot_start_fail_their_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = mast.study("long_chain_fork", ["active", "late_notice"], ["L3", "L4"], verify="mac").plan
    monkeypatch.setattr(engines.sys, "executable", "/bin/false")

    outcomes = list(carried_out(plan, range(4), workers=2, runtime="virtual"))

    assert [outcome.failure.message for outcome in outcomes if outcome.failure] == [
        "its worker process ended with exit code 1 before the run was done"
    ] * 4
