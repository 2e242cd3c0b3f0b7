"""Every error mast raises on purpose.

`Rejection` and its subclasses are refusals of the protocol: the packet was not accepted and the state of the
organization that refused it is unchanged. The others are mistakes of the caller.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class MastError(Exception):
    """Base of every error raised by mast on purpose."""


class MechanismsError(MastError, ValueError):
    """A combination of switches contradicts itself, or a name stands for none."""


class ScenarioError(MastError, ValueError):
    """A scenario cannot be run; nothing has been run.

    Attributes:
        problems: every problem found, each as ``file:line: place is …``.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class OutputExistsError(MastError, FileExistsError):
    """An output directory is not empty; nothing in it was touched."""


class PlanError(MastError, ValueError):
    """A stored plan is not the plan its digest stands for, or belongs to other code; nothing was run."""


class ScoringError(MastError, ValueError):
    """An event log says something that cannot happen, so no score is given."""


class MissingExtraError(MastError, ImportError):
    """Something was asked for that needs an optional package; nothing was done.

    Attributes:
        package: the package that is not installed.
        extra: the extra of mast-simulator that brings it.
    """

    def __init__(self, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(f"{package} is not installed; install mast-simulator[{extra}]")


class UnknownClaimError(MastError, KeyError):
    """A claim is not in the graph."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class Rejection(MastError):  # noqa: N818 - a refusal is an ordinary event of the protocol
    """A packet was refused; the state is unchanged.

    Attributes:
        reason: one word per cause, stable, used in events and metrics.
    """

    reason = "rejected"


class SignatureRejection(Rejection):
    """The signature does not hold, or no key is known for the issuer."""

    reason = "signature"


class MalformedRejection(Rejection):
    """The payload is not a packet: wrong types, wrong length, no canonical form, too large."""

    reason = "malformed"


class WorkflowRejection(Rejection):
    """The packet belongs to another workflow."""

    reason = "workflow"


class RecipientRejection(Rejection):
    """The packet is addressed to somebody else, to nobody known, or to its own sender."""

    reason = "recipient"


class DependencyRejection(Rejection):
    """A parent is not held, a closure is incomplete, or it holds something unrelated."""

    reason = "dependency"


class DerivationRejection(Rejection):
    """The fact does not follow from its parents under the stated rule."""

    reason = "derivation"


class AuthorityRejection(Rejection):
    """The issuer may not say this: it is not the authority, or not the issuer of the claim concerned."""

    reason = "authority"


class DuplicateRejection(Rejection):
    """Something is repeated that may occur once."""

    reason = "duplicate"


class CycleRejection(Rejection):
    """A claim would derive from itself."""

    reason = "cycle"


class BlockedRejection(Rejection):
    """A claim that may not be passed on or built upon is revoked or disputed here."""

    reason = "blocked"


class BindingRejection(Rejection):
    """A reply, receipt or proof is not about what it is offered for."""

    reason = "binding"


class ConflictRejection(Rejection):
    """Two signed statements by the same organization contradict each other (a fork, when both are receipts)."""

    reason = "conflict"


class ExpiredRejection(Rejection):
    """An answer is outside the time it is valid for."""

    reason = "expired"


class RecoveryRejection(Rejection):
    """A recovery step is out of order, or not for this task, envelope or organization."""

    reason = "recovery"


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the nearest of *known*, or the list of them when none is near."""
    names = sorted(str(name) for name in known)
    close = get_close_matches(word, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; expected one of {', '.join(names)}"
