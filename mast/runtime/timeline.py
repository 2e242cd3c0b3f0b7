"""Virtual time: which message is delivered when, the same in every runtime.

Time runs in ticks; within a tick, in rounds. What is sent without delay in one round is delivered in the next round
of the same tick, ordered by (sender, order of sending). Actors share no state, so nothing else about the order can
be observed: a runtime may deliver the messages of one round one after another or all at once.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from operator import itemgetter
from typing import Any

Post = tuple[int, int, Any]
"""(sender, recipient, message); actors are numbered in the order they were started."""

_by_sender = itemgetter(0)


class Timeline:
    """Messages that are on their way.

    Attributes:
        now: the current tick.
        delivered: messages handed out so far.
    """

    __slots__ = ("_later", "_next", "_ticks", "delivered", "now")

    def __init__(self) -> None:
        self.now = 0
        self.delivered = 0
        self._next: list[Post] = []
        self._later: dict[int, list[Post]] = {}
        self._ticks: list[int] = []

    def put(self, sender: int, recipient: int, message: Any, delay: int = 0) -> None:  # noqa: ANN401 - any message
        """Send *message*, to arrive in *delay* ticks.

        Raises:
            ValueError: if the delay is negative.
        """
        if not delay:
            self._next.append((sender, recipient, message))
            return
        if delay < 0:
            raise ValueError(f"delay is {delay} ticks, expected 0 or more")
        due = self.now + delay
        bucket = self._later.get(due)
        if bucket is None:
            bucket = self._later[due] = []
            heappush(self._ticks, due)
        bucket.append((sender, recipient, message))

    def rounds(self, until: int | None = None) -> Iterator[list[Post]]:
        """Yield one round of messages after another, moving time, until nothing is due by tick *until*."""
        while True:
            batch = self._next
            if batch:
                self._next = []
            else:
                if not self._ticks or (until is not None and self._ticks[0] > until):
                    return
                self.now = heappop(self._ticks)
                batch = self._later.pop(self.now)
            if len(batch) > 1:
                batch.sort(key=_by_sender)
            self.delivered += len(batch)
            yield batch
