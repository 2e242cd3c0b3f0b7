"""A run between memory and store: what a transition writes, and how a stored run is read back and proven.

Reading replays every journal entry through the same rules that wrote it; a run whose state, receipts or plan do not
come out as stored is refused.
"""

from collections.abc import Mapping
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
from trailforge.work import Binding, Task, goal_from_json
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


def admitted_record(run_id: str, binding: Binding, now: int) -> tuple[NewRun, RunRecord]:
    """Return what creates a run, and the run once it is created."""
    # What is kept is what was bound: the host may change the objects it made its goal from.
    goal = goal_from_json(parse_json(binding.plan)["goal"])
    blank = RunRecord(run_id=run_id, binding=binding, state=RunState(goal=goal), outputs={})
    first, record = Draft(blank).add(RunAdmitted(at=now, binding=binding.digest.hex())).finish()
    return NewRun(plan=binding.plan, binding_digest=binding.digest, first=first), record


class Draft:
    """One transition being made: events are added in order, then it is finished. Nothing is written.

    Attributes:
        state: the run after the events added so far.
    """

    def __init__(self, record: RunRecord) -> None:
        self._record = record
        self._events: list[Event] = []
        self._output: str | None = None
        self._outputs = record.outputs
        self._notices: list[Notice] = []
        self._reserve = 0
        self._settle = 0
        self.state = record.state

    def add(self, event: Event, output: str | None = None) -> "Draft":
        """Append *event*; *output* is the canonical JSON that an `AttemptSucceeded` accepts.

        Raises:
            TransitionError: if the event does not follow from the state.
        """
        if type(event) is AttemptSucceeded and output is not None:
            self._output = output
            self._outputs = {**self._outputs, event.task: output}
        self.state, effects = step(self.state, event)
        self._events.append(event)
        for effect in effects:
            match effect:
                case ReserveUnits(units):
                    self._reserve += units
                case SettleUnits(units):
                    self._settle += units
                case Announce():
                    self._notices.append(_notice(self._record, effect))
        return self

    def finish(self) -> tuple[Transition, RunRecord]:
        """Return the transition, and the run once it is committed."""
        before, text = self._record, checkpoint_text(self.state)
        entry = JournalEntry(
            sequence=before.version + 1,
            previous=before.head,
            text=journal_text(self._events),
            state_digest=digest(text.encode()),
            output=self._output,
        )
        after = RunRecord(
            run_id=before.run_id,
            binding=before.binding,
            version=entry.sequence,
            state=self.state,
            head=entry_head(entry),
            outputs=self._outputs,
        )
        transition = Transition(
            run_id=before.run_id,
            tenant=self.state.goal.tenant,
            expected_version=before.version,
            checkpoint=_checkpoint(after, text),
            entry=entry,
            notices=tuple(self._notices),
            reserve=self._reserve,
            settle=self._settle,
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
