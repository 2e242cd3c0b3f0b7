"""GuardedPublisher: the one road to an external write.

Approve, then execute: the approval is consumed and the operation stored as SENDING in one transaction before
anything is sent. A bound acknowledgement in time makes it ACCEPTED; everything else leaves it UNKNOWN. Executing
the same intent again observes the stored operation. Reconciling inspects and never sends.
"""

import secrets
from collections.abc import Iterable
from typing import Final

from trailforge.errors import (
    ApprovalRefusedError,
    IntentRefusedError,
    OperationMovedError,
    OperationRefusedError,
    Problem,
    PublicationError,
    ScopeError,
)
from trailforge.errors.showing import shown
from trailforge.harness.telemetry import Signal, Telemetry, unfailing
from trailforge.publishing.adapter import PublishAdapter
from trailforge.publishing.approval import DEFAULT_SECONDS, Approval
from trailforge.publishing.dispatcher import Dispatcher
from trailforge.publishing.guard import GuardedAction, HostGuard, require_permission
from trailforge.publishing.intent import AdmittedIntent, Intent, admit_intent, name_problem
from trailforge.publishing.operation import Operation, OperationState, doubted
from trailforge.publishing.store import PublicationStore

MAX_APPROVAL_SECONDS: Final = 3600
"""Longest an approval may be made to hold; ours: longer ones are standing authority."""

MAX_SENDING_SECONDS: Final = 3600
"""Longest a dispatch may be made to take; ours."""

DEFAULT_SENDING_SECONDS: Final = 60
"""How long a dispatch may take until its answer is evidence only; ours."""


class GuardedPublisher:
    """Publishes intents that a live guard allows and a person approved.

    Args:
        store: where approvals and operations are kept.
        guard: the host's live decision.
        adapters: the external systems.
        tenant: the only tenant this host may act for; any when empty.
        sending_seconds: how long a dispatch may take.
        telemetry: where signals go.

    Raises:
        PublicationError: if two adapters have the same name, or *sending_seconds* is out of bounds.
    """

    def __init__(
        self,
        store: PublicationStore,
        guard: HostGuard,
        adapters: Iterable[PublishAdapter],
        *,
        tenant: str = "",
        sending_seconds: int = DEFAULT_SENDING_SECONDS,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._store = store
        self._guard = guard
        self._adapters: dict[str, PublishAdapter] = {}
        for adapter in adapters:
            if self._adapters.setdefault(adapter.name, adapter) is not adapter:
                raise PublicationError(f"two adapters are named {adapter.name!r}, expected one")
        if type(sending_seconds) is not int or not 1 <= sending_seconds <= MAX_SENDING_SECONDS:
            given = f"{shown(sending_seconds)}"
            raise PublicationError(f"sending_seconds is {given}, expected an integer from 1 to {MAX_SENDING_SECONDS}")
        self._tenant = tenant
        self._sending_ms = sending_seconds * 1000
        self._holder = secrets.token_hex(8)
        self._telemetry = unfailing(telemetry)
        self._dispatcher = Dispatcher(store, self._telemetry)

    def approve(self, intent: Intent, *, by: str, seconds: int = DEFAULT_SECONDS) -> Approval:
        """Store the approval of *intent* by *by*, good for one execution within *seconds*.

        Raises:
            IntentRefusedError: if the intent is not well formed.
            GuardDeniedError: if the guard does not allow it.
            ApprovalRefusedError: if *seconds* is out of bounds.
            OperationRefusedError: if the intent has been executed already.
        """
        admitted = self._admit(intent, by)
        if type(seconds) is not int or not 1 <= seconds <= MAX_APPROVAL_SECONDS:
            problem = f"would hold for {shown(seconds)} s, expected an integer from 1 to {MAX_APPROVAL_SECONDS}"
            raise ApprovalRefusedError(admitted.digest, problem)
        if self._store.find(admitted.operation_id) is not None:
            raise OperationRefusedError(f"operation {admitted.operation_id} of this intent exists; observe it")
        require_permission(self._guard, GuardedAction.APPROVE, admitted, by)
        return self._store.approve(admitted, by=by, lifetime_ms=seconds * 1000)

    def revoke(self, intent: Intent, approval_id: str, *, by: str) -> None:
        """End an approval of *intent* that was not used.

        Raises:
            GuardDeniedError: if the guard does not allow it.
            ApprovalRefusedError: if there is none, it covers another intent, or it has ended.
        """
        admitted = self._admit(intent, by)
        require_permission(self._guard, GuardedAction.REVOKE, admitted, by)
        self._store.revoke(admitted, approval_id)

    def execute(self, intent: Intent, approval_id: str, *, by: str) -> Operation:
        """Send *intent* once, or observe the operation it has led to already.

        Raises:
            IntentRefusedError, GuardDeniedError, ApprovalRefusedError: nothing was sent.
            OperationRefusedError: if there is no such adapter, or what it supersedes is not in doubt.
            AuthorityError: if the store cannot be used; nothing was sent.
            OperationInDoubtError: if the outcome could not be stored.
        """
        admitted = self._admit(intent, by)
        stored = self._observe(admitted.operation_id)
        if stored is not None:
            return stored
        adapter = self._adapter(admitted)
        require_permission(self._guard, GuardedAction.EXECUTE, admitted, by)
        operation, opened = self._store.begin(
            admitted, approval_id, by=f"{by}:{self._holder}", sending_ms=self._sending_ms
        )
        if not opened:
            return operation
        return self._dispatcher.dispatch(admitted, adapter, operation)

    def observe(self, intent: Intent) -> Operation | None:
        """Return the operation of *intent*, or None; one whose time to send is over is UNKNOWN.

        Raises:
            CorruptOperationError: if what is stored does not agree with itself.
        """
        return self._observe(self._admit(intent).operation_id)

    def reconcile(self, intent: Intent, *, by: str) -> Operation:
        """Ask the external system about an operation in doubt; nothing is ever sent.

        FOUND with the payload that was sent makes it ACCEPTED. NOT_FOUND and CANNOT_TELL are kept as evidence
        and leave it UNKNOWN, since a delayed request may still arrive.

        Raises:
            GuardDeniedError: if the guard does not allow it.
            OperationRefusedError: if there is no operation, or it may still be sending.
        """
        admitted = self._admit(intent, by)
        operation = self._observe(admitted.operation_id)
        if operation is None:
            raise OperationRefusedError(f"operation {admitted.operation_id} does not exist; nothing was sent yet")
        if operation.state is OperationState.ACCEPTED:
            return operation
        if operation.state is OperationState.SENDING:
            left = operation.deadline - self._store.now()
            raise OperationRefusedError(f"operation {admitted.operation_id} may send for another {left} ms; wait")
        adapter = self._adapter(admitted)
        require_permission(self._guard, GuardedAction.RECONCILE, admitted, by)
        return self._dispatcher.inspect(admitted, adapter, operation, by)

    def in_doubt(self) -> tuple[str, ...]:
        """Return the ids of all operations that are UNKNOWN, those whose time to send is over included."""
        for operation_id in self._store.operations_in(OperationState.SENDING):
            self._observe(operation_id)
        return self._store.operations_in(OperationState.UNKNOWN)

    def _admit(self, intent: Intent, actor: str = "host") -> AdmittedIntent:
        problem = name_problem(actor)
        if problem:
            raise IntentRefusedError([Problem("by", problem)])
        admitted = admit_intent(intent)
        if self._tenant and intent.tenant != self._tenant:
            raise ScopeError("intent", intent.tenant, self._tenant)
        return admitted

    def _adapter(self, admitted: AdmittedIntent) -> PublishAdapter:
        intent = admitted.intent
        adapter = self._adapters.get(intent.adapter)
        if adapter is None:
            known = ", ".join(sorted(self._adapters)) or "none"
            raise OperationRefusedError(f"there is no adapter {intent.adapter!r}; registered: {known}")
        if adapter.mode is not intent.mode:
            raise OperationRefusedError(
                f"adapter {intent.adapter!r} is for {adapter.mode}, the intent is for {intent.mode}"
            )
        return adapter

    def _observe(self, operation_id: str) -> Operation | None:
        operation = self._store.find(operation_id)
        if operation is None or operation.state is not OperationState.SENDING:
            return operation
        now = self._store.now()
        if now < operation.deadline:
            return operation
        reason = f"no outcome was stored by the deadline, {now - operation.deadline} ms ago"
        try:
            doubtful = self._store.record(operation, doubted(now, reason))
        except OperationMovedError:
            return self._store.find(operation_id)
        self._telemetry.count(Signal.AMBIGUOUS_PUBLICATION, doubtful.state.value)
        return doubtful
