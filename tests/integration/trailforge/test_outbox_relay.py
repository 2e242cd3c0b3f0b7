"""The outbox on both stores, and the relay against a broker that loses either direction."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from trailforge.errors import BrokerUnavailableError, MessageRefusedError
from trailforge.harness import Signal
from trailforge.review import (
    BrokerAck,
    BrokerEvidence,
    InProcessBroker,
    MemoryReviewStore,
    MessageState,
    NewMessage,
    Relay,
    ReviewStore,
    Sighting,
    new_message,
)
from trailforge.review.postgres import PostgresReviewStore
from trustrail.foundation import FixedClock

SCHEMA = "trailforge_outbox_tests"
MESSAGE = new_message("review.drafted", {"review": "review-1"})
SEEN = BrokerEvidence(sighting=Sighting.FOUND, digest=MESSAGE.digest)


class Place:
    """A store, with the means to let time pass its deadlines."""

    def __init__(self, store: ReviewStore, pass_deadlines: Callable[[], None]) -> None:
        self.store = store
        self.pass_deadlines = pass_deadlines


@pytest.fixture(params=["memory", "postgres"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    if request.param == "memory":
        clock = FixedClock(1_000_000.0)
        yield Place(MemoryReviewStore(clock), lambda: clock.advance(30))
        return
    dsn = request.getfixturevalue("postgres_dsn")
    store = PostgresReviewStore(dsn, schema=SCHEMA)
    with psycopg.connect(dsn, autocommit=True) as connection:
        # The server's clock is not ours to move, so the deadlines are moved instead.
        yield Place(store, lambda: connection.execute(f"UPDATE {SCHEMA}.outbox SET deadline = 1"))
        store.close()
        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


class LossyBroker(InProcessBroker):
    """What happens to the next message is set from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Callable[[], None] = lambda: None
        self.after: Callable[[BrokerAck], Any] = lambda ack: ack
        self.look: Callable[[BrokerEvidence], Any] = lambda evidence: evidence
        self.calls = 0

    def publish(self, message: NewMessage) -> BrokerAck:
        self.calls += 1
        self.before()
        return self.after(super().publish(message))

    def inspect(self, message: NewMessage) -> BrokerEvidence:
        return self.look(super().inspect(message))


class Counter:
    def __init__(self) -> None:
        self.counted: list[Signal] = []

    def count(self, signal: Signal, state: str = "") -> None:
        self.counted.append(signal)

    def duration(self, milliseconds: int, state: str) -> None:
        raise AssertionError("nothing here has a duration")


def fail(error: Exception) -> Callable[..., Any]:
    def raise_it(*_arguments: object) -> Any:
        raise error

    return raise_it


def test_acknowledged_message_is_sent_once(place: Place) -> None:
    broker = LossyBroker()
    place.store.add(MESSAGE)
    place.store.add(MESSAGE)
    relay = Relay(place.store, broker)

    assert [message.state for message in relay.run_once()] == [MessageState.SENT]
    assert relay.run_once() == ()
    assert broker.kept == [MESSAGE]


def test_messages_go_in_the_order_they_were_stored_and_no_more_than_asked(place: Place) -> None:
    messages = [new_message("topic", {"number": number}) for number in range(5)]
    for message in messages:
        place.store.add(message)
    broker = LossyBroker()

    assert len(Relay(place.store, broker).run_once(limit=3)) == 3
    assert broker.kept == messages[:3]


DOUBTS = {
    "the broker keeps it and the answer is lost": {"after": fail(TimeoutError())},
    "the request is lost": {"before": fail(TimeoutError())},
    "the answer is for another message": {"after": lambda ack: BrokerAck(message_id="other", duplicate=False)},
    "the answer is no acknowledgement": {"after": lambda ack: True},
    "the broker says duplicate": {"after": lambda ack: BrokerAck(message_id=ack.message_id, duplicate=True)},
}


@pytest.mark.parametrize("change", DOUBTS.values(), ids=DOUBTS)
def test_anything_but_an_acknowledgement_is_unknown_and_never_sent_again(place: Place, change: dict[str, Any]) -> None:
    """Rows 15 and 16 of the durable reference."""
    broker, telemetry = LossyBroker(), Counter()
    for name, value in change.items():
        setattr(broker, name, value)
    place.store.add(MESSAGE)
    relay = Relay(place.store, broker, telemetry=telemetry)

    assert [message.state for message in relay.run_once()] == [MessageState.UNKNOWN]
    assert relay.run_once() == ()
    assert broker.calls == 1
    assert telemetry.counted == [Signal.AMBIGUOUS_PUBLICATION]


def test_acknowledgement_after_the_deadline_is_unknown(place: Place) -> None:
    """Row 15 of the durable reference: judged by the store's clock."""
    broker = LossyBroker()

    def late(ack: BrokerAck) -> BrokerAck:
        place.pass_deadlines()
        return ack

    broker.after = late
    place.store.add(MESSAGE)
    (message,) = Relay(place.store, broker).run_once()

    assert message.state is MessageState.UNKNOWN
    assert "after the deadline" in message.reason


def test_message_of_a_dead_relay_becomes_unknown_not_pending(place: Place) -> None:
    place.store.add(MESSAGE)
    place.store.claim(1)
    broker = LossyBroker()
    relay = Relay(place.store, broker)
    assert relay.run_once() == ()
    assert place.store.find(MESSAGE.message_id).state is MessageState.SENDING
    place.pass_deadlines()

    assert relay.run_once() == ()
    assert place.store.find(MESSAGE.message_id).state is MessageState.UNKNOWN
    assert broker.calls == 0


def test_relay_that_lost_its_claim_cannot_settle(place: Place) -> None:
    place.store.add(MESSAGE)
    (claimed,) = place.store.claim(1)
    place.pass_deadlines()
    place.store.expire()
    with pytest.raises(MessageRefusedError, match="version"):
        place.store.settle(claimed, MessageState.SENT, "acknowledged")

    assert place.store.find(MESSAGE.message_id).state is MessageState.UNKNOWN


def test_reconcile_sends_nothing_and_believes_only_the_same_body(place: Place) -> None:
    """Rows 15 and 16 of the durable reference."""
    broker = LossyBroker()
    broker.after = fail(TimeoutError())
    place.store.add(MESSAGE)
    relay = Relay(place.store, broker)
    relay.run_once()
    broker.look = lambda evidence: BrokerEvidence(sighting=Sighting.FOUND, digest="0" * 64)
    assert relay.reconcile(MESSAGE.message_id).state is MessageState.UNKNOWN
    broker.look = fail(ConnectionError())
    assert relay.reconcile(MESSAGE.message_id).reason == "inspection: CANNOT_TELL"
    for answer in (None, True, replace(SEEN, sighting="FOUND"), replace(SEEN, digest=None), replace(SEEN, sighting=[])):
        broker.look = lambda evidence, answer=answer: answer
        assert relay.reconcile(MESSAGE.message_id).reason == "inspection: CANNOT_TELL"
    broker.look = lambda evidence: evidence
    assert relay.reconcile(MESSAGE.message_id).state is MessageState.SENT

    assert broker.calls == 1
    with pytest.raises(MessageRefusedError, match="is SENT, only one in UNKNOWN"):
        relay.reconcile(MESSAGE.message_id)


def test_reconcile_of_a_lost_request_stays_unknown(place: Place) -> None:
    broker = LossyBroker()
    broker.before = fail(TimeoutError())
    place.store.add(MESSAGE)
    relay = Relay(place.store, broker)
    relay.run_once()

    assert relay.reconcile(MESSAGE.message_id).reason == "inspection: NOT_FOUND"
    assert place.store.find(MESSAGE.message_id).state is MessageState.UNKNOWN


def test_sending_again_is_a_new_message_that_names_the_old_one(place: Place) -> None:
    """Row 16 of the durable reference."""
    broker = LossyBroker()
    broker.before = fail(TimeoutError())
    place.store.add(MESSAGE)
    relay = Relay(place.store, broker)
    relay.run_once()
    broker.before = lambda: None
    new_id = relay.send_again(MESSAGE.message_id, by="ann")
    relay.run_once()
    (sent,) = broker.kept

    assert new_id == sent.message_id != MESSAGE.message_id
    assert sent.repeats == MESSAGE.message_id
    assert place.store.find(MESSAGE.message_id).state is MessageState.UNKNOWN
    with pytest.raises(MessageRefusedError, match="is SENT, expected UNKNOWN or EXHAUSTED"):
        relay.send_again(new_id, by="ann")


def test_provably_unsent_message_is_tried_five_times_and_then_exhausted(place: Place) -> None:
    broker, telemetry = LossyBroker(), Counter()
    broker.before = fail(BrokerUnavailableError("no connection"))
    place.store.add(MESSAGE)
    relay = Relay(place.store, broker, telemetry=telemetry)
    states = [relay.run_once()[0].state for _ in range(5)]

    assert states == [MessageState.PENDING] * 4 + [MessageState.EXHAUSTED]
    assert relay.run_once() == ()
    assert telemetry.counted == [Signal.DISPATCH_EXHAUSTED]


def test_reason_of_a_broker_is_kept_whatever_characters_it_has(place: Place) -> None:
    """A text of PostgreSQL holds no NUL, and none holds half a character; the try must still be counted."""
    broker = LossyBroker()
    broker.before = fail(BrokerUnavailableError("no\x00route\ud800"))
    place.store.add(MESSAGE)

    (message,) = Relay(place.store, broker).run_once()

    assert (message.state, message.reason) == (MessageState.PENDING, r"no\x00route\ud800")


@pytest.mark.parametrize("by", ["", "  ", None, 5, "\ud800", "ann\x00"])
def test_message_is_only_sent_again_by_somebody(place: Place, by: object) -> None:
    broker = LossyBroker()
    broker.before = fail(TimeoutError())
    place.store.add(MESSAGE)
    relay = Relay(place.store, broker)
    relay.run_once()

    with pytest.raises(MessageRefusedError, match="was given"):
        relay.send_again(MESSAGE.message_id, by=by)

    assert place.store.messages_in(MessageState.PENDING) == ()


def test_telemetry_that_fails_keeps_no_message_from_being_settled(place: Place) -> None:
    class Failing:
        def count(self, signal: Signal, state: str = "") -> None:
            raise RuntimeError("the collector is away")

    broker = LossyBroker()
    broker.before = fail(TimeoutError())
    place.store.add(MESSAGE)

    assert [message.state for message in Relay(place.store, broker, telemetry=Failing()).run_once()] == [
        MessageState.UNKNOWN
    ]


def test_unavailable_broker_that_comes_back_gets_the_message_once(place: Place) -> None:
    broker = LossyBroker()
    broker.before = fail(BrokerUnavailableError("no connection"))
    place.store.add(MESSAGE)
    relay = Relay(place.store, broker)
    relay.run_once()
    broker.before = lambda: None

    assert [message.state for message in relay.run_once()] == [MessageState.SENT]
    assert broker.kept == [MESSAGE]


def test_unknown_message_is_refused(place: Place) -> None:
    with pytest.raises(MessageRefusedError, match="is not in this outbox"):
        place.store.find("msg-none")


def test_claim_skips_rows_another_transaction_holds(postgres_dsn: str) -> None:
    """SKIP LOCKED: a relay neither waits for another's claim nor takes the same message."""
    store = PostgresReviewStore(postgres_dsn, schema="trailforge_skip_tests")
    first, second = (new_message("topic", {"number": number}) for number in range(2))
    store.add(first)
    store.add(second)
    with psycopg.connect(postgres_dsn) as other:
        other.execute("SET search_path = trailforge_skip_tests")
        other.execute("SELECT 1 FROM outbox WHERE message_id = %s FOR UPDATE", [first.message_id])
        claimed = store.claim(10)
        other.rollback()
        other.execute("DROP SCHEMA trailforge_skip_tests CASCADE")
        other.commit()
    store.close()

    assert [message.message for message in claimed] == [second]


def test_four_relays_send_forty_messages_once_each(postgres_dsn: str) -> None:
    schema = "trailforge_crowd_tests"
    store = PostgresReviewStore(postgres_dsn, schema=schema)
    messages = [new_message("topic", {"number": number}) for number in range(40)]
    for message in messages:
        store.add(message)

    def empty(_number: int) -> list[NewMessage]:
        own, broker = PostgresReviewStore(postgres_dsn, schema=schema), InProcessBroker()
        while Relay(own, broker).run_once(limit=3):
            pass
        own.close()
        return broker.kept

    with ThreadPoolExecutor(4) as pool:
        sent = [message for kept in pool.map(empty, range(4)) for message in kept]

    assert len(store.messages_in(MessageState.SENT)) == 40
    assert sorted(message.message_id for message in sent) == sorted(message.message_id for message in messages)
    store.close()
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {schema} CASCADE")
