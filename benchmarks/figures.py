"""What a benchmark reports: a number asked for, beside the number measured."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One number.

    Attributes:
        what: what is measured, with its unit.
        measured: the value.
        at_most: the most it may be, or None.
        at_least: the least it may be, or None.
        detail: what it was computed from.
    """

    what: str
    measured: float
    at_most: float | None = None
    at_least: float | None = None
    detail: str = ""

    @property
    def met(self) -> bool:
        """Whether the number is within its bounds."""
        return (self.at_most is None or self.measured <= self.at_most) and (
            self.at_least is None or self.measured >= self.at_least
        )

    @property
    def asked(self) -> str:
        """The bound, as text."""
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        return f"at least {self.at_least:g}" if self.at_least is not None else "-"


def report(figures: list[Figure]) -> None:
    """Print one line per figure."""
    for figure in figures:
        verdict = "met" if figure.met else "SHORT"
        print(f"{verdict:5}  {figure.what}: {figure.measured:.4g} ({figure.asked}); {figure.detail}")
