"""The ``threads`` runtime: every actor is a `pykka.ThreadingActor`; each round is one barrier.

Within a round each actor handles its messages in order while the others handle theirs; the effects are collected in
the order of the actors, so the next round is the same as in the virtual runtime.
"""

from collections.abc import Callable
from typing import Any

import pykka

from mast.runtime.timeline import Post


class ThreadsEngine:
    """Delivers each round to all its recipients at once, and waits for all of them."""

    actor_base = pykka.ThreadingActor

    def __init__(self) -> None:
        self._refs: list[pykka.ActorRef[Any]] = []

    def enlist(self, ref: pykka.ActorRef[Any]) -> None:
        """Let the next number stand for the actor."""
        self._refs.append(ref)

    def deliver(self, now: int, batch: list[Post], carry_out: Callable[[int, list[Any]], None]) -> None:
        """Deliver to all at once; once all have answered, have the effects carried out in the order of the messages."""
        futures = [
            (recipient, self._refs[recipient].ask((now, message), block=False)) for _, recipient, message in batch
        ]
        for recipient, effects in [(recipient, future.get()) for recipient, future in futures]:
            carry_out(recipient, effects)

    def stop(self) -> None:
        """Stop every actor and wait until its thread has nothing left to do."""
        for future in [ref.stop(block=False) for ref in self._refs]:
            future.get()
