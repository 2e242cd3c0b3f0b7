"""The broker port on NATS JetStream, through nats-py. Needs the ``broker`` extra.

Every message goes to a subject of its own, ``<prefix>.<message id>``, so that it can be looked up later without
sending anything; its id is also the ``Nats-Msg-Id``, so that the server says when it has seen it before. A
duplicate is reported as one: the server drops it, and nothing was delivered.
"""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from trailforge.errors import BrokerUnavailableError, MissingExtraError
from trailforge.review.broker import BrokerAck, BrokerEvidence, Sighting
from trailforge.review.outbox import NewMessage
from trustrail.foundation import digest_hex

DEFAULT_STREAM: Final = "TRAILFORGE_REVIEW"
DEFAULT_PREFIX: Final = "trailforge.review"
DEFAULT_SECONDS: Final = 5.0
"""How long an answer of the server is waited for, in seconds; ours."""

_T = TypeVar("_T")


class NatsBroker:
    """Messages in one JetStream stream.

    Args:
        url: address of the server, as ``nats://127.0.0.1:4222``.
        stream: the stream, created when absent.
        prefix: first part of every subject.
        answer_seconds: how long an answer is waited for.

    Raises:
        MissingExtraError: if nats-py is not installed.
        BrokerUnavailableError: if the server cannot be reached.
    """

    def __init__(
        self,
        url: str,
        *,
        stream: str = DEFAULT_STREAM,
        prefix: str = DEFAULT_PREFIX,
        answer_seconds: float = DEFAULT_SECONDS,
    ) -> None:
        try:
            import nats
            import nats.errors
            import nats.js.errors
        except ImportError as error:
            raise MissingExtraError("the NATS broker", "broker") from error
        self._nats: Any = nats
        self._url, self._stream, self._prefix = url, stream, prefix
        self._answer_seconds = answer_seconds
        # The client must answer the server's pings between our calls, so its loop runs in a thread of its own.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="trailforge-nats", daemon=True)
        self._thread.start()
        try:
            self._client, self._stream_context = self._wait(self._connect())
        except Exception as error:
            self._end_loop()
            raise BrokerUnavailableError(f"NATS at {url} cannot be reached: {error!r:.200}") from error

    def close(self) -> None:
        """Close the connection and end its thread."""
        self._wait(self._client.close())
        self._end_loop()

    def publish(self, message: NewMessage) -> BrokerAck:
        """Hand over one message and wait for the stream's acknowledgement.

        Raises:
            BrokerUnavailableError: if there is no connection, or no stream takes the subject.
            TimeoutError: if no answer came in time; the message may be stored.
        """
        if not self._client.is_connected:
            raise BrokerUnavailableError(f"NATS at {self._url} is not connected; nothing was sent")
        return self._wait(self._publish(message))

    def inspect(self, message: NewMessage) -> BrokerEvidence:
        """Look up the message by its subject; nothing is sent to the stream."""
        return self._wait(self._inspect(message))

    async def _connect(self) -> tuple[Any, Any]:
        client = await self._nats.connect(
            self._url,
            connect_timeout=self._answer_seconds,
            allow_reconnect=True,
            max_reconnect_attempts=3,
            reconnect_time_wait=0.2,
        )
        context = client.jetstream()
        try:
            await context.stream_info(self._stream)
        except self._nats.js.errors.NotFoundError:
            await context.add_stream(name=self._stream, subjects=[f"{self._prefix}.>"])
        return client, context

    async def _publish(self, message: NewMessage) -> BrokerAck:
        headers = {"Nats-Msg-Id": message.message_id, "Trailforge-Topic": message.topic}
        if message.repeats:
            headers["Trailforge-Repeats"] = message.repeats
        try:
            answer = await self._stream_context.publish(
                self._subject(message),
                message.body.encode(),
                timeout=self._answer_seconds,
                stream=self._stream,
                headers=headers,
            )
        except self._nats.js.errors.NoStreamResponseError as error:
            # The server itself answers that nobody listens on the subject.
            raise BrokerUnavailableError(f"no stream takes {self._subject(message)}; nothing was kept") from error
        return BrokerAck(message_id=message.message_id, duplicate=bool(answer.duplicate))

    async def _inspect(self, message: NewMessage) -> BrokerEvidence:
        try:
            found = await self._stream_context.get_last_msg(self._stream, self._subject(message))
        except self._nats.js.errors.NotFoundError as error:
            # A missing stream is an error of the question, a missing message an answer to it.
            missing = "no message found" in str(error.description or "").lower()
            return BrokerEvidence(sighting=Sighting.NOT_FOUND if missing else Sighting.CANNOT_TELL)
        return BrokerEvidence(sighting=Sighting.FOUND, digest=digest_hex(found.data or b""))

    def _subject(self, message: NewMessage) -> str:
        return f"{self._prefix}.{message.message_id}"

    def _wait(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
