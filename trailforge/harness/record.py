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
from trailforge.harness.events import AttemptSucceeded, Event, RunAdmitted, event_from_json, event_text
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
    state, head, outputs = record.state, record.head, record.outputs
    entries: list[JournalEntry] = []
    notices: list[Notice] = []
    reserve = settle = 0
    text = ""
    for event in events:
        state, effects = step(state, event)
        text = checkpoint_text(state)
        accepted = output if type(event) is AttemptSucceeded else None
        if type(event) is AttemptSucceeded and output is not None:
            outputs = {**outputs, event.task: output}
        entry = JournalEntry(
            sequence=state.version,
            previous=head,
            text=event_text(event),
            state_digest=digest(text.encode()),
            output=accepted,
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
        notices=tuple(notices),
        reserve=reserve,
        settle=settle,
    )
    after = RunRecord(run_id=record.run_id, binding=record.binding, state=state, head=head, outputs=outputs)
    return transition, after


def receipt_digest(run_id: str, binding: Binding, task: Task, lease: Lease, output: str) -> str:
    """Return the digest that binds an *output* to run, plan, task, attempt and input, 64 hex digits."""
    bound = {
        "run": run_id,
        "binding": binding.digest.hex(),
        "task": task.id,
        "attempt": lease.attempt,
        "epoch": lease.epoch,
        "input": digest_hex(canonical_json(task.input)),
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
    return RunRecord(run_id=stored.run_id, binding=binding, state=state, head=stored.checkpoint.head, outputs=outputs)


def _replay(run_id: str, binding: Binding, state: RunState, entry: JournalEntry, outputs: dict[str, str]) -> RunState:
    """Return the state after *entry*, adding its accepted output to *outputs*."""
    try:
        event = event_from_json(parse_json(entry.text))
        after, _ = step(state, event)
        if type(event) is AttemptSucceeded:
            outputs[event.task] = _proven_output(run_id, binding, state, event, entry.output)
        elif entry.output is not None:
            raise CheckpointMismatchError(run_id, f"journal row {entry.sequence} carries an output it does not bind")
    except (TransitionError, CanonicalizationError, KeyError, TypeError, ValueError) as error:
        raise JournalEditedError(
            run_id, f"journal row {entry.sequence} could not have been written: {error}"
        ) from error
    if digest(checkpoint_text(after).encode()) != entry.state_digest:
        raise JournalEditedError(run_id, f"journal row {entry.sequence} leads to another state than it names")
    return after


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


def _notice(run_id: str, sequence: int, effect: Announce) -> Notice:
    return Notice(run_id=run_id, sequence=sequence, kind=effect.status.value, task_id=effect.task, reason=effect.reason)
