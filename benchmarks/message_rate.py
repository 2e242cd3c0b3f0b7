"""Messages per second: the virtual runtime, scheduler included, beside `pykka.ThreadingActor` tells and asks."""

import time
from statistics import median

import pykka

from benchmarks.figures import Figure, report
from mast.runtime.timeline import Timeline
from mast.runtime.virtual import VirtualActor, VirtualEngine


class _Ponging:
    """Sends every message on to the other one."""

    def on_receive(self, delivery):
        _, count = delivery
        return [count - 1] if count else []


class _Virtual(_Ponging, VirtualActor):
    pass


class _Counting(pykka.ThreadingActor):
    def __init__(self):
        super().__init__()
        self.count = 0

    def on_receive(self, message):
        if message == "count":
            return self.count
        self.count += 1
        return None


def virtual_rate(messages: int) -> float:
    """Messages per second between two actors that answer each other, through timeline and engine."""
    engine, timeline = VirtualEngine(), Timeline()
    for _ in range(2):
        engine.enlist(_Virtual.start())

    def carry_out(actor, effects):
        for count in effects:
            timeline.put(actor, 1 - actor, count)

    timeline.put(0, 1, messages)
    started = time.perf_counter()
    for batch in timeline.rounds():
        engine.deliver(timeline.now, batch, carry_out)
    elapsed = time.perf_counter() - started
    engine.stop()
    return timeline.delivered / elapsed


def tell_rate(messages: int) -> float:
    """Tells per second to one thread, until it has handled them all."""
    ref = _Counting.start()
    started = time.perf_counter()
    for index in range(messages):
        ref.tell(index)
    handled = ref.ask("count")
    elapsed = time.perf_counter() - started
    ref.stop()
    assert handled == messages
    return messages / elapsed


def ask_rate(messages: int) -> float:
    """Asks per second, one after another."""
    ref = _Counting.start()
    started = time.perf_counter()
    for _ in range(messages):
        ref.ask("count")
    elapsed = time.perf_counter() - started
    ref.stop()
    return messages / elapsed


def measure(scale: float = 1.0, repetitions: int = 5) -> list[Figure]:
    """Measure all three, alternating; medians."""
    rates = [
        (virtual_rate(int(200_000 * scale)), tell_rate(int(60_000 * scale)), ask_rate(int(10_000 * scale)))
        for _ in range(repetitions)
    ]
    virtual, tells, asks = (median(column) for column in zip(*rates, strict=True))
    beside = f"beside it {tells:,.0f} ThreadingActor tells/s and {asks:,.0f} asks/s"
    return [Figure("virtual runtime, messages/s", virtual, at_least=250_000, detail=beside)]


if __name__ == "__main__":
    report(measure())
