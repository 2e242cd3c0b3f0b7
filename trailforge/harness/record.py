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
    Receipt,
    StoredRun,
    Transition,
    checksum,
    entry_head,
    verify_stored,
)
from trailforge.errors import CheckpointMismatchError, JournalEditedError, TransitionError
from trailforge.harness.events import AttemptSucceeded, Event, RunAdmitted, event_from_json, event_text
from trailforge.harness.state import RunState, checkpoint_text
from trailforge.harness.transitions import Announce, ReserveUnits, SettleUnits, step
from trailforge.work import Binding, Goal, Task, goal_from_json
from trustrail.errors import CanonicalizationError
from trustrail.foundation import GENESIS, canonical_json, digest, digest_hex, parse_json


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run as one process knows it."""

    run_id: str
    binding: Binding
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


def extend(record: RunRecord, events: Sequence[Event], receipt: Receipt | None = None) -> tuple[Transition, RunRecord]:
    """Return the transition that appends *events*, and the run after it; nothing is written.

    Raises:
        TransitionError: if the events do not follow from the run's state.
    """
    state, head = record.state, record.head
    entries: list[JournalEntry] = []
    notices: list[Notice] = []
    reserve = settle = 0
    text = ""
    for event in events:
        state, effects = step(state, event)
        text = checkpoint_text(state)
        entry = JournalEntry(
            sequence=state.version, previous=head, text=event_text(event), state_digest=digest(text.encode())
        )
        entries.append(entry)
        head = entry_head(entry)
        for effect in effects:
            match effect:
                case ReserveUnits(units):
                    reserve += units
                case SettleUnits(units):
                    settle += units
                case Announce():
                    notices.append(_notice(record.run_id, state.version, effect))
    transition = Transition(
        run_id=record.run_id,
        tenant=state.goal.tenant,
        expected_version=record.state.version,
        checkpoint=Checkpoint(
            version=state.version,
            status=state.status.value,
            text=text,
            head=head,
            checksum=checksum(record.run_id, record.binding.digest, head, text),
        ),
        entries=tuple(entries),
        receipts=(receipt,) if receipt else (),
        notices=tuple(notices),
        reserve=reserve,
        settle=settle,
    )
    outputs = {**record.outputs, receipt.task_id: receipt.output} if receipt else record.outputs
    after = RunRecord(run_id=record.run_id, binding=record.binding, state=state, head=head, outputs=outputs)
    return transition, after


def receipt_digest(run_id: str, binding: Binding, task: Task, receipt: Receipt) -> str:
    """Return the digest that binds an output to run, plan, task, attempt and input, 64 hex digits."""
    return digest_hex(
        canonical_json(
            {
                "run": run_id,
                "binding": binding.digest.hex(),
                "task": task.id,
                "attempt": receipt.attempt,
                "epoch": receipt.epoch,
                "input": digest_hex(canonical_json(task.input)),
                "output": digest_hex(receipt.output.encode()),
            }
        )
    )


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
    receipts = {receipt.task_id: receipt for receipt in stored.receipts}
    state = RunState(goal=goal_from_json(plan["goal"]))
    for entry in stored.entries:
        state = _replay(stored, binding, state, entry, receipts)
    _require_same_checkpoint(stored, state)
    return RunRecord(
        run_id=stored.run_id,
        binding=binding,
        state=state,
        head=stored.checkpoint.head,
        outputs={task_id: receipt.output for task_id, receipt in receipts.items()},
    )


def _replay(
    stored: StoredRun, binding: Binding, state: RunState, entry: JournalEntry, receipts: Mapping[str, Receipt]
) -> RunState:
    try:
        event = event_from_json(parse_json(entry.text))
        if type(event) is AttemptSucceeded:
            _require_receipt(stored.run_id, binding, state.task, event, receipts.get(event.task))
        state, _ = step(state, event)
    except (TransitionError, CanonicalizationError, KeyError, TypeError, ValueError) as error:
        raise JournalEditedError(
            stored.run_id, f"journal row {entry.sequence} could not have been written: {error}"
        ) from error
    if digest(checkpoint_text(state).encode()) != entry.state_digest:
        raise JournalEditedError(stored.run_id, f"journal row {entry.sequence} leads to another state than it names")
    return state


def _require_receipt(
    run_id: str, binding: Binding, task: Task, event: AttemptSucceeded, receipt: Receipt | None
) -> None:
    if receipt is None:
        raise CheckpointMismatchError(run_id, f"the receipt of task {event.task!r} is missing")
    if receipt_digest(run_id, binding, task, receipt) != event.receipt:
        raise CheckpointMismatchError(run_id, f"the receipt of task {event.task!r} is not what was accepted")


def _require_same_checkpoint(stored: StoredRun, state: RunState) -> None:
    if checkpoint_text(state) != stored.checkpoint.text or state.status.value != stored.checkpoint.status:
        raise CheckpointMismatchError(stored.run_id, "its checkpoint is not where its journal leads")
    if state.goal.tenant != stored.tenant:
        raise CheckpointMismatchError(stored.run_id, f"it is filed under tenant {stored.tenant!r}")
    if len(stored.receipts) != state.position:
        raise CheckpointMismatchError(
            stored.run_id, f"it has {len(stored.receipts)} receipts, its journal {state.position}"
        )


def _notice(run_id: str, sequence: int, effect: Announce) -> Notice:
    return Notice(run_id=run_id, sequence=sequence, kind=effect.status.value, task_id=effect.task, reason=effect.reason)
