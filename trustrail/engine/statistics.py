"""Repetition statistics: do runs of one variant agree, and how sure may one be that they always would?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from trustrail.engine.judgement import GateOutcome, RunJudgement

Z_95: Final = 1.959963984540054
"""97.5 % quantile of the standard normal distribution: a two-sided 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Bounds of a proportion, each in [0, 1]."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """How far the runs of one variant agree."""

    runs: int
    gate: GateOutcome
    """BLOCK when any run blocks."""
    agreeing: int
    """Runs with the most frequent set of verdicts."""
    interval: Interval
    """Wilson 95 % interval of the share of agreeing runs."""

    @property
    def is_stable(self) -> bool:
        """Whether every run has the same verdicts."""
        return self.agreeing == self.runs

    def summary(self) -> str:
        """Return the line a person reads, like ``10/10 runs reproduced, deterministic``."""
        share = f"{self.agreeing}/{self.runs} runs"
        if self.gate is GateOutcome.BLOCK:
            return f"{share} reproduced, {'deterministic' if self.is_stable else 'not deterministic'}"
        return f"{share} stable, {'no flake' if self.is_stable else 'flaky'}"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "runs": self.runs,
            "agreeing": self.agreeing,
            "is_stable": self.is_stable,
            "wilson_95": [round(self.interval.low, 6), round(self.interval.high, 6)],
            "summary": self.summary(),
        }


def wilson_interval(successes: int, trials: int, *, z: float = Z_95) -> Interval:
    """Return the Wilson score interval of a proportion.

    Raises:
        ValueError: if *trials* is not positive, or *successes* is not within 0 and *trials*.

    References:
        E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
        American Statistical Association 22 (1927), 209-212.
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no proportion")
    share = successes / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z / scale * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return Interval(low=max(0.0, centre - half), high=min(1.0, centre + half))


def repetition(judgements: Sequence[RunJudgement]) -> Repetition:
    """Return how far *judgements* of one variant agree, control by control.

    Raises:
        ValueError: if there are none.
    """
    patterns = Counter(
        tuple((control.control_id, control.verdict) for control in judgement.controls) for judgement in judgements
    )
    agreeing = max(patterns.values(), default=0)
    blocked = any(judgement.gate.outcome is GateOutcome.BLOCK for judgement in judgements)
    return Repetition(
        runs=len(judgements),
        gate=GateOutcome.BLOCK if blocked else GateOutcome.PASS,
        agreeing=agreeing,
        interval=wilson_interval(agreeing, len(judgements)),
    )
