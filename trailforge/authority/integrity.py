"""Integrity of a stored run: the rules by which a reader tells what happened to a journal.

A journal is a hash chain: ``head[n] = SHA-256(head[n-1] || text[n] || state_digest[n])``. Each row keeps the head
before it, and the checkpoint keeps the last one. From that a reader names four damages apart: a *fork* (two rows
continue from one), a *gap* (a row missing between others), a *truncation* (rows missing at the end) and an *edit*.
A writer who rewrites the journal and its checkpoint together is only caught by a head kept elsewhere.
"""

from collections.abc import Sequence
from types import NoneType

from trailforge.authority.port import Checkpoint, JournalEntry, StoredRun
from trailforge.errors import (
    CheckpointMismatchError,
    JournalEditedError,
    JournalForkError,
    JournalGapError,
    JournalTruncatedError,
)
from trustrail.foundation import GENESIS, chain_link, digest


def entry_head(entry: JournalEntry) -> bytes:
    """Return the head of the chain after *entry*."""
    return chain_link(entry.previous, entry.text.encode() + entry.state_digest)


def checksum(run_id: str, binding_digest: bytes, head: bytes, text: str) -> bytes:
    """Return the checksum of a checkpoint: whose it is, what it is bound to, where its journal ends, what it says."""
    return digest(b"\x00".join((run_id.encode(), text.encode())) + binding_digest + head)


def verify_stored(run: StoredRun) -> None:
    """Return when the parts of *run* agree with each other.

    Raises:
        JournalForkError, JournalGapError, JournalTruncatedError, JournalEditedError: naming the damaged row.
        CheckpointMismatchError: if checkpoint or plan is not what was written.
    """
    _refuse_other_kinds(run)
    if digest(run.plan.encode()) != run.binding_digest:
        raise CheckpointMismatchError(run.run_id, "its plan does not have the digest it was bound with")
    checkpoint = run.checkpoint
    if checksum(run.run_id, run.binding_digest, checkpoint.head, checkpoint.text) != checkpoint.checksum:
        raise CheckpointMismatchError(run.run_id, "its checkpoint does not have its checksum")
    verify_journal(run.run_id, run.entries, checkpoint)
    if digest(checkpoint.text.encode()) != run.entries[-1].state_digest:
        raise CheckpointMismatchError(run.run_id, "its checkpoint is not the state its last journal row names")


def verify_journal(run_id: str, entries: Sequence[JournalEntry], checkpoint: Checkpoint) -> None:
    """Return when *entries*, in stored order, are exactly the journal that *checkpoint* ends.

    Raises:
        JournalForkError, JournalGapError, JournalTruncatedError, JournalEditedError: naming the damaged row.
    """
    _refuse_forks(run_id, entries)
    head = GENESIS
    for position, entry in enumerate(entries, start=1):
        if entry.sequence != position:
            raise JournalGapError(run_id, f"journal row {position} is missing, row {entry.sequence} follows")
        if entry.previous != head:
            raise JournalEditedError(run_id, f"journal row {_culprit(position)} is not what was written")
        head = entry_head(entry)
    if len(entries) < checkpoint.version:
        raise JournalTruncatedError(
            run_id, f"journal ends at row {len(entries)}, its checkpoint at row {checkpoint.version}"
        )
    if len(entries) > checkpoint.version:
        raise JournalEditedError(
            run_id, f"journal goes on to row {len(entries)}, its checkpoint ends at row {checkpoint.version}"
        )
    if head != checkpoint.head:
        raise JournalEditedError(run_id, f"journal row {len(entries)} is not what was written")


def _culprit(position: int) -> int:
    """Row that was changed when row *position* does not continue from the head before it."""
    return max(position - 1, 1)


def _refuse_other_kinds(run: StoredRun) -> None:
    """Some stores hold whatever bytes are in their files: a text that came back as something else is none."""
    checkpoint = run.checkpoint
    texts = (run.run_id, run.tenant, run.plan, checkpoint.status, checkpoint.text)
    digests = (run.binding_digest, checkpoint.head, checkpoint.checksum)
    if {*map(type, texts)} != {str} or {*map(type, digests)} != {bytes} or type(checkpoint.version) is not int:
        raise CheckpointMismatchError(
            run.run_id, "a column of its checkpoint or plan is of another kind than was written"
        )
    for position, entry in enumerate(run.entries, start=1):
        kinds = (type(entry.sequence), type(entry.previous), type(entry.text), type(entry.state_digest))
        if kinds != (int, bytes, str, bytes) or type(entry.output) not in (str, NoneType):
            raise JournalEditedError(run.run_id, f"journal row {position} is not what was written")


def _refuse_forks(run_id: str, entries: Sequence[JournalEntry]) -> None:
    first_with: dict[bytes, int] = {}
    for entry in entries:
        other = first_with.setdefault(entry.previous, entry.sequence)
        if other != entry.sequence:
            raise JournalForkError(run_id, f"journal rows {other} and {entry.sequence} continue from the same row")
    if len({entry.sequence for entry in entries}) != len(entries):
        raise JournalForkError(run_id, "journal has two rows with one number")
