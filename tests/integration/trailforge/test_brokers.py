"""The broker port on its two implementations; NATS is a real nats-server with JetStream."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.nats_server import nats_server
from trailforge.errors import BrokerUnavailableError
from trailforge.review import (
    Broker,
    InProcessBroker,
    MemoryReviewStore,
    MessageState,
    NewMessage,
    Relay,
    Sighting,
    new_message,
)
from trailforge.review.nats import NatsBroker

_STREAMS = count()

SHORTEST_WINDOW = 0.1
"""Seconds; a nats-server takes no shorter window for duplicates."""


def own_stream() -> dict[str, str]:
    number = next(_STREAMS)
    return {"stream": f"REVIEW_{number}", "prefix": f"review.test{number}"}


@pytest.fixture(params=["in process", "nats"])
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    if request.param == "in process":
        yield InProcessBroker()
        return
    made = NatsBroker(request.getfixturevalue("nats_url"), **own_stream())
    yield made
    made.close()


MESSAGE = new_message("review.drafted", {"text": "é\U0001f600"})


def test_published_message_is_found_with_its_digest(broker: Broker) -> None:
    ack = broker.publish(MESSAGE)
    evidence = broker.inspect(MESSAGE)

    assert (ack.message_id, ack.duplicate) == (MESSAGE.message_id, False)
    assert (evidence.sighting, evidence.digest) == (Sighting.FOUND, MESSAGE.digest)


def test_message_that_was_never_sent_is_not_found(broker: Broker) -> None:
    broker.publish(MESSAGE)

    assert broker.inspect(new_message("review.drafted", {"text": "other"})).sighting is Sighting.NOT_FOUND


def test_second_message_with_the_same_id_is_called_a_duplicate(broker: Broker) -> None:
    """Row 16 of the durable reference: acknowledged, and yet nothing was delivered."""
    broker.publish(MESSAGE)
    again = NewMessage(message_id=MESSAGE.message_id, topic=MESSAGE.topic, body='{"text":"changed"}')

    assert broker.publish(again).duplicate is True
    assert broker.inspect(MESSAGE).digest == MESSAGE.digest


def test_lost_acknowledgement_of_a_real_server_is_unknown_and_reconciled_by_looking(nats_url: str) -> None:
    """Row 15 of the durable reference: the server keeps the message, the sender hears nothing in time."""
    broker = NatsBroker(nats_url, **own_stream())
    store = MemoryReviewStore()
    store.add(MESSAGE)
    patience, broker._answer_seconds = broker._answer_seconds, 1e-9
    (message,) = Relay(store, broker).run_once()
    broker._answer_seconds = patience
    broker._wait(broker._client.flush())
    settled = Relay(store, broker).reconcile(MESSAGE.message_id)
    broker.close()

    assert message.state is MessageState.UNKNOWN
    assert settled.state is MessageState.SENT


def kept_in(broker: NatsBroker) -> int:
    return int(broker._wait(broker._stream_context.stream_info(broker._stream)).state.messages)


def test_same_id_outside_the_window_would_be_a_second_message_so_reconciling_sends_nothing(nats_url: str) -> None:
    """Row 16 of the durable reference: after the window the server keeps what it would have dropped within it."""
    broker = NatsBroker(nats_url, **own_stream())
    context = broker._stream_context
    subjects = [f"{broker._prefix}.>"]
    broker._wait(context.update_stream(name=broker._stream, subjects=subjects, duplicate_window=SHORTEST_WINDOW))
    store = MemoryReviewStore()
    store.add(MESSAGE)
    patience, broker._answer_seconds = broker._answer_seconds, 1e-9
    (message,) = Relay(store, broker).run_once()
    broker._answer_seconds = patience
    broker._wait(broker._client.flush())
    assert (message.state, kept_in(broker)) == (MessageState.UNKNOWN, 1)

    other = NewMessage(message_id="f" * 32, topic=MESSAGE.topic, body="{}")
    broker.publish(other)
    while broker.publish(other).duplicate:  # the server's window is over when it takes the same id again
        pass
    assert kept_in(broker) == 3
    settled = Relay(store, broker).reconcile(MESSAGE.message_id)

    assert settled.state is MessageState.SENT
    assert kept_in(broker) == 3
    broker.close()


def test_deliberate_second_sending_has_an_id_of_its_own_and_names_the_first() -> None:
    """Row 16 of the durable reference: no window of a broker can take it for the first one."""
    store = MemoryReviewStore()
    store.add(MESSAGE)
    broker = InProcessBroker()
    broker.publish(MESSAGE)
    relay = Relay(store, broker)
    (doubted,) = relay.run_once()
    repeated = relay.send_again(MESSAGE.message_id, by="ann")
    (sent,) = relay.run_once()

    assert doubted.state is MessageState.UNKNOWN
    assert repeated != MESSAGE.message_id
    assert (sent.state, sent.message.repeats) == (MessageState.SENT, MESSAGE.message_id)
    assert [kept.message_id for kept in broker.kept] == [MESSAGE.message_id, repeated]


def test_subject_without_a_stream_is_certainly_not_kept(nats_url: str) -> None:
    broker = NatsBroker(nats_url, **own_stream())
    broker._prefix = "nobody.listens"
    with pytest.raises(BrokerUnavailableError, match="nothing was kept"):
        broker.publish(MESSAGE)
    broker.close()


def test_question_about_a_missing_stream_cannot_tell(nats_url: str) -> None:
    broker = NatsBroker(nats_url, **own_stream())
    broker._stream = "NO_SUCH_STREAM"

    assert broker.inspect(MESSAGE).sighting is Sighting.CANNOT_TELL
    broker.close()


def test_server_that_is_not_there_is_named() -> None:
    with pytest.raises(BrokerUnavailableError, match=r"NATS at nats://127\.0\.0\.1:1 cannot be reached"):
        NatsBroker("nats://127.0.0.1:1", answer_seconds=1.0)


@pytest.mark.slow
def test_server_that_goes_away_leaves_the_message_pending_or_in_doubt() -> None:
    """Never SENT: a message is either provably unsent or in doubt when the server has died."""
    store = MemoryReviewStore()
    with nats_server() as url:
        broker = NatsBroker(url, **own_stream(), answer_seconds=0.5)
    store.add(MESSAGE)
    (message,) = Relay(store, broker).run_once()
    broker.close()

    assert message.state in (MessageState.PENDING, MessageState.UNKNOWN)
