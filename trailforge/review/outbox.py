"""The outbox: messages stored with what they announce, each with a state that never hides a doubt.

::

    PENDING -- claimed --> SENDING -- acknowledged in time --> SENT
       ^                    |  |                                ^
       +-- provably unsent -+  +-- anything else --> UNKNOWN ---+ found by an inspection
       |
       +-- attempts used up --> EXHAUSTED

A claim is committed before the broker is asked. A message in doubt is never sent again under its id; a person may
have its content sent as a new message that names the old one.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol

from trustrail.foundation import canonical_json, digest_hex

MAX_ATTEMPTS: Final = 5
"""Claims of one message before it is EXHAUSTED; ours."""

SENDING_MS: Final = 30_000
"""Milliseconds a claimed message may take until its acknowledgement is evidence only; ours."""


class MessageState(StrEnum):
    """Where a message stands."""

    PENDING = "PENDING"  #: nobody has tried, or every try provably failed
    SENDING = "SENDING"  #: claimed by a relay
    SENT = "SENT"  #: the broker has it
    UNKNOWN = "UNKNOWN"  #: the broker may have it or not
    EXHAUSTED = "EXHAUSTED"  #: every attempt provably failed


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message to be stored."""

    message_id: str
    topic: str
    body: str
    """Canonical JSON."""
    repeats: str = ""
    """Message in doubt whose content it sends again; empty otherwise."""

    @property
    def digest(self) -> str:
        """64 hex digits over the body."""
        return digest_hex(self.body.encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxMessage:
    """A message as it is stored."""

    message: NewMessage
    state: MessageState
    attempts: int
    deadline: int
    """Milliseconds since 1970 on the store's clock until which SENDING may be acknowledged; 0 otherwise."""
    reason: str
    version: int


def new_message(topic: str, facts: dict[str, Any], repeats: str = "") -> NewMessage:
    """Return the message that announces *facts*; the same facts make the same message."""
    body = canonical_json(facts).decode()
    named = canonical_json([topic, body, repeats])
    return NewMessage(message_id=f"msg-{digest_hex(named)[:32]}", topic=topic, body=body, repeats=repeats)


class Outbox(Protocol):
    """Where messages wait. Every method is one transaction."""

    def claim(self, limit: int) -> tuple[OutboxMessage, ...]:
        """Make up to *limit* PENDING messages SENDING, oldest first, skipping those others are claiming."""
        ...

    def settle(self, claimed: OutboxMessage, state: MessageState, reason: str) -> OutboxMessage:
        """Move *claimed* to *state*; SENT after its deadline becomes UNKNOWN.

        Raises:
            MessageRefusedError: if it moved on since it was read.
        """
        ...

    def expire(self) -> tuple[str, ...]:
        """Make every SENDING message whose deadline is over UNKNOWN and return their ids."""
        ...

    def find(self, message_id: str) -> OutboxMessage:
        """Return one message.

        Raises:
            MessageRefusedError: if there is none.
        """
        ...

    def add(self, message: NewMessage) -> None:
        """Store *message* as PENDING; the same message is stored once."""
        ...

    def messages_in(self, state: MessageState) -> tuple[OutboxMessage, ...]:
        """Return all messages in *state*, oldest first."""
        ...
