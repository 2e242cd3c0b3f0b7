"""The publication store: approvals and operations, each step one transaction.

What makes an approval usable once and an operation dispatched once are two primary keys, written in the same
transaction. Every operation's trail is a hash chain whose head, length and state the operation row repeats; they
must agree whenever the operation is read. A subclass brings the connection, the transaction and the clock.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from trailforge.errors import (
    ApprovalRefusedError,
    AuthorityBusyError,
    AuthorityUnavailableError,
    CorruptOperationError,
    OperationMovedError,
    OperationRefusedError,
)
from trailforge.errors.showing import shown
from trailforge.publishing.approval import Approval, require_covering, require_id, require_named, require_usable
from trailforge.publishing.intent import AdmittedIntent
from trailforge.publishing.operation import (
    Operation,
    OperationState,
    TrailEntry,
    TrailKind,
    apply,
    began,
)
from trustrail.errors import CanonicalizationError
from trustrail.foundation import GENESIS, MAX_SAFE_INTEGER, canonical_json, chain_link, digest_hex, parse_json

Row = tuple[Any, ...]

_LAST_MOMENT: Final = MAX_SAFE_INTEGER // 2
"""Latest time in milliseconds that is believed; any lifetime added to it is still a safe integer."""


class PublicationStore(ABC):
    """Approvals and operations, over named SQL statements."""

    _failure: tuple[type[Exception], ...]
    """What the driver raises when a statement fails, or what is stored cannot be read."""
    _busy: tuple[type[Exception], ...]
    """Those failures that mean: still locked, nothing written."""

    @abstractmethod
    def close(self) -> None:
        """Release the store."""

    @abstractmethod
    def _clock_now(self) -> int:
        """Return the milliseconds the clock shows, whatever this store has seen before."""

    @abstractmethod
    def _rows(self, name: str, values: Mapping[str, Any]) -> list[Row]:
        """Run the statement *name* and return its rows."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[None]:
        """Return a write transaction that keeps other writers out and rolls back on any exception."""

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[None]:
        """Return a transaction whose reads all see one state."""

    def now(self) -> int:
        """Return milliseconds since 1970; never earlier than a time this store has seen."""
        with self._translated(), self._snapshot():
            return max(self._clock_now(), _moment(self._rows("read_clock", {})))

    def approve(self, admitted: AdmittedIntent, *, by: str, lifetime_ms: int) -> Approval:
        """Store a new approval of *admitted* that holds for *lifetime_ms* milliseconds."""
        with self._writing() as now:
            self._keep_intent(admitted)
            given = self._execute("count_approvals", intent_digest=admitted.digest)
            approval = Approval(
                intent_digest=admitted.digest,
                number=int(given[0][0]) + 1,
                by=by,
                approved_at=now,
                expires_at=now + lifetime_ms,
            )
            self._execute(
                "keep_approval",
                approval=approval.approval_id,
                intent_digest=admitted.digest,
                number=approval.number,
                body=canonical_json(approval.to_record()).decode(),
            )
        return approval

    def revoke(self, admitted: AdmittedIntent, approval_id: str) -> None:
        """End an approval of *admitted* that was not used.

        Raises:
            ApprovalRefusedError: if there is none, it covers another intent, or it has ended.
        """
        with self._writing() as now:
            approval, _ = self._approval(approval_id)
            require_covering(approval, admitted.digest)
            if not self._execute("end_approval", approval=approval_id, how="REVOKED", ended_at=now):
                raise ApprovalRefusedError(approval_id, "has been used or revoked already")

    def begin(self, admitted: AdmittedIntent, approval_id: str, *, by: str, sending_ms: int) -> tuple[Operation, bool]:
        """Consume the approval and store the operation as SENDING, both or neither.

        Returns:
            The operation, and whether it was opened here. When another caller opened it first, nothing is
            consumed.

        Raises:
            ApprovalRefusedError: if the approval does not cover the intent, has ended or has expired.
            OperationRefusedError: if the operation it supersedes is not UNKNOWN.
        """
        with self._writing() as now:
            existing = self._read(admitted.operation_id)
            if existing is not None:
                return existing[0], False
            approval, ended = self._approval(approval_id)
            require_usable(approval, ended, intent_digest=admitted.digest, now=now)
            self._require_superseded_in_doubt(admitted)
            self._keep_intent(admitted)
            if not self._execute("end_approval", approval=approval_id, how="CONSUMED", ended_at=now):
                raise ApprovalRefusedError(approval_id, "has been used or revoked already")
            entry = began(
                admitted.operation_id,
                at=now,
                intent_digest=admitted.digest,
                approval=approval_id,
                deadline=now + sending_ms,
                by=by,
            )
            return self._open(apply(None, entry), canonical_json(entry.to_record())), True

    def record(self, operation: Operation, entry: TrailEntry) -> Operation:
        """Append *entry* to the trail of *operation* and return the operation after it.

        Raises:
            OperationRefusedError: if *entry* does not follow.
            OperationMovedError: if the operation moved on since it was read.
        """
        later, text = apply(operation, entry), canonical_json(entry.to_record())
        with self._writing():
            stored = self._read(operation.operation_id)
            if stored is None or stored[0].version != operation.version:
                raise OperationMovedError(operation.operation_id, operation.version)
            head = stored[1]
            self._execute(
                "move_operation",
                operation=operation.operation_id,
                version=later.version,
                state=later.state.value,
                head=chain_link(head, text),
                expected_version=operation.version,
            )
            self._append(later, head, text)
        return later

    def find(self, operation_id: str) -> Operation | None:
        """Return the operation as its verified trail tells it, or None.

        Raises:
            CorruptOperationError: if trail and operation do not agree.
        """
        with self._translated(), self._snapshot():
            stored = self._read(operation_id)
        return stored[0] if stored is not None else None

    def approval_end(self, approval_id: str) -> str:
        """Return how an approval ended (CONSUMED, REVOKED), or an empty text.

        Raises:
            ApprovalRefusedError: if there is no such approval.
        """
        with self._translated(), self._snapshot():
            return self._approval(approval_id)[1]

    def operations_in(self, state: OperationState) -> tuple[str, ...]:
        """Return the ids of all operations that are stored in *state*, sorted."""
        with self._translated(), self._snapshot():
            rows = self._execute("list_operations", state=state.value)
        return tuple(str(row[0]) for row in rows)

    def _read(self, operation_id: str) -> tuple[Operation, bytes] | None:
        rows = self._execute("read_operation", operation=operation_id)
        trail = self._execute("read_trail", operation=operation_id)
        if not rows and not trail:
            return None
        if not rows:
            raise CorruptOperationError(operation_id, f"is gone, but {len(trail)} entries of its trail are not")
        operation, head = _fold(operation_id, trail)
        stored = rows[0]
        if stored != (operation.intent_digest, operation.version, operation.state.value, head):
            told = f"{operation.state} at version {operation.version}"
            raise CorruptOperationError(
                operation_id, f"is stored as {shown(stored[2])} at version {shown(stored[1])}, its trail tells {told}"
            )
        return operation, head

    def _approval(self, approval_id: str) -> tuple[Approval, str]:
        require_id(approval_id)
        rows = self._execute("read_approval", approval=approval_id)
        if not rows:
            raise ApprovalRefusedError(approval_id, "is not known here")
        try:
            approval = Approval.from_record(parse_json(str(rows[0][0])))
        except (CanonicalizationError, KeyError, TypeError) as error:
            raise ApprovalRefusedError(approval_id, "cannot be read as it is stored") from error
        require_named(approval, approval_id)
        return approval, str(rows[0][1] or "")

    def _require_superseded_in_doubt(self, admitted: AdmittedIntent) -> None:
        superseded = admitted.intent.supersedes
        if not superseded:
            return
        stored = self._read(superseded)
        if stored is None:
            raise OperationRefusedError(f"operation {superseded} is not known here, so nothing can supersede it")
        if stored[0].state is not OperationState.UNKNOWN:
            state = stored[0].state
            raise OperationRefusedError(f"operation {superseded} is {state}, only one in UNKNOWN is superseded")
        body = self._intent_of(stored[0])
        for field in ("tenant", "resource"):
            if body[field] != getattr(admitted.intent, field):
                raise OperationRefusedError(f"operation {superseded} has another {field}, {body[field]!r}")

    def _intent_of(self, operation: Operation) -> dict[str, Any]:
        rows = self._execute("read_intent", intent_digest=operation.intent_digest)
        text = rows[0][0] if rows else None
        if type(text) is not str or digest_hex(text.encode()) != operation.intent_digest:
            raise CorruptOperationError(operation.operation_id, "has lost its intent, or the intent was changed")
        body: dict[str, Any] = parse_json(text)
        return body

    def _keep_intent(self, admitted: AdmittedIntent) -> None:
        self._execute("keep_intent", intent_digest=admitted.digest, body=admitted.body)

    def _open(self, operation: Operation, text: bytes) -> Operation:
        self._execute(
            "open_operation",
            operation=operation.operation_id,
            intent_digest=operation.intent_digest,
            version=operation.version,
            state=operation.state.value,
            head=chain_link(GENESIS, text),
        )
        self._append(operation, GENESIS, text)
        return operation

    def _append(self, operation: Operation, previous: bytes, text: bytes) -> None:
        self._execute(
            "append_trail",
            operation=operation.operation_id,
            sequence=operation.version,
            previous=previous,
            entry=text.decode(),
        )

    def _execute(self, name: str, **values: str | int | bytes) -> list[Row]:
        return self._rows(name, values)

    @contextmanager
    def _writing(self) -> Iterator[int]:
        """Keep other writers out and yield the store's time."""
        with self._translated(), self._transaction():
            yield _moment(self._rows("move_clock", {"now": self._clock_now()}))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._busy as error:
            raise AuthorityBusyError(f"the publication store stayed locked: {error}; try again") from error
        except self._failure as error:
            raise AuthorityUnavailableError(f"the publication store cannot be used: {error}") from error


def _moment(rows: list[Row]) -> int:
    """Return the time that a row of the clock shows."""
    seen = rows[0][0] if rows else None
    if type(seen) is not int or not 0 <= seen <= _LAST_MOMENT:
        raise AuthorityUnavailableError(
            "the clock of the publication store is not what was written; restore the store from a copy"
        )
    return seen


def _fold(operation_id: str, trail: list[Row]) -> tuple[Operation, bytes]:
    """Return the operation and the head that *trail*, rows of (sequence, previous, entry), leads to."""
    operation: Operation | None = None
    head = GENESIS
    for position, (sequence, previous, text) in enumerate(trail, start=1):
        if sequence != position or previous != head:
            raise CorruptOperationError(operation_id, f"entry {position} of its trail does not follow from the last")
        try:
            entry = parse_json(str(text))
            step = TrailEntry(kind=TrailKind(entry["kind"]), at=entry["at"], facts=entry["facts"])
            operation = apply(operation, step)
        except (CanonicalizationError, OperationRefusedError, KeyError, ValueError, TypeError) as error:
            raise CorruptOperationError(operation_id, f"entry {position} of its trail is {text!r:.80}") from error
        head = chain_link(head, str(text).encode())
    if operation is None or operation.operation_id != operation_id:
        raise CorruptOperationError(operation_id, "its trail is empty or belongs to another operation")
    return operation, head
