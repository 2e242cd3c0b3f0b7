"""The authority port: what a store promises to a harness.

One rule: a transition happens whole or not at all. Checkpoint, version, journal row with its receipt, notices and
the two unit ledgers move in one durable transaction, guarded by the version the writer had read. The store does not
know what a task is; it keeps canonical text, chains it and compares versions.

Times are whole milliseconds since 1970-01-01T00:00:00Z on the authority's own clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from trailforge.errors import CapsRefusedError
from trailforge.errors.showing import shown
from trustrail.foundation import MAX_SAFE_INTEGER

UNBOUNDED: Final = MAX_SAFE_INTEGER
"""The cap that never denies: the largest integer that stays exact in JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Most units a store lets out; fixed when the store is created.

    *In flight* is what running and held attempts have reserved; *total* adds everything already spent.

    Raises:
        CapsRefusedError: when made with anything but integers from 0 to `UNBOUNDED`.
    """

    tenant_in_flight: int = UNBOUNDED
    tenant_total: int = UNBOUNDED
    global_in_flight: int = UNBOUNDED
    global_total: int = UNBOUNDED

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            cap = getattr(self, name)
            if type(cap) is not int or not 0 <= cap <= UNBOUNDED:
                raise CapsRefusedError(f"cap {name} is {shown(cap)}, expected an integer from 0 to {UNBOUNDED}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """One ledger: units reserved by attempts not yet settled, and units spent by settled ones."""

    reserved: int
    spent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One journal row."""

    sequence: int
    """Position in the run's journal, from 1."""
    previous: bytes
    """Head of the chain before this entry, 32 bytes."""
    text: str
    """Canonical JSON of what happened, in order."""
    state_digest: bytes
    """SHA-256 of the checkpoint after this entry, 32 bytes."""
    output: str | None = None
    """Canonical JSON of the accepted output whose receipt this entry records; its digest is in `text`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One durable message to an operator: a run entered a state in which it waits for someone."""

    run_id: str
    sequence: int
    """Journal entry that caused it."""
    kind: str
    """The status entered."""
    task_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """Where a run stands, small and whole."""

    version: int
    """Number of journal entries; the state version writers compare."""
    status: str
    text: str
    """Canonical JSON of the state."""
    head: bytes
    """Head of the journal chain after entry `version`, 32 bytes."""
    checksum: bytes
    """See `trailforge.authority.integrity.checksum`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """Everything one commit writes about one run."""

    run_id: str
    tenant: str
    expected_version: int
    """Version the writer had read; 0 creates the run."""
    checkpoint: Checkpoint
    entry: JournalEntry
    notices: tuple[Notice, ...] = ()
    reserve: int = 0
    """Units to reserve for an attempt that begins in this transition."""
    settle: int = 0
    """Reserved units to move to spent, for an attempt that ends in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """A run to be created: its plan, stored once, and its first transition."""

    plan: str
    binding_digest: bytes
    first: Transition


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run as it was read in one snapshot, not yet verified."""

    run_id: str
    tenant: str
    plan: str
    binding_digest: bytes
    checkpoint: Checkpoint
    entries: tuple[JournalEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One line of a list of runs."""

    run_id: str
    tenant: str
    status: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What a store says about itself, for an operator."""

    facts: dict[str, str] = field(default_factory=dict)
    unfit: tuple[str, ...] = ()
    """How it is kept differently from what the promises need."""
    damage: tuple[str, ...] = ()
    """What is no longer in it as it was written, beyond what a run's own journal shows."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that makes the store unfit for use; empty when it is fit."""
        return self.unfit + self.damage


class Authority(Protocol):
    """A durable store of runs. Separate stores are separate authorities. Use one instance per thread."""

    @property
    def store_id(self) -> str:
        """Identity of the store, fixed when it was created."""
        ...

    @property
    def caps(self) -> Caps:
        """The caps the store was created with."""
        ...

    def now(self) -> int:
        """Return the authority's time in milliseconds; the only clock leases and deadlines are judged by."""
        ...

    def create(self, run: NewRun) -> None:
        """Store a new run durably.

        Raises:
            RunExistsError: if the id is taken.
            RunForgottenError: if the id belonged to a run that was deleted.
        """
        ...

    def commit(self, transition: Transition) -> None:
        """Write one transition durably, whole or not at all.

        Raises:
            ConflictError: if the run is not at the expected version.
            UnitsDeniedError: if a cap does not cover the reservation.
            AuthorityBusyError: if the store stayed locked; nothing was written.
            WriteFailedError: if writing failed and reading again shows nothing was written.
            AuthorityUnavailableError: if writing failed and whether it took effect cannot be read.
        """
        ...

    def load(self, run_id: str) -> StoredRun:
        """Read one run in one snapshot.

        Raises:
            UnknownRunError: if the store has no such run.
            RunForgottenError: if it was deleted.
        """
        ...

    def runs(self, tenant: str | None = None) -> Sequence[RunSummary]:
        """Return every run, or every run of *tenant*, by id."""
        ...

    def units(self, tenant: str | None = None) -> Units:
        """Return the ledger of *tenant*, or the global one."""
        ...

    def notices(self, run_id: str | None = None) -> Sequence[Notice]:
        """Return every notice, or those of one run, in the order they were written."""
        ...

    def forget(self, run_id: str, expected_version: int) -> None:
        """Delete a run that reserves nothing and retire its id.

        Raises:
            ConflictError: if the run is not at *expected_version*.
            RunReservesError: if an attempt of it is under way or in doubt.
            UnknownRunError: if the store has no such run.
        """
        ...

    def diagnose(self) -> Diagnosis:
        """Say what the store runs on and whether it is fit for use."""
        ...

    def close(self) -> None:
        """Release the store; safe to call twice."""
        ...
