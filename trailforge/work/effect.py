"""What a task may do to the world, and what role its adapter plays. Neither grants a permission."""

from enum import StrEnum


class Effect(StrEnum):
    """The strongest thing a task may do."""

    PURE = "PURE"  #: computes from its input alone
    SCOPED_READ = "SCOPED_READ"  #: reads the goal's resource, changes nothing
    CANDIDATE_WRITE = "CANDIDATE_WRITE"  #: writes a candidate workspace nobody else sees
    EXTERNAL_WRITE = "EXTERNAL_WRITE"  #: changes the outside; never admitted here, see ``trailforge.publishing``


ADMISSIBLE_EFFECTS = (Effect.PURE, Effect.SCOPED_READ, Effect.CANDIDATE_WRITE)
"""Effects a goal may allow; publishing has its own boundary."""


class AdapterKind(StrEnum):
    """The integration role of an adapter, not an operating-system privilege."""

    PLAN = "PLAN"  #: proposes what to do
    RESEARCH = "RESEARCH"  #: gathers what is known
    BUILD = "BUILD"  #: makes a candidate
    DEBUG = "DEBUG"  #: examines a candidate
    VERIFY = "VERIFY"  #: judges against the goal; its output carries a verdict


class Verdict(StrEnum):
    """What a VERIFY adapter concluded, under the key ``verdict`` of its output."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    UNKNOWN = "UNKNOWN"  #: could not tell; holds the run when a required check depends on it


class Recovery(StrEnum):
    """What happens to an attempt whose outcome a crash left in doubt."""

    HOLD = "HOLD"  #: UNKNOWN holds the run until a trusted host decides
    REATTEMPT_READS = "REATTEMPT_READS"  #: PURE and SCOPED_READ get a new, numbered, charged attempt
