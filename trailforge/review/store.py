"""The review store port, and the store in memory."""

from dataclasses import dataclass, replace
from typing import Any, Protocol

from trailforge.errors import CorruptReviewError, MessageRefusedError, UnknownReviewError
from trailforge.review.outbox import SENDING_MS, MessageState, NewMessage, Outbox, OutboxMessage
from trustrail.errors import CanonicalizationError
from trustrail.foundation import Clock, SystemClock, digest_hex, parse_json


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDraft:
    """A draft as it is stored."""

    review_id: str
    text: str
    """Canonical JSON of the draft."""
    digest: str
    """64 hex digits over the text."""

    def record(self) -> dict[str, Any]:
        """Return the draft as a JSON object, once text and digest agree.

        Raises:
            CorruptReviewError: if they do not.
        """
        actual = digest_hex(self.text.encode())
        if actual != self.digest:
            raise CorruptReviewError(
                f"review {self.review_id} has the digest {actual[:12]}…, stored was {self.digest[:12]}…"
            )
        try:
            record: dict[str, Any] = parse_json(self.text)
        except CanonicalizationError as error:
            raise CorruptReviewError(f"review {self.review_id} cannot be read: {error}") from error
        return record


class ReviewStore(Outbox, Protocol):
    """Where drafts are kept, with the outbox in which each is announced."""

    def keep(self, draft: StoredDraft, message: NewMessage) -> StoredDraft:
        """Store *draft* and *message* together; return the draft that is stored under this id.

        The first draft of a review stays: a second one stores nothing and announces nothing.
        """
        ...

    def load(self, review_id: str) -> StoredDraft:
        """Return the draft of one review.

        Raises:
            UnknownReviewError: if there is none.
        """
        ...


def settled(claimed: OutboxMessage, state: MessageState, reason: str, *, now: int) -> OutboxMessage:
    """Return *claimed* once it is settled as *state* at *now* milliseconds: late success is doubt."""
    late = claimed.state is MessageState.SENDING and now >= claimed.deadline
    if late and state is MessageState.SENT:
        state = MessageState.UNKNOWN
        reason = f"acknowledged {now - claimed.deadline} ms after the deadline"
    return replace(claimed, state=state, reason=reason[:500], deadline=0, version=claimed.version + 1)


class MemoryReviewStore:
    """Drafts and messages of this process, for the offline demonstration and for tests.

    Args:
        clock: where the time comes from.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._drafts: dict[str, StoredDraft] = {}
        self._messages: dict[str, OutboxMessage] = {}

    def keep(self, draft: StoredDraft, message: NewMessage) -> StoredDraft:
        """Store *draft* and *message* together, once."""
        if draft.review_id not in self._drafts:
            self._drafts[draft.review_id] = draft
            self.add(message)
        return self._drafts[draft.review_id]

    def load(self, review_id: str) -> StoredDraft:
        """Return the draft of one review."""
        if review_id not in self._drafts:
            raise UnknownReviewError(review_id)
        return self._drafts[review_id]

    def add(self, message: NewMessage) -> None:
        """Store *message* as PENDING, once."""
        pending = OutboxMessage(
            message=message, state=MessageState.PENDING, attempts=0, deadline=0, reason="", version=1
        )
        self._messages.setdefault(message.message_id, pending)

    def claim(self, limit: int) -> tuple[OutboxMessage, ...]:
        """Make up to *limit* PENDING messages SENDING, oldest first."""
        deadline = self._now() + SENDING_MS
        claimed = tuple(
            replace(
                message,
                state=MessageState.SENDING,
                attempts=message.attempts + 1,
                deadline=deadline,
                version=message.version + 1,
            )
            for message in self.messages_in(MessageState.PENDING)[:limit]
        )
        self._messages.update({message.message.message_id: message for message in claimed})
        return claimed

    def settle(self, claimed: OutboxMessage, state: MessageState, reason: str) -> OutboxMessage:
        """Move *claimed* to *state*."""
        stored = self.find(claimed.message.message_id)
        if stored.version != claimed.version:
            problem = f"is at version {stored.version}, expected {claimed.version}"
            raise MessageRefusedError(claimed.message.message_id, problem)
        later = settled(claimed, state, reason, now=self._now())
        self._messages[claimed.message.message_id] = later
        return later

    def expire(self) -> tuple[str, ...]:
        """Make every SENDING message whose deadline is over UNKNOWN."""
        now = self._now()
        late = [message for message in self.messages_in(MessageState.SENDING) if now >= message.deadline]
        for message in late:
            self.settle(message, MessageState.UNKNOWN, "no outcome was stored by the deadline")
        return tuple(message.message.message_id for message in late)

    def find(self, message_id: str) -> OutboxMessage:
        """Return one message."""
        if message_id not in self._messages:
            raise MessageRefusedError(message_id, "is not in this outbox")
        return self._messages[message_id]

    def messages_in(self, state: MessageState) -> tuple[OutboxMessage, ...]:
        """Return all messages in *state*, oldest first."""
        return tuple(message for message in self._messages.values() if message.state is state)

    def _now(self) -> int:
        return int(self._clock.now() * 1000)
