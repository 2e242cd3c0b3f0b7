"""The broker port, and the broker within this process.

A broker says three things and no fourth: it has the message, it provably has not, or it cannot tell.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from trailforge.review.outbox import NewMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerAck:
    """What a broker answers to a message it took."""

    message_id: str
    duplicate: bool
    """Whether it had this id already: then it delivered nothing this time."""


class Sighting(StrEnum):
    """What an inspection of a broker shows."""

    FOUND = "FOUND"
    NOT_FOUND = "NOT_FOUND"
    CANNOT_TELL = "CANNOT_TELL"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerEvidence:
    """What was seen of one message."""

    sighting: Sighting
    digest: str = ""
    """Digest of the body that was found, 64 hex digits."""


class Broker(Protocol):
    """Where messages go."""

    def publish(self, message: NewMessage) -> BrokerAck:
        """Hand over one message.

        Raises:
            BrokerUnavailableError: if the broker certainly did not get it; any other exception is a doubt.
        """
        ...

    def inspect(self, message: NewMessage) -> BrokerEvidence:
        """Look for *message* without sending anything."""
        ...


class InProcessBroker:
    """Keeps messages in memory, once each.

    Attributes:
        kept: the messages in the order they arrived.
    """

    def __init__(self) -> None:
        self.kept: list[NewMessage] = []

    def publish(self, message: NewMessage) -> BrokerAck:
        """Keep *message* unless its id is known."""
        duplicate = any(kept.message_id == message.message_id for kept in self.kept)
        if not duplicate:
            self.kept.append(message)
        return BrokerAck(message_id=message.message_id, duplicate=duplicate)

    def inspect(self, message: NewMessage) -> BrokerEvidence:
        """Return whether a message with this id is kept, and the digest of its body."""
        for kept in self.kept:
            if kept.message_id == message.message_id:
                return BrokerEvidence(sighting=Sighting.FOUND, digest=kept.digest)
        return BrokerEvidence(sighting=Sighting.NOT_FOUND)
