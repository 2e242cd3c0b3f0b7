"""Virtual time: ticks, rounds within a tick, and the order within a round."""

import pytest

from mast.runtime.timeline import Timeline


def delivered(timeline: Timeline, until: int | None = None) -> list[tuple[int, list[str]]]:
    return [(timeline.now, [message for _, _, message in batch]) for batch in timeline.rounds(until)]


def test_messages_come_by_tick_then_sender_then_order_of_sending():
    timeline = Timeline()
    for sender, message, delay in [(2, "c", 5), (1, "b1", 5), (2, "d", 5), (1, "b2", 5), (3, "late", 7), (9, "a", 0)]:
        timeline.put(sender, 0, message, delay)
    assert delivered(timeline) == [(0, ["a"]), (5, ["b1", "b2", "c", "d"]), (7, ["late"])]


def test_what_is_sent_without_delay_comes_in_the_next_round_of_the_same_tick():
    timeline = Timeline()
    timeline.put(1, 0, "first", 3)
    seen = []
    for batch in timeline.rounds():
        seen.append((timeline.now, [message for _, _, message in batch]))
        if len(seen) < 4:
            timeline.put(2, 0, f"answer {len(seen)}")
            timeline.put(1, 0, f"echo {len(seen)}")
    assert seen == [
        (3, ["first"]),
        (3, ["echo 1", "answer 1"]),
        (3, ["echo 2", "answer 2"]),
        (3, ["echo 3", "answer 3"]),
    ]


def test_a_delay_counts_from_the_tick_at_which_it_is_sent():
    timeline = Timeline()
    timeline.put(1, 0, "start", 10)
    for batch in timeline.rounds():
        if batch[0][2] == "start":
            timeline.put(1, 0, "later", 8)
    assert timeline.now == 18


def test_nothing_later_than_the_end_is_delivered():
    timeline = Timeline()
    for tick in (29, 30, 31):
        timeline.put(1, 0, tick, tick)
    assert [messages for _, messages in delivered(timeline, until=30)] == [[29], [30]]
    assert timeline.now == 30


def test_time_never_goes_back():
    timeline = Timeline()
    timeline.put(1, 0, "x", 4)
    next(timeline.rounds())
    with pytest.raises(ValueError, match="delay is -1 ticks, expected 0 or more"):
        timeline.put(1, 0, "y", -1)


def test_messages_handed_out_are_counted():
    timeline = Timeline()
    for tick in (0, 0, 3):
        timeline.put(1, 2, "x", tick)
    assert len(list(timeline.rounds())) == 2
    assert timeline.delivered == 3


def test_an_empty_timeline_ends_at_once():
    assert list(Timeline().rounds()) == []
