"""The ``virtual`` runtime: a Pykka actor type without threads, driven by virtual time. The default.

Pykka documents four hooks for implementors of new actor types (``pykka.Actor._create_actor_inbox``,
``_create_future``, ``_start_actor_loop`` and the loop itself). Here the inbox belongs to the engine: what is told to
an actor from outside waits there and is delivered when the engine runs.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

import pykka
from pykka import messages

from mast.runtime.timeline import Post


class VirtualInbox:
    """Envelopes told from outside, and the actor they are for."""

    __slots__ = ("_envelopes", "actor")

    def __init__(self) -> None:
        self.actor: VirtualActor | None = None
        self._envelopes: deque[Any] = deque()

    def put(self, envelope: Any, /) -> None:  # noqa: ANN401 - Pykka's envelope type is private
        """Take an envelope; a stop is obeyed at once, since there is no thread to wait for."""
        if self.actor is not None and isinstance(envelope.message, messages._ActorStop):  # noqa: SLF001
            self.actor.stop_now()
            if envelope.reply_to is not None:
                envelope.reply_to.set(None)
            return
        self._envelopes.append(envelope)
        if self.actor is not None:
            self.actor.handle_next()

    def get(self) -> Any:  # noqa: ANN401 - Pykka's envelope type is private
        """Return the oldest envelope."""
        return self._envelopes.popleft()

    def empty(self) -> bool:
        """Whether there is none."""
        return not self._envelopes


class VirtualActor(pykka.Actor):
    """An actor without a thread of its own: a message is handled by whoever delivers it."""

    @staticmethod
    def _create_actor_inbox() -> VirtualInbox:
        return VirtualInbox()

    @staticmethod
    def _create_future() -> pykka.Future[Any]:
        return pykka.ThreadingFuture()

    def _start_actor_loop(self) -> None:
        inbox = self.actor_inbox
        assert isinstance(inbox, VirtualInbox)
        inbox.actor = self
        self._actor_loop_setup()

    def handle_next(self) -> None:
        """Handle the oldest envelope in the inbox, answering who asked."""
        envelope = self.actor_inbox.get()
        try:
            response = self._handle_receive(envelope.message)
        except Exception:
            if envelope.reply_to is None:
                raise
            envelope.reply_to.set_exception()
        else:
            if envelope.reply_to is not None:
                envelope.reply_to.set(response)

    def stop_now(self) -> None:
        """Stop at once; nothing is running that could be interrupted."""
        self._stop()


class VirtualEngine:
    """Delivers each round one message after another."""

    actor_base = VirtualActor

    def __init__(self) -> None:
        self._actors: list[VirtualActor] = []
        self._receivers: list[Any] = []

    def enlist(self, ref: pykka.ActorRef[Any]) -> None:
        """Let the next number stand for the actor."""
        inbox = ref.actor_inbox
        assert isinstance(inbox, VirtualInbox)
        assert inbox.actor is not None
        self._actors.append(inbox.actor)
        # NOTE: straight to the handler: an envelope and a stop check per message would double the cost of delivery.
        self._receivers.append(inbox.actor.on_receive)

    def deliver(self, now: int, batch: list[Post], carry_out: Callable[[int, list[Any]], None]) -> None:
        """Deliver one message after another, each with its effects."""
        receivers = self._receivers
        for _, recipient, message in batch:
            effects = receivers[recipient]((now, message))
            if effects:
                carry_out(recipient, effects)

    def stop(self) -> None:
        """Stop every actor and let go of it, so that a finished run is freed at once and leaves no cycles."""
        for actor in self._actors:
            actor.stop_now()
            inbox = actor.actor_inbox
            assert isinstance(inbox, VirtualInbox)
            inbox.actor = None
        self._actors.clear()
        self._receivers.clear()
