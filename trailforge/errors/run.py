"""A run that cannot do what it was asked: unknown, ended, leased to another, out of units."""

from collections.abc import Sequence

from trailforge.errors.root import TrailforgeError


class UnknownRunError(TrailforgeError, KeyError):
    """No run of that id is in this store; separate stores are separate authorities."""

    def __init__(self, run_id: str, store_id: str) -> None:
        super().__init__(f"run {run_id} is not in store {store_id}; start it, or open the store it was started in")
        self.run_id = run_id

    def __str__(self) -> str:
        return str(self.args[0])


class RunForgottenError(TrailforgeError):
    """The run was deleted and its id is retired; ids are never used again."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id} was deleted and its id is retired; choose another run id")
        self.run_id = run_id


class CommandRefusedError(TrailforgeError):
    """A command does not apply to the run as it stands; nothing changed.

    Attributes:
        run_id: the run.
        legal: the commands that do apply.
    """

    def __init__(self, run_id: str, problem: str, legal: Sequence[str] = ()) -> None:
        allowed = f"; legal now: {', '.join(legal)}" if legal else ""
        super().__init__(f"run {run_id} {problem}{allowed}")
        self.run_id = run_id
        self.legal = tuple(legal)


class TransitionError(TrailforgeError):
    """An event does not follow from the state it met; the state is unchanged."""


class LeaseHeldError(TrailforgeError):
    """Another holder's attempt is still within its lease; nothing ran here.

    Attributes:
        expires_at: when the lease ends, milliseconds since 1970 on the authority's clock.
    """

    def __init__(self, run_id: str, task_id: str, expires_at: int, now: int) -> None:
        super().__init__(
            f"run {run_id} task {task_id} is leased for another {expires_at - now} ms; "
            "wait for the lease to end, or fence it when its process is known to be dead"
        )
        self.run_id = run_id
        self.task_id = task_id
        self.expires_at = expires_at


class LeaseLostError(TrailforgeError):
    """The attempt's lease ended before its result arrived; the result was not recorded as a success.

    Attributes:
        epoch: epoch the attempt held.
    """

    def __init__(self, run_id: str, task_id: str, epoch: int, why: str) -> None:
        super().__init__(f"run {run_id} task {task_id} lost its lease of epoch {epoch}: {why}; its result is refused")
        self.run_id = run_id
        self.task_id = task_id
        self.epoch = epoch


class UnitsDeniedError(TrailforgeError):
    """The tenant's or the store's units do not cover the reservation; nothing was reserved.

    Attributes:
        scope: ``tenant`` or ``global``.
        limit: ``in_flight`` or ``total``.
        needed: units asked for.
        available: units left under that limit.
    """

    def __init__(self, *, run_id: str, scope: str, limit: str, needed: int, available: int) -> None:
        super().__init__(
            f"run {run_id} needs {needed} units, {available} are left under the {scope} {limit} cap; "
            "settle held attempts or wait for running ones"
        )
        self.run_id = run_id
        self.scope = scope
        self.limit = limit
        self.needed = needed
        self.available = available
