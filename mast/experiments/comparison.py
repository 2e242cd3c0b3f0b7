"""Paired comparison of layers: what one layer changes, run by run, with an interval.

Runs are paired by world and seed; every draw depends on the seed alone, so both runs of a pair met the same faults.
A pair counts only when both of its runs finished. Intervals are percentile bootstrap intervals of the mean
difference: 2000 resamples, elements 50 and 1950 of their sorted means, which leaves out 2.5 % at each end.

References:
    B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall 1993, chapter 13.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, Final

from trustrail.foundation import digest

RESAMPLES: Final = 2000
SEED: Final = 911
LOWER, UPPER = 50, 1950
"""Positions in the sorted means of the resamples, counted from 0."""

COMPARED: Final = (
    "unsafe_completions",
    "correct_completions",
    "unrelated_completions",
    "overfrozen_tasks",
    "propagated_handoffs",
    "status_queries",
    "fact_queries",
    "notices",
)
"""The metrics compared unless others are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How much more of a metric *layer* has than *baseline*, per run; None where there is no pair."""

    baseline: str
    layer: str
    metric: str
    pairs: int
    mean: float | None
    low: float | None
    high: float | None


def differences(rows: Iterable[Mapping[str, Any]], metrics: Sequence[str] = COMPARED) -> list[Difference]:
    """Return the paired differences between every two layers of *rows*, in order of their first appearance.

    Args:
        rows: rows of runs.
        metrics: names of the metrics to compare.
    """
    by_layer: dict[str, dict[tuple[Any, ...], Mapping[str, Any]]] = {}
    for row in rows:
        place = tuple(row[name] for name in ("topology", "case", "business", "seed"))
        by_layer.setdefault(row["layer"], {})[place] = row
    found = []
    for baseline, layer in combinations(by_layer, 2):
        pairs = [
            (first, by_layer[layer][place])
            for place, first in by_layer[baseline].items()
            if place in by_layer[layer] and first["status"] == by_layer[layer][place]["status"] == "finished"
        ]
        for metric in metrics:
            mean, low, high = mean_interval([second[metric] - first[metric] for first, second in pairs])
            found.append(
                Difference(
                    baseline=baseline, layer=layer, metric=metric, pairs=len(pairs), mean=mean, low=low, high=high
                )
            )
    return found


def mean_interval(values: Sequence[int], seed: int = SEED) -> tuple[float | None, float | None, float | None]:
    """Return the mean of *values* and the bounds of its 95 % percentile bootstrap interval; Nones when empty."""
    if not values:
        return None, None, None
    size = len(values)
    sums = sorted(sum(values[index] for index in resample) for resample in _resamples(size, seed))
    return sum(values) / size, sums[LOWER] / size, sums[UPPER] / size


@lru_cache(maxsize=16)
def _resamples(size: int, seed: int) -> list[list[int]]:
    """Return, for each resample, *size* positions drawn with replacement.

    A draw is eight bytes of a hash of (seed, resample, block), so it depends on nothing else; its bias is below
    size / 2^64.
    """
    resamples = []
    for number in range(RESAMPLES):
        drawn: list[int] = []
        for block in range((size + 3) // 4):
            words = digest(f"bootstrap/{seed}/{size}/{number}/{block}".encode())
            drawn += (int.from_bytes(words[at : at + 8], "big") * size >> 64 for at in range(0, 32, 8))
        resamples.append(drawn[:size])
    return resamples
