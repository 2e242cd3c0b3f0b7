"""Reviews on PostgreSQL: drafts, and an outbox several relays may empty at once.

Draft and announcement are one transaction; a claim takes rows with ``FOR UPDATE SKIP LOCKED`` and is committed
before anything is sent. Needs the ``postgres`` extra.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from trailforge.authority.named_sql import load_migrations, load_queries
from trailforge.authority.postgres_connection import connect, import_driver
from trailforge.errors import AuthorityUnavailableError, MessageRefusedError, UnknownReviewError
from trailforge.review.outbox import SENDING_MS, MessageState, NewMessage, OutboxMessage
from trailforge.review.store import StoredDraft

DEFAULT_SCHEMA: Final = "trailforge_review"


@cache
def _queries() -> Mapping[str, bytes]:
    return {name: text.encode() for name, text in load_queries("trailforge.review", "reviews.sql").items()}


class PostgresReviewStore:
    """Drafts and messages in one schema of a PostgreSQL database.

    Args:
        dsn: a libpq connection string or URL.
        schema: the schema the tables live in.
        sending_ms: milliseconds a claimed message may take.

    Raises:
        MissingExtraError: if psycopg is not installed.
        StoreRefusedError: if the server cannot be reached, or the schema is newer than this code.
    """

    def __init__(self, dsn: str, *, schema: str = DEFAULT_SCHEMA, sending_ms: int = SENDING_MS) -> None:
        self._failure: type[Exception] = import_driver().Error
        self._sql = _queries()
        self._dsn, self._schema = dsn, schema
        self._sending_ms = sending_ms
        self._connect()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def keep(self, draft: StoredDraft, message: NewMessage) -> StoredDraft:
        """Store *draft* and *message* together, once; return the draft that is stored."""
        values = {"review_id": draft.review_id, "body": draft.text, "digest": draft.digest}
        with self._translated():
            self._reconnect_if_broken()
            with self._connection.transaction():
                if self._execute("keep_draft", values):
                    self._execute("add_message", _values(message))
        return self.load(draft.review_id)

    def load(self, review_id: str) -> StoredDraft:
        """Return the draft of one review."""
        rows = self._rows("load_draft", review_id=review_id)
        if not rows:
            raise UnknownReviewError(review_id)
        return StoredDraft(review_id=review_id, text=str(rows[0][0]), digest=str(rows[0][1]))

    def add(self, message: NewMessage) -> None:
        """Store *message* as PENDING, once."""
        self._rows("add_message", **_values(message))

    def claim(self, limit: int) -> tuple[OutboxMessage, ...]:
        """Make up to *limit* PENDING messages SENDING, oldest first, skipping those others are claiming."""
        rows = self._rows("claim", limit=limit, sending_ms=self._sending_ms)
        return tuple(_message(row) for row in sorted(rows))

    def settle(self, claimed: OutboxMessage, state: MessageState, reason: str) -> OutboxMessage:
        """Move *claimed* to *state*; SENT after its deadline becomes UNKNOWN."""
        name = claimed.message.message_id
        rows = self._rows("settle", message_id=name, version=claimed.version, state=state.value, reason=reason[:500])
        if not rows:
            raise MessageRefusedError(name, f"is no longer at version {claimed.version}")
        return _message(rows[0])

    def expire(self) -> tuple[str, ...]:
        """Make every SENDING message whose deadline is over UNKNOWN, by the server's clock."""
        return tuple(sorted(str(row[0]) for row in self._rows("expire")))

    def find(self, message_id: str) -> OutboxMessage:
        """Return one message."""
        rows = self._rows("find", message_id=message_id)
        if not rows:
            raise MessageRefusedError(message_id, "is not in this outbox")
        return _message(rows[0])

    def messages_in(self, state: MessageState) -> tuple[OutboxMessage, ...]:
        """Return all messages in *state*, oldest first."""
        return tuple(_message(row) for row in self._rows("messages_in", state=state.value))

    def _rows(self, name: str, **values: str | int) -> list[tuple[Any, ...]]:
        with self._translated():
            self._reconnect_if_broken()
            return self._execute(name, values)

    def _execute(self, name: str, values: Mapping[str, str | int]) -> list[tuple[Any, ...]]:
        cursor = self._connection.execute(self._sql[name], values)
        return cursor.fetchall() if cursor.description else []

    def _connect(self) -> None:
        self._connection = connect(self._dsn, self._schema, load_migrations("trailforge.review", "migrations"))

    def _reconnect_if_broken(self) -> None:
        """Only between transactions: what the broken connection carried is then asked for, never assumed."""
        if self._connection.broken or self._connection.closed:
            self._connect()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._failure as error:
            problem = f"the review store cannot be used: {error}; read it again before deciding anything"
            raise AuthorityUnavailableError(problem) from error


def _values(message: NewMessage) -> dict[str, str | int]:
    return {
        "body": message.body,
        "message_id": message.message_id,
        "repeats": message.repeats,
        "topic": message.topic,
    }


def _message(row: tuple[Any, ...]) -> OutboxMessage:
    _, message_id, topic, body, repeats, state, attempts, deadline, reason, version = row
    return OutboxMessage(
        message=NewMessage(message_id=message_id, topic=topic, body=body, repeats=repeats),
        state=MessageState(state),
        attempts=attempts,
        deadline=deadline,
        reason=reason,
        version=version,
    )
