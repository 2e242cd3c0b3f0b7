"""Paired differences and their intervals."""

from typing import Any

import pytest

from mast.experiments.comparison import Difference, differences, mean_interval


def row(layer: str, case: str, unsafe: int | None, status: str = "finished") -> dict[str, Any]:
    place = {"topology": "t", "case": case, "business": "b", "seed": 0}
    return {**place, "layer": layer, "status": status, "unsafe_completions": unsafe}


def test_a_difference_is_the_mean_over_pairs() -> None:
    rows = [row("L0", "one", 2), row("L0", "two", 1), row("L1", "one", 0), row("L1", "two", 1)]

    (found,) = differences(rows, ["unsafe_completions"])

    assert (found.baseline, found.layer, found.pairs) == ("L0", "L1", 2)
    assert found.mean == -1.0  # ((0 - 2) + (1 - 1)) / 2


def test_a_pair_counts_only_when_both_runs_finished() -> None:
    rows = [row("L0", "one", 2), row("L0", "two", 1), row("L1", "one", None, "failed"), row("L1", "two", 0)]

    (found,) = differences(rows, ["unsafe_completions"])

    assert (found.pairs, found.mean) == (1, -1.0)


def test_without_pairs_everything_is_unknown() -> None:
    rows = [row("L0", "one", 2), row("L1", "two", 1)]

    assert differences(rows, ["unsafe_completions"]) == [
        Difference(baseline="L0", layer="L1", metric="unsafe_completions", pairs=0, mean=None, low=None, high=None)
    ]


def test_every_two_layers_are_compared_in_order_of_appearance() -> None:
    rows = [row(layer, "one", 0) for layer in ("L0", "L1", "L2")]

    found = [(item.baseline, item.layer) for item in differences(rows, ["unsafe_completions"])]

    assert found == [("L0", "L1"), ("L0", "L2"), ("L1", "L2")]


def test_the_interval_of_a_constant_is_the_constant() -> None:
    assert mean_interval([3, 3, 3, 3]) == (3.0, 3.0, 3.0)


def test_nothing_has_no_interval() -> None:
    assert mean_interval([]) == (None, None, None)


def test_the_interval_of_a_coin_is_that_of_the_binomial() -> None:
    """100 fair coins: the mean of a resample is Binomial(100, 1/2)/100, whose 2.5 % quantiles are 0.40 and 0.60.

    (P(X <= 39) = 0.0176 and P(X <= 40) = 0.0284; with 2000 resamples the 50th lies within one step of 0.40.)
    """
    mean, low, high = mean_interval([0, 1] * 50)

    assert mean == 0.5
    assert low == pytest.approx(0.40, abs=0.011)
    assert high == pytest.approx(0.60, abs=0.011)


def test_another_seed_draws_otherwise() -> None:
    values = [value * value for value in range(40)]

    assert mean_interval(values, seed=911) != mean_interval(values, seed=1211)
    assert mean_interval(values, seed=911) == mean_interval(values, seed=911)
