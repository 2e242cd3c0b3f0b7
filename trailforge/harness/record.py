"""A run between memory and store: what a transition writes, and how a stored run is read back and proven.

Reading replays every journal entry through the same rules that wrote it; a run whose state, receipts or plan do not
come out as stored is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trailforge.authority import (
    Checkpoint,
    JournalEntry,
    NewRun,
    Notice,
    StoredRun,
    Transition,
    checksum,
    entry_head,
    verify_stored,
)
from trailforge.errors import CheckpointMismatchError, JournalEditedError, TransitionError
from trailforge.harness.events import AttemptSucceeded, Event, RunAdmitted, events_from_text, journal_text
from trailforge.harness.state import Lease, RunState, checkpoint_text
from trailforge.harness.transitions import Announce, ReserveUnits, SettleUnits, step
from trailforge.work import Binding, Goal, Task, goal_from_json
from trustrail.errors import CanonicalizationError
from trustrail.foundation import GENESIS, canonical_json, digest, digest_hex, parse_json


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run as one process knows it."""

    run_id: str
    binding: Binding
    version: int = 0
    """Journal entries so far; what a writer must have read to write the next one."""
    state: RunState
    head: bytes = GENESIS
    """Head of the journal chain."""
    outputs: Mapping[str, str]
    """Canonical JSON of each accepted output, by task id."""


def admitted_record(run_id: str, goal: Goal, binding: Binding, now: int) -> tuple[NewRun, RunRecord]:
    """Return what creates a run, and the run once it is created."""
    blank = RunRecord(run_id=run_id, binding=binding, state=RunState(goal=goal), outputs={})
    first, record = extend(blank, (RunAdmitted(at=now, binding=binding.digest.hex()),))
    return NewRun(plan=binding.plan, binding_digest=binding.digest, first=first), record


def extend(record: RunRecord, events: Sequence[Event], output: str | None = None) -> tuple[Transition, RunRecord]:
    """Return the transition that appends *events*, and the run after it; nothing is written.

    Args:
        record: the run as it stands.
        events: what happened, in order.
        output: canonical JSON of the output that an `AttemptSucceeded` among them accepts.

    Raises:
        TransitionError: if the events do not follow from the run's state.
    """
    state, outputs = record.state, record.outputs
    reserve = settle = 0
    notices: list[Notice] = []
    for event in events:
        if type(event) is AttemptSucceeded and output is not None:
            outputs = {**outputs, event.task: output}
        state, effects = step(state, event)
        for effect in effects:
            match effect:
                case ReserveUnits(units):
                    reserve += units
                case SettleUnits(units):
                    settle += units
                case Announce():
                    notices.append(_notice(record, effect))
    text = checkpoint_text(state)
    entry = JournalEntry(
        sequence=record.version + 1,
        previous=record.head,
        text=journal_text(events),
        state_digest=digest(text.encode()),
        output=output,
    )
    after = RunRecord(
        run_id=record.run_id,
        binding=record.binding,
        version=entry.sequence,
        state=state,
        head=entry_head(entry),
        outputs=outputs,
    )
    transition = Transition(
        run_id=record.run_id,
        tenant=state.goal.tenant,
        expected_version=record.version,
        checkpoint=_checkpoint(after, text),
        entry=entry,
        notices=tuple(notices),
        reserve=reserve,
        settle=settle,
    )
    return transition, after


def receipt_digest(run_id: str, binding: Binding, task: Task, lease: Lease, output: str) -> str:
    """Return the digest that binds an *output* to run, plan (and so to the input), task and attempt, 64 hex digits."""
    bound = {
        "run": run_id,
        "binding": binding.digest.hex(),
        "task": task.id,
        "attempt": lease.attempt,
        "epoch": lease.epoch,
        "output": digest_hex(output.encode()),
    }
    return digest_hex(canonical_json(bound))


def restore(stored: StoredRun, store_id: str) -> RunRecord:
    """Return the run that *stored* proves.

    Raises:
        CorruptStoreError: one of its kinds, naming what does not agree.
    """
    verify_stored(stored)
    plan = parse_json(stored.plan)
    if plan["store"] != store_id:
        raise CheckpointMismatchError(stored.run_id, f"it belongs to store {plan['store']}, not to {store_id}")
    binding = Binding(plan=stored.plan, digest=stored.binding_digest)
    state = RunState(goal=goal_from_json(plan["goal"]))
    outputs: dict[str, str] = {}
    for entry in stored.entries:
        state = _replay(stored.run_id, binding, state, entry, outputs)
    _require_same_checkpoint(stored, state)
    return RunRecord(
        run_id=stored.run_id,
        binding=binding,
        version=stored.checkpoint.version,
        state=state,
        head=stored.checkpoint.head,
        outputs=outputs,
    )


def _replay(run_id: str, binding: Binding, state: RunState, entry: JournalEntry, outputs: dict[str, str]) -> RunState:
    """Return the state after *entry*, adding its accepted output to *outputs*."""
    accepted = 0
    try:
        for event in events_from_text(entry.text):
            if type(event) is AttemptSucceeded:
                outputs[event.task] = _proven_output(run_id, binding, state, event, entry.output)
                accepted += 1
            state, _ = step(state, event)
    except (TransitionError, CanonicalizationError, KeyError, TypeError, ValueError) as error:
        problem = f"journal row {entry.sequence} could not have been written: {error}"
        raise JournalEditedError(run_id, problem) from error
    if entry.output is not None and accepted != 1:
        raise CheckpointMismatchError(run_id, f"journal row {entry.sequence} carries an output it does not bind")
    if digest(checkpoint_text(state).encode()) != entry.state_digest:
        raise JournalEditedError(run_id, f"journal row {entry.sequence} leads to another state than it names")
    return state


def _proven_output(run_id: str, binding: Binding, state: RunState, event: AttemptSucceeded, output: str | None) -> str:
    if output is None:
        raise CheckpointMismatchError(run_id, f"the output of task {event.task!r} is missing")
    if state.lease is None or receipt_digest(run_id, binding, state.task, state.lease, output) != event.receipt:
        raise CheckpointMismatchError(run_id, f"the output of task {event.task!r} is not what its receipt binds")
    return output


def _require_same_checkpoint(stored: StoredRun, state: RunState) -> None:
    if checkpoint_text(state) != stored.checkpoint.text or state.status.value != stored.checkpoint.status:
        raise CheckpointMismatchError(stored.run_id, "its checkpoint is not where its journal leads")
    if state.goal.tenant != stored.tenant:
        raise CheckpointMismatchError(stored.run_id, f"it is filed under tenant {stored.tenant!r}")


def _checkpoint(record: RunRecord, text: str) -> Checkpoint:
    return Checkpoint(
        version=record.version,
        status=record.state.status.value,
        text=text,
        head=record.head,
        checksum=checksum(record.run_id, record.binding.digest, record.head, text),
    )


def _notice(record: RunRecord, effect: Announce) -> Notice:
    return Notice(
        run_id=record.run_id,
        sequence=record.version + 1,
        kind=effect.status.value,
        task_id=effect.task,
        reason=effect.reason,
    )
