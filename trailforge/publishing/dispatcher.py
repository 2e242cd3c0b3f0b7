"""Sending once, inspecting, and storing what came of it.

A storage error is not a "no": after one the operation is read again, and only what can be read counts.
"""

from contextlib import suppress

from trailforge.errors import AuthorityError, OperationInDoubtError, PublicationError
from trailforge.harness.telemetry import Signal, Telemetry
from trailforge.publishing.adapter import (
    Acknowledgement,
    Finding,
    Inspection,
    PublishAdapter,
    acknowledgement_problem,
    dispatch_of,
    inspection_problem,
)
from trailforge.publishing.intent import AdmittedIntent
from trailforge.publishing.operation import Operation, OperationState, TrailEntry, TrailKind, doubted
from trailforge.publishing.store import PublicationStore


class Dispatcher:
    """Carries out what the publisher has decided.

    Args:
        store: where the outcome is kept.
        telemetry: where signals go.
    """

    def __init__(self, store: PublicationStore, telemetry: Telemetry) -> None:
        self._store = store
        self._telemetry = telemetry

    def dispatch(self, admitted: AdmittedIntent, adapter: PublishAdapter, operation: Operation) -> Operation:
        """Send a freshly opened SENDING *operation* and return what became of it.

        Raises:
            OperationInDoubtError: if the outcome could not be stored.
        """
        try:
            answer: object = adapter.send(dispatch_of(admitted, operation.deadline))
        except Exception as error:  # noqa: BLE001 - whatever it was, the request may have arrived
            return self._doubt(operation, f"the adapter failed: {type(error).__name__}")
        except BaseException:
            # Leave a trace and let the interruption through; without the trace the deadline says the same.
            with suppress(PublicationError, AuthorityError):
                self._doubt(operation, "the dispatch was interrupted")
            raise
        problem = acknowledgement_problem(admitted, answer)
        if problem or not isinstance(answer, Acknowledgement):
            return self._doubt(operation, problem)
        return self._accept(operation, answer)

    def inspect(self, admitted: AdmittedIntent, adapter: PublishAdapter, operation: Operation, by: str) -> Operation:
        """Ask *adapter* about an UNKNOWN *operation* and keep the answer as evidence.

        Raises:
            AuthorityError: if the evidence could not be stored; the operation is as it was.
        """
        finding, evidence = _ask(admitted, adapter, operation)
        facts = {"by": by, "evidence": evidence, "finding": finding.value}
        return self._store.record(operation, TrailEntry(kind=TrailKind.INSPECTED, at=self._store.now(), facts=facts))

    def _accept(self, operation: Operation, answer: Acknowledgement) -> Operation:
        try:
            at = self._store.now()
        except AuthorityError as error:
            raise OperationInDoubtError(operation.operation_id, str(error)) from error
        if at < operation.deadline:
            entry = TrailEntry(kind=TrailKind.ACKNOWLEDGED, at=at, facts={"receipt": answer.receipt})
            stored = self._conclude(operation, entry)
        else:
            stored = self._doubt(operation, f"acknowledged {at - operation.deadline} ms after the deadline")
        if stored.state is OperationState.ACCEPTED:
            return stored
        late = TrailEntry(kind=TrailKind.ANSWERED_LATE, at=at, facts={"answer": answer.receipt})
        return self._conclude(stored, late)

    def _doubt(self, operation: Operation, reason: str) -> Operation:
        self._telemetry.count(Signal.AMBIGUOUS_PUBLICATION, OperationState.UNKNOWN.value)
        try:
            at = self._store.now()
        except AuthorityError as error:
            raise OperationInDoubtError(operation.operation_id, f"{reason}; {error}") from error
        return self._conclude(operation, doubted(at, reason))

    def _conclude(self, operation: Operation, entry: TrailEntry) -> Operation:
        """Store *entry*, or return what somebody else stored about *operation* first."""
        try:
            return self._store.record(operation, entry)
        except AuthorityError as error:
            with suppress(AuthorityError):
                stored = self._store.find(operation.operation_id)
                if stored is not None and stored.version > operation.version:
                    return stored
            raise OperationInDoubtError(operation.operation_id, str(error)) from error


def _ask(admitted: AdmittedIntent, adapter: PublishAdapter, operation: Operation) -> tuple[Finding, dict[str, object]]:
    """Return the finding of an inspection; an answer that cannot be used is CANNOT_TELL."""
    try:
        answer: object = adapter.inspect(dispatch_of(admitted, operation.deadline))
    except Exception as error:  # noqa: BLE001 - a failed question is no evidence
        return Finding.CANNOT_TELL, {"problem": f"the adapter failed: {type(error).__name__}"}
    problem = inspection_problem(admitted, answer)
    if problem or not isinstance(answer, Inspection):
        return Finding.CANNOT_TELL, {"problem": problem}
    return answer.finding, answer.evidence
