"""The publishing process is killed; what the next one finds is never a success that was not heard."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.publishing_world import INTENT, Guard
from trailforge.publishing import Finding, GuardedPublisher, OperationState, SqlitePublicationStore
from trustrail.foundation import FixedClock

START = 1_000_000.0


def in_child(body: Callable[[], None]) -> int:
    """Run *body* in a forked process and return the signal that ended it, or 0."""
    child = os.fork()
    if child == 0:
        try:
            body()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def die(*_ignored: object, **_more: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def publisher_at(path: Path, system: Any, seconds: float = 0.0) -> GuardedPublisher:
    return GuardedPublisher(SqlitePublicationStore(path, clock=FixedClock(START + seconds)), Guard(), [system])


def killed_while_executing(path: Path, system: Any, arrange: Callable[[GuardedPublisher], None]) -> str:
    """Approve here, execute in a child that *arrange* makes die, and return the approval."""
    approval = publisher_at(path, system).approve(INTENT, by="ann").approval_id

    def body() -> None:
        publisher = publisher_at(path, system, 1)
        arrange(publisher)
        publisher.execute(INTENT, approval, by="bob")
        die()

    assert in_child(body) == signal.SIGKILL
    return approval


def test_death_before_sending_was_stored_leaves_the_approval_usable(tmp_path: Path, system: Any) -> None:
    approval = killed_while_executing(
        tmp_path / "p.db", system, lambda publisher: setattr(publisher._store, "begin", die)
    )
    publisher = publisher_at(tmp_path / "p.db", system, 2)

    assert publisher.observe(INTENT) is None
    assert publisher.execute(INTENT, approval, by="bob").state is OperationState.ACCEPTED
    assert len(system.lines()) == 1


def test_death_between_sending_and_dispatch_is_unknown_and_sends_nothing_ever(tmp_path: Path, system: Any) -> None:
    """Row 14 of the durable reference: the approval shows as consumed, and a new send needs a new intent."""
    approval = killed_while_executing(
        tmp_path / "p.db", system, lambda publisher: setattr(publisher._dispatcher, "dispatch", die)
    )
    early = publisher_at(tmp_path / "p.db", system, 60)
    assert early.execute(INTENT, approval, by="bob").state is OperationState.SENDING
    late = publisher_at(tmp_path / "p.db", system, 61)

    assert late.execute(INTENT, approval, by="bob").state is OperationState.UNKNOWN
    assert late._store.approval_end(approval) == "CONSUMED"
    assert late.reconcile(INTENT, by="ann").finding is Finding.NOT_FOUND
    assert late.observe(INTENT).state is OperationState.UNKNOWN
    assert system.lines() == []


def test_death_between_effect_and_acknowledgement_is_unknown_until_inspected(tmp_path: Path, system: Any) -> None:
    """Rows 14 and 15 of the durable reference: one line in the effect log, however often it is asked."""
    system.answer = die
    approval = killed_while_executing(tmp_path / "p.db", system, lambda publisher: None)
    publisher = publisher_at(tmp_path / "p.db", system, 61)

    assert publisher.execute(INTENT, approval, by="bob").state is OperationState.UNKNOWN
    assert publisher.reconcile(INTENT, by="ann").state is OperationState.ACCEPTED
    assert publisher.execute(INTENT, approval, by="bob").state is OperationState.ACCEPTED
    assert len(system.lines()) == 1


def test_death_before_the_acknowledgement_is_stored_is_unknown(tmp_path: Path, system: Any) -> None:
    killed_while_executing(tmp_path / "p.db", system, lambda publisher: setattr(publisher._store, "record", die))
    publisher = publisher_at(tmp_path / "p.db", system, 61)

    assert publisher.observe(INTENT).state is OperationState.UNKNOWN
    assert publisher.in_doubt() == (publisher.observe(INTENT).operation_id,)
    assert len(system.lines()) == 1


def test_death_after_the_acknowledgement_was_stored_loses_nothing(tmp_path: Path, system: Any) -> None:
    killed_while_executing(tmp_path / "p.db", system, lambda publisher: None)

    assert publisher_at(tmp_path / "p.db", system, 2).observe(INTENT).state is OperationState.ACCEPTED
    assert len(system.lines()) == 1


def test_two_processes_with_one_approval_send_once(tmp_path: Path, system: Any) -> None:
    """Row 13 of the durable reference: the consumption is one row that only one transaction can write."""
    path = tmp_path / "p.db"
    approval = publisher_at(path, system).approve(INTENT, by="ann").approval_id

    def body() -> None:
        outcome = publisher_at(path, system, 1).execute(INTENT, approval, by="bob")
        (tmp_path / f"{os.getpid()}.out").write_text(outcome.state)

    children = []
    for _ in range(6):
        child = os.fork()
        if child == 0:
            try:
                body()
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    outcomes = [file.read_text() for file in tmp_path.glob("*.out")]

    assert len(system.lines()) == 1
    assert len(outcomes) == 6
    assert set(outcomes) <= {"SENDING", "ACCEPTED"}
    assert publisher_at(path, system, 61).observe(INTENT).state is OperationState.ACCEPTED


@pytest.mark.parametrize("answer", ["lost", "heard"])
def test_replaying_fifty_times_sends_once(tmp_path: Path, system: Any, answer: str) -> None:
    def lose(_acknowledgement: object) -> None:
        raise TimeoutError

    if answer == "lost":
        system.answer = lose
    path = tmp_path / "p.db"
    approval = publisher_at(path, system).approve(INTENT, by="ann").approval_id
    states = {publisher_at(path, system, 1).execute(INTENT, approval, by="bob").state for _ in range(50)}

    assert states == {OperationState.UNKNOWN if answer == "lost" else OperationState.ACCEPTED}
    assert len(system.lines()) == 1
