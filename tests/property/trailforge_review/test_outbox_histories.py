"""Histories of two relays, one outbox and one broker, on both stores, against a notebook of what was put and heard.

Whatever happens, a message is handed to the broker at most once unless every earlier try provably failed, and it is
SENT only when an acknowledgement was heard in time or an inspection found its very body.
"""

from collections.abc import Callable

import psycopg
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from trailforge.errors import BrokerUnavailableError, MessageRefusedError
from trailforge.review import (
    BrokerAck,
    InProcessBroker,
    MemoryReviewStore,
    MessageState,
    NewMessage,
    Relay,
    new_message,
)
from trailforge.review.outbox import MAX_ATTEMPTS
from trailforge.review.postgres import PostgresReviewStore
from trailforge.review.store import ReviewStore
from trustrail.foundation import FixedClock

EACH_HISTORY = settings(max_examples=1_000, stateful_step_count=10, derandomize=True, database=None, deadline=None)
MESSAGES = [new_message("topic", {"number": number}) for number in range(3)]
FATES = ["heard", "unavailable", "answer lost", "request lost", "late", "died before", "died after"]


class ProcessDied(BaseException):
    """The relay is gone."""


class FatefulBroker(InProcessBroker):
    """Does with every message what it was told, and notes the tries that may have arrived."""

    def __init__(self, pass_deadlines: Callable[[], None]) -> None:
        super().__init__()
        self.pass_deadlines = pass_deadlines
        self.fate = "heard"
        self.tries: list[str] = []

    def publish(self, message: NewMessage) -> BrokerAck:
        if self.fate == "unavailable":
            raise BrokerUnavailableError("no connection")
        self.tries.append(message.message_id)
        if self.fate == "request lost":
            raise TimeoutError
        if self.fate == "died before":
            raise ProcessDied
        ack = super().publish(message)
        if self.fate == "answer lost":
            raise TimeoutError
        if self.fate == "died after":
            raise ProcessDied
        if self.fate == "late":
            self.pass_deadlines()
        return ack


class Relaying(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.store = self.open_store()
        self.broker = FatefulBroker(self.pass_deadlines)
        self.relays = [Relay(self.store, self.broker), Relay(self.store, self.broker)]
        self.added: set[str] = set()
        self.heard: set[str] = set()
        self.found: set[str] = set()
        self.unavailable: dict[str, int] = {}

    def open_store(self) -> ReviewStore:
        self.clock = FixedClock(1_000_000.0)
        return MemoryReviewStore(self.clock)

    @rule()
    def pass_deadlines(self) -> None:
        self.clock.advance(30)

    @rule(number=st.integers(0, 2))
    def add(self, number: int) -> None:
        self.store.add(MESSAGES[number])
        self.added.add(MESSAGES[number].message_id)

    @rule(worker=st.integers(0, 1), fate=st.sampled_from(FATES), limit=st.integers(1, 3))
    def relay(self, worker: int, fate: str, limit: int) -> None:
        self.broker.fate = fate
        before = len(self.broker.tries)
        try:
            settled = self.relays[worker].run_once(limit)
        except ProcessDied:
            return
        if fate == "heard":
            self.heard.update(self.broker.tries[before:])
        if fate == "unavailable":
            assert len(settled) <= 1
            for message in settled:
                name = message.message.message_id
                self.unavailable[name] = self.unavailable.get(name, 0) + 1

    @rule(number=st.integers(0, 2))
    def reconcile(self, number: int) -> None:
        name = MESSAGES[number].message_id
        before = len(self.broker.tries)
        try:
            if self.relays[0].reconcile(name).state is MessageState.SENT:
                self.found.add(name)
        except MessageRefusedError:
            pass
        assert len(self.broker.tries) == before

    @invariant()
    def what_is_stored_is_what_can_be_known(self) -> None:
        if not hasattr(self, "store"):
            return
        assert len(self.broker.tries) == len(set(self.broker.tries))
        for name in self.added:
            state = self.store.find(name).state
            if name in self.heard | self.found:
                assert state is MessageState.SENT
                assert name in {kept.message_id for kept in self.broker.kept}
            elif name in self.broker.tries:
                assert state in (MessageState.SENDING, MessageState.UNKNOWN)
            elif self.unavailable.get(name, 0) == MAX_ATTEMPTS:
                assert state is MessageState.EXHAUSTED
            else:
                assert state is MessageState.PENDING


@pytest.mark.slow
class TestHistories(Relaying.TestCase):
    settings = EACH_HISTORY


@pytest.mark.slow
def test_histories_on_postgres(postgres_dsn: str) -> None:
    schema = "trailforge_outbox_histories"
    store = PostgresReviewStore(postgres_dsn, schema=schema)
    store._connection.execute("SET synchronous_commit = off")  # no power fails here
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema}; SET synchronous_commit = off")

        class OnPostgres(Relaying):
            def open_store(self) -> ReviewStore:
                connection.execute("DELETE FROM outbox")
                return store

            @rule()
            def pass_deadlines(self) -> None:
                connection.execute("UPDATE outbox SET deadline = 1 WHERE state = 'SENDING'")

        run_state_machine_as_test(OnPostgres, settings=EACH_HISTORY)
        store.close()
        connection.execute(f"DROP SCHEMA {schema} CASCADE")
