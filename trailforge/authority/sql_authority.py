"""What the SQL authorities share: which statements make up a transition, and how a failed write is settled.

A subclass brings the connection, the transaction and the clock. Digests are computed before the lock is taken;
inside the transaction there is only comparing and writing. An I/O error is not a "no": after one the store is read
again to see what took effect.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, TypeVar

from trailforge.authority.ledger import GLOBAL_SCOPE, LedgerRow, denial, figures, tenant_scope
from trailforge.authority.port import (
    Caps,
    Checkpoint,
    Diagnosis,
    JournalEntry,
    NewRun,
    Notice,
    RunSummary,
    StoredRun,
    Transition,
    Units,
)
from trailforge.errors import (
    AuthorityBusyError,
    AuthorityError,
    AuthorityUnavailableError,
    CapsChangedError,
    CheckpointMismatchError,
    ConflictError,
    JournalEditedError,
    RunExistsError,
    RunForgottenError,
    RunReservesError,
    StoreRefusedError,
    UnknownRunError,
    WriteFailedError,
)

Row = tuple[Any, ...]
R = TypeVar("R")

_ROW_GONE: Final = "it was created here and its row is gone"


class SqlAuthority(ABC):
    """An authority over named SQL statements.

    Attributes:
        store_id: identity of the store.
        caps: caps the store was created with.
    """

    store_id: str
    caps: Caps

    _place: str
    """Where the store is, for messages."""
    _failure: tuple[type[Exception], ...]
    """What the driver raises when a statement fails, or what is stored cannot be read."""
    _busy: tuple[type[Exception], ...]
    """Those failures that mean: still locked, nothing written."""

    @abstractmethod
    def now(self) -> int:
        """Return the authority's time in milliseconds."""

    @abstractmethod
    def diagnose(self) -> Diagnosis:
        """Say what the store runs on and whether it is fit for use."""

    @abstractmethod
    def close(self) -> None:
        """Release the store."""

    @abstractmethod
    def _rows(self, name: str, values: Mapping[str, Any]) -> list[Row]:
        """Run the statement *name* and return its rows."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[None]:
        """Return a write transaction that rolls back on any exception."""

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[None]:
        """Return a transaction whose reads all see one state."""

    @abstractmethod
    def _recover(self) -> None:
        """Make the connection usable again after a failed write."""

    def create(self, run: NewRun) -> None:
        """Store a new run durably."""
        try:
            with self._transaction():
                self._write_rows(self._insert_run(run), run.first)
        except self._busy as error:
            raise self._locked() from error
        except self._failure as error:
            self._settle_doubt(run.first, error)

    def commit(self, transition: Transition) -> None:
        """Write one transition durably, whole or not at all."""
        try:
            with self._transaction():
                self._write_rows(self._swap_checkpoint(transition), transition)
        except self._busy as error:
            raise self._locked() from error
        except self._failure as error:
            self._settle_doubt(transition, error)

    def load(self, run_id: str) -> StoredRun:
        """Read one run in one snapshot."""

        def read() -> StoredRun:
            try:
                with self._snapshot():
                    return self._load(run_id)
            except UnicodeDecodeError as error:
                raise JournalEditedError(run_id, f"a row of it is not UTF-8: {error.reason}") from error

        return self._reading(read)

    def runs(self, tenant: str | None = None) -> Sequence[RunSummary]:
        """Return every run, or every run of *tenant*, by id."""
        rows = self._read("list_runs", {"tenant": tenant})
        return [RunSummary(run_id=r[0], tenant=r[1], status=r[2], version=r[3]) for r in rows]

    def units(self, tenant: str | None = None) -> Units:
        """Return the ledger of *tenant*, or the global one."""
        scope = GLOBAL_SCOPE if tenant is None else tenant_scope(tenant)
        rows = self._read("read_ledger", {"scope": scope})
        reserved, spent = figures(f"ledger {scope} of {self._place}", rows[0]) if rows else (0, 0)
        return Units(reserved=reserved, spent=spent)

    def notices(self, run_id: str | None = None) -> Sequence[Notice]:
        """Return every notice, or those of one run, in the order they were written."""
        rows = self._read("list_notices", {"run_id": run_id})
        return [Notice(run_id=r[0], sequence=r[1], kind=r[2], task_id=r[3], reason=r[4]) for r in rows]

    def forget(self, run_id: str, expected_version: int) -> None:
        """Delete a run and retire its id, in one transaction."""
        try:
            with self._transaction():
                self._require_present(run_id)
                deleted = self._rows("delete_run", {"run_id": run_id, "expected_version": expected_version})
                if not deleted:
                    raise self._refusal_to_forget(run_id, expected_version)
                run, binding_digest = deleted[0]
                self._rows("delete_journal", {"run": run})
                self._rows("delete_notices", {"run_id": run_id})
                self._rows("delete_plan", {"binding_digest": binding_digest})
                self._rows("retire_id", {"run_id": run_id})
        except self._busy as error:
            raise self._locked() from error
        except self._failure as error:
            raise self._unreadable(error) from error

    def _refusal_to_forget(self, run_id: str, expected_version: int) -> AuthorityError:
        version, status = self._rows("read_status", {"run_id": run_id})[0]
        if version != expected_version:
            return ConflictError(run_id, expected_version)
        return RunReservesError(run_id, status)

    def _identify(self, caps: Caps | None, store_id: str) -> None:
        """Find out, or as its creator decide, what the store is."""
        try:
            if not self._rows("read_store", {}):
                with self._transaction():
                    self._create_store(caps or Caps(), store_id)
            found = self._rows("read_store", {})[0]
        except self._busy as error:
            raise self._locked() from error
        except self._failure as error:
            raise StoreRefusedError(f"{self._place} cannot be used: {error}; expected a trailforge store") from error
        if type(found[0]) is not str:
            raise StoreRefusedError(f"{self._place} has lost its identity; restore it from a copy")
        stored = Caps(
            tenant_in_flight=found[1], tenant_total=found[2], global_in_flight=found[3], global_total=found[4]
        )
        if caps is not None and caps != stored:
            raise CapsChangedError(
                f"store {found[0]} was created with {stored}, opened with {caps}; "
                "open it with its own caps, or create another store"
            )
        edited = self._read("edited_caps", {})
        if edited:
            raise CapsChangedError(
                f"ledger {edited[0][0]} of store {found[0]} has other caps than the store was created with, {stored}; "
                "somebody edited one of them: restore the store from a copy"
            )
        self.store_id, self.caps = found[0], stored

    def _create_store(self, caps: Caps, store_id: str) -> None:
        figures = {name: getattr(caps, name) for name in Caps.__dataclass_fields__}
        self._rows("create_store", {"store_id": store_id, **figures})
        self._create_ledger(GLOBAL_SCOPE, caps.global_in_flight, caps.global_total)

    def _create_ledger(self, scope: str, in_flight_cap: int, total_cap: int) -> None:
        self._rows("create_ledger", {"scope": scope, "in_flight_cap": in_flight_cap, "total_cap": total_cap})

    def _insert_run(self, run: NewRun) -> int:
        first = run.first
        used = self._rows("find_id", {"run_id": first.run_id})
        if used and used[0][0]:
            raise RunForgottenError(first.run_id)
        self._create_ledger(tenant_scope(first.tenant), self.caps.tenant_in_flight, self.caps.tenant_total)
        self._rows("create_plan", {"binding_digest": run.binding_digest, "plan": run.plan})
        values = {"tenant": first.tenant, "binding_digest": run.binding_digest, **_checkpoint_values(first)}
        rows = self._rows("create_run", values)
        if not rows:
            raise RunExistsError(first.run_id)
        if used:
            raise CheckpointMismatchError(first.run_id, _ROW_GONE)
        self._rows("take_id", {"run_id": first.run_id})
        return int(rows[0][0])

    def _swap_checkpoint(self, transition: Transition) -> int:
        values = _checkpoint_values(transition)
        values["expected_version"] = transition.expected_version
        rows = self._rows("move_checkpoint", values)
        if not rows:
            self._require_present(transition.run_id)
            raise ConflictError(transition.run_id, transition.expected_version)
        return int(rows[0][0])

    def _write_rows(self, run: int, transition: Transition) -> None:
        self._rows("append_journal", _entry_values(run, transition.entry))
        for notice in transition.notices:
            self._rows("announce", {name: getattr(notice, name) for name in Notice.__dataclass_fields__})
        if transition.reserve or transition.settle:
            self._move_units(transition)

    def _move_units(self, transition: Transition) -> None:
        scope = tenant_scope(transition.tenant)
        values = {"reserve": transition.reserve, "settle": transition.settle, "tenant_scope": scope}
        if len(self._rows("move_units", values)) == 2:
            return
        rows = self._rows("read_ledgers", {"tenant_scope": scope})
        ledgers = [LedgerRow(row[0], *figures(f"ledger {row[0]} of {self._place}", row[1:])) for row in rows]
        raise denial(transition.run_id, ledgers, transition.reserve, transition.settle)

    def _settle_doubt(self, transition: Transition, error: Exception) -> None:
        """Return when *transition* took effect in spite of *error*; raise what is known otherwise."""
        try:
            self._recover()
            rows = self._rows("settle_position", {"run_id": transition.run_id})
        except self._lost as second:
            raise AuthorityUnavailableError(
                f"{self._place} failed to write ({error}) and to read ({second}); open it again before deciding"
            ) from error
        version, head = rows[0] if rows else (0, b"")
        if (version, head) == (transition.checkpoint.version, transition.checkpoint.head):
            return
        if version != transition.expected_version:
            raise ConflictError(transition.run_id, transition.expected_version) from error
        raise WriteFailedError(
            f"run {transition.run_id} is still at version {version}: {self._place} failed to write: {error}"
        ) from error

    def _load(self, run_id: str) -> StoredRun:
        rows = self._rows("read_run", {"run_id": run_id})
        if not rows:
            self._require_present(run_id)
        run, tenant, binding_digest, version, status, text, head, checksum, plan = rows[0]
        if plan is None:
            raise CheckpointMismatchError(run_id, "its plan is missing")
        journal = self._rows("read_journal", {"run": run})
        return StoredRun(
            run_id=run_id,
            tenant=tenant,
            plan=plan,
            binding_digest=binding_digest,
            checkpoint=Checkpoint(version=version, status=status, text=text, head=head, checksum=checksum),
            entries=tuple(
                JournalEntry(sequence=r[0], previous=r[1], text=r[2], state_digest=r[3], output=r[4]) for r in journal
            ),
        )

    def _require_present(self, run_id: str) -> None:
        if self._rows("read_position", {"run_id": run_id}):
            return
        used = self._rows("find_id", {"run_id": run_id})
        if not used:
            raise UnknownRunError(run_id, self.store_id)
        raise RunForgottenError(run_id) if used[0][0] else CheckpointMismatchError(run_id, _ROW_GONE)

    def _damage(self) -> list[str]:
        """Return what was taken out of the store by hand."""
        orphans, lost, unnamed = (self._read(name, {}) for name in ("orphans", "lost_runs", "unnamed_runs"))
        return [
            *(f"rows of run number {row[0]} belong to no run; a deletion was cut short" for row in orphans),
            *(f"run {row[0]}: {_ROW_GONE}" for row in lost),
            *(f"run {row[0]}: it is here and its id is not among those given out" for row in unnamed),
        ]

    def _read(self, name: str, values: Mapping[str, Any]) -> list[Row]:
        return self._reading(lambda: self._rows(name, values))

    def _reading(self, read: Callable[[], R]) -> R:
        """Return what *read* reads; when that fails, once more over a recovered connection."""
        try:
            return read()
        except self._failure:
            try:
                self._recover()
                return read()
            except self._lost as error:
                raise self._unreadable(error) from error

    @property
    def _lost(self) -> tuple[type[Exception], ...]:
        """What asking again over a recovered connection may end in."""
        return (*self._failure, StoreRefusedError)

    def _locked(self) -> AuthorityBusyError:
        return AuthorityBusyError(f"{self._place} stayed locked; nothing was written, try again")

    def _unreadable(self, error: Exception) -> AuthorityUnavailableError:
        return AuthorityUnavailableError(f"{self._place} cannot be read: {error}")


def _checkpoint_values(transition: Transition) -> dict[str, Any]:
    checkpoint = transition.checkpoint
    return {
        "run_id": transition.run_id,
        "version": checkpoint.version,
        "status": checkpoint.status,
        "checkpoint": checkpoint.text,
        "head": checkpoint.head,
        "checksum": checkpoint.checksum,
    }


def _entry_values(run: int, entry: JournalEntry) -> dict[str, Any]:
    return {
        "run": run,
        "sequence": entry.sequence,
        "previous": entry.previous,
        "entry": entry.text,
        "state_digest": entry.state_digest,
        "output": entry.output,
    }
