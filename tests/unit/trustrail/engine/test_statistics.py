"""Repetition statistics."""

import pytest

from trustrail.engine import GateOutcome, Repetition, judge_run, repetition, wilson_interval
from trustrail.engine.statistics import Interval

# R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
# table I, method 3 (score without continuity correction).
NEWCOMBE = {(81, 263): (0.2553, 0.3662), (15, 148): (0.0624, 0.1605), (0, 20): (0.0, 0.1611), (1, 29): (0.0061, 0.1718)}


@pytest.mark.parametrize("counts", NEWCOMBE)
def test_the_interval_is_the_published_one(counts):
    interval = wilson_interval(*counts)

    assert (round(interval.low, 4), round(interval.high, 4)) == NEWCOMBE[counts]


def test_ten_of_ten_is_not_certainty():
    # With k = n the lower bound is n / (n + z^2) = 10 / (10 + 3.8415) by hand.
    assert wilson_interval(10, 10).low == pytest.approx(10 / 13.841458820694124)
    assert wilson_interval(10, 10).high == pytest.approx(1.0)


@pytest.mark.parametrize(("successes", "trials"), [(1, 0), (0, 0), (3, 2), (-1, 2)])
def test_what_is_no_proportion_is_refused(successes, trials):
    with pytest.raises(ValueError, match="is no proportion"):
        wilson_interval(successes, trials)


SUMMARIES = {
    (10, 10, "BLOCK"): "10/10 runs reproduced, deterministic",
    (9, 10, "BLOCK"): "9/10 runs reproduced, not deterministic",
    (20, 20, "PASS"): "20/20 runs stable, no flake",
    (19, 20, "PASS"): "19/20 runs stable, flaky",
}


@pytest.mark.parametrize("given", SUMMARIES)
def test_the_summary_reads_as_published(given):
    agreeing, runs, gate = given
    agreement = Repetition(runs=runs, agreeing=agreeing, gate=GateOutcome(gate), interval=Interval(low=0.0, high=1.0))

    assert agreement.summary() == SUMMARIES[given]


def test_one_run_that_differs_is_counted_and_blocks(blocked_card, requirements, rules, make_report):
    good = judge_run(blocked_card, requirements, rules=rules())
    bad = judge_run(blocked_card, requirements, rules=rules(a=make_report("TR-ACTION-001", "FAIL")))

    agreement = repetition([good, good, bad])

    assert (agreement.runs, agreement.agreeing, agreement.is_stable) == (3, 2, False)
    assert agreement.gate is GateOutcome.BLOCK


def test_no_runs_are_no_statistics():
    with pytest.raises(ValueError, match="0 of 0"):
        repetition([])
