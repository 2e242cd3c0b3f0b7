"""Histories of two publishers, one external system and a clock, against a model that knows both worlds.

The model is independent of the code under test: it keeps only what a person with a notebook would know, namely
what was approved, what was sent, what was heard. After every step the publishers must say exactly that, and an
operation in doubt must be compatible with "it happened" and with "it did not" (Jepsen's ``info``).
"""

from dataclasses import replace
from typing import Any

import psycopg
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.publishing_world import INTENT, ExternalSystem, Guard
from trailforge.errors import (
    ApprovalRefusedError,
    AuthorityUnavailableError,
    GuardDeniedError,
    OperationRefusedError,
)
from trailforge.publishing import (
    Acknowledgement,
    Dispatch,
    GuardedAction,
    GuardedPublisher,
    Operation,
    OperationState,
    PublicationStore,
    SqlitePublicationStore,
)
from trailforge.publishing.operation import TrailEntry
from trailforge.publishing.postgres import PostgresPublicationStore
from trustrail.foundation import FixedClock

EACH_HISTORY = settings(max_examples=1_000, stateful_step_count=8, derandomize=True, database=None, deadline=None)
INTENTS = [replace(INTENT, action=f"deploy-{name}") for name in "abc"]
SENDING_SECONDS = 60
APPROVAL_SECONDS = 300


class ProcessDied(BaseException):
    """The process is gone."""


class MortalStore:
    """Passes everything on to a store, but stores nothing for a dead process: no handler of it leaves a trace."""

    def __init__(self, store: PublicationStore) -> None:
        self._store = store
        self.alive = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def record(self, operation: Operation, entry: TrailEntry) -> Operation:
        if not self.alive:
            raise AuthorityUnavailableError("the process is dead")
        return self._store.record(operation, entry)


class FatefulSystem(ExternalSystem):
    """Does with the next dispatch what it was told."""

    def __init__(self, clock: FixedClock, store: MortalStore) -> None:
        super().__init__()
        self.clock = clock
        self.store = store
        self.fate = "heard"
        self.sent: list[str] = []

    def send(self, dispatch: Dispatch) -> Acknowledgement:
        self.sent.append(dispatch.operation_id)
        if self.fate == "request lost":
            raise TimeoutError
        if self.fate == "died before":
            self.store.alive = False
            raise ProcessDied
        acknowledgement = super().send(dispatch)
        if self.fate == "answer lost":
            raise TimeoutError
        if self.fate == "died after":
            self.store.alive = False
            raise ProcessDied
        if self.fate == "late":
            self.clock.at = dispatch.deadline / 1000
        return acknowledgement


class Publishing(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.clock = FixedClock(1_000_000.0)
        self.store = MortalStore(self.open_store())
        self.system = FatefulSystem(self.clock, self.store)
        self.guard = Guard()
        self.publishers = [self.new_publisher(), self.new_publisher()]
        # The notebook. Times are seconds; `latest` is the furthest the clock has been seen.
        self.latest = 0.0
        self.approvals: dict[str, tuple[int, float]] = {}
        self.ended: set[str] = set()
        self.heard: set[int] = set()
        self.doubted: dict[int, float] = {}
        self.proven: set[int] = set()

    def open_store(self) -> PublicationStore:
        return SqlitePublicationStore(":memory:", clock=self.clock)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()

    def new_publisher(self) -> GuardedPublisher:
        return GuardedPublisher(self.store, self.guard, [self.system], sending_seconds=SENDING_SECONDS)

    def sees_now(self) -> float:
        self.latest = max(self.latest, self.clock.at)
        return self.latest

    def was_begun(self, number: int) -> bool:
        return number in self.heard or number in self.doubted

    @rule(number=st.integers(0, 2), worker=st.integers(0, 1), allowed=st.booleans())
    def approve(self, number: int, worker: int, allowed: bool) -> None:
        self.guard.denied = set() if allowed else {GuardedAction.APPROVE}
        try:
            approval = self.publishers[worker].approve(INTENTS[number], by="ann").approval_id
        except OperationRefusedError:
            assert self.was_begun(number)
        except GuardDeniedError:
            assert not allowed
        else:
            assert allowed
            assert not self.was_begun(number)
            self.approvals[approval] = (number, self.sees_now() + APPROVAL_SECONDS)

    @rule(data=st.data(), worker=st.integers(0, 1))
    def revoke(self, data: st.DataObject, worker: int) -> None:
        if not self.approvals:
            return
        approval = data.draw(st.sampled_from(sorted(self.approvals)))
        self.guard.denied = set()
        try:
            self.publishers[worker].revoke(INTENTS[self.approvals[approval][0]], approval, by="ann")
        except ApprovalRefusedError:
            assert approval in self.ended
        else:
            assert approval not in self.ended
            self.ended.add(approval)
            self.sees_now()

    @rule(
        data=st.data(),
        number=st.integers(0, 2),
        worker=st.integers(0, 1),
        fate=st.sampled_from(["heard", "answer lost", "request lost", "late", "died before", "died after"]),
        allowed=st.booleans(),
    )
    def execute(self, data: st.DataObject, number: int, worker: int, fate: str, allowed: bool) -> None:
        approval = data.draw(st.sampled_from([*sorted(self.approvals), "0" * 32]))
        self.guard.denied = set() if allowed else {GuardedAction.EXECUTE}
        self.system.fate = fate
        before = len(self.system.sent)
        begun, now = self.was_begun(number), max(self.latest, self.clock.at)
        covers, expires = self.approvals.get(approval, (-1, 0.0))
        usable = covers == number and approval not in self.ended and now < expires
        died = False
        state = None
        try:
            state = self.publishers[worker].execute(INTENTS[number], approval, by="bob").state
        except ProcessDied:
            died, self.store.alive = True, True
            self.publishers[worker] = self.new_publisher()
        except GuardDeniedError:
            assert not allowed
            assert not begun
        except ApprovalRefusedError:
            assert not usable
            assert not begun
        sent = len(self.system.sent) - before
        assert sent == (1 if usable and allowed and not begun else 0)
        if sent == 0:
            return
        self.ended.add(approval)
        self.sees_now()
        if fate == "heard":
            assert state is OperationState.ACCEPTED
            self.heard.add(number)
        else:
            assert died or state is OperationState.UNKNOWN
            self.doubted[number] = now

    @rule(number=st.integers(0, 2), worker=st.integers(0, 1), allowed=st.booleans())
    def reconcile(self, number: int, worker: int, allowed: bool) -> None:
        self.guard.denied = set() if allowed else {GuardedAction.RECONCILE}
        before = len(self.system.sent)
        try:
            state = self.publishers[worker].reconcile(INTENTS[number], by="ann").state
        except GuardDeniedError:
            assert not allowed
        except OperationRefusedError:
            assert number not in self.heard
        else:
            if state is OperationState.ACCEPTED and number in self.doubted:
                self.proven.add(number)
            self.sees_now()
        assert len(self.system.sent) == before

    @rule(seconds=st.sampled_from([-3600.0, -10.0, -0.001, 0.001, 10.0, 59.999, 60.0, 299.0, 300.0, 3600.0]))
    def time_jumps(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @invariant()
    def what_is_told_is_what_can_be_known(self) -> None:
        if not hasattr(self, "store"):
            return
        assert len(self.system.sent) == len(set(self.system.sent))
        for number, intent in enumerate(INTENTS):
            told = self.publishers[0].observe(intent)
            if number in self.heard or number in self.proven:
                assert told.state is OperationState.ACCEPTED
                assert told.operation_id in self.system.kept
            elif number in self.doubted:
                assert told.state in (OperationState.SENDING, OperationState.UNKNOWN)
                if max(self.latest, self.clock.at) >= self.doubted[number] + SENDING_SECONDS:
                    assert told.state is OperationState.UNKNOWN
                    self.sees_now()
            else:
                assert told is None


@pytest.mark.slow
class TestHistories(Publishing.TestCase):
    settings = EACH_HISTORY


@pytest.mark.slow
def test_histories_on_postgres(postgres_dsn: str) -> None:
    schema = "trailforge_histories"
    clock = FixedClock()
    store = PostgresPublicationStore(postgres_dsn, schema=schema, clock=clock)
    store._connection.execute("SET synchronous_commit = off")  # no power fails here
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema}; SET synchronous_commit = off")

        class OnPostgres(Publishing):
            def open_store(self) -> PublicationStore:
                connection.execute(
                    "DELETE FROM trail; DELETE FROM operations; DELETE FROM approval_ends; DELETE FROM approvals; "
                    "DELETE FROM intents; UPDATE clock SET seen_at = 0"
                )
                store._clock = self.clock
                return store

            def teardown(self) -> None:
                """The one connection stays open for the next history."""

        run_state_machine_as_test(OnPostgres, settings=EACH_HISTORY)
        store.close()
        connection.execute(f"DROP SCHEMA {schema} CASCADE")
