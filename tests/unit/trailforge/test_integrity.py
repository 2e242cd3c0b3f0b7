"""What happened to a journal is named: fork, gap, truncation and edit are different findings."""

from dataclasses import replace

import pytest

from tests.unit.trailforge.goals import make_goal
from trailforge.authority import verify_stored
from trailforge.errors import (
    CheckpointMismatchError,
    JournalEditedError,
    JournalForkError,
    JournalGapError,
    JournalTruncatedError,
)
from trailforge.harness import restore
from trustrail.foundation import GENESIS, digest


@pytest.fixture
def stored(make_harness, authority):
    return authority.load(make_harness().run(make_goal(works=3), "run-1").run_id)


def with_entries(stored, change):
    entries = list(stored.entries)
    change(entries)
    return replace(stored, entries=tuple(entries))


def edit(position, **changes):
    def change(entries):
        entries[position] = replace(entries[position], **changes)

    return change


def swap(entries):
    entries[1], entries[2] = replace(entries[2], sequence=2), replace(entries[1], sequence=3)


DAMAGES = {
    "the last row deleted": (lambda rows: rows.pop(), JournalTruncatedError, "ends at row 5, its checkpoint at row 6"),
    "every row deleted": (lambda rows: rows.clear(), JournalTruncatedError, "ends at row 0, its checkpoint at row 6"),
    "a row in the middle deleted": (lambda rows: rows.pop(2), JournalGapError, "row 3 is missing, row 4 follows"),
    "the first row deleted": (lambda rows: rows.pop(0), JournalGapError, "row 1 is missing, row 2 follows"),
    "a row edited": (edit(2, text='[{"event":"RunCancelled"}]'), JournalEditedError, "row 3 is not what was written"),
    "the last row edited": (edit(-1, text="[]"), JournalEditedError, "row 6 is not what was written"),
    "a state digest edited": (edit(0, state_digest=GENESIS), JournalEditedError, "row 1 is not what was written"),
    "two rows swapped": (swap, JournalEditedError, "row 1 is not what was written"),
    "a row added at the end": (
        lambda rows: rows.append(replace(rows[-1], sequence=7, previous=digest(b"x"))),
        JournalEditedError,
        "row 6 is not what was written",
    ),
    "a second row continuing from the same one": (
        lambda rows: rows.insert(3, replace(rows[3], text="[]", sequence=9)),
        JournalForkError,
        "rows 9 and 4 continue from the same row",
    ),
}


@pytest.mark.parametrize(("change", "error", "text"), DAMAGES.values(), ids=DAMAGES)
def test_damage_is_named(stored, change, error, text):
    """Row 21: the verifier names fork, gap, truncation and edit differently."""
    with pytest.raises(error, match=text):
        verify_stored(with_entries(stored, change))


OTHER_KINDS = {
    "a plan that is bytes": (lambda run: replace(run, plan=run.plan.encode()), CheckpointMismatchError),
    "a tenant that is a number": (lambda run: replace(run, tenant=5), CheckpointMismatchError),
    "a head that is a text": (
        lambda run: replace(run, checkpoint=replace(run.checkpoint, head="0" * 32)),
        CheckpointMismatchError,
    ),
    "a version that is a fraction": (
        lambda run: replace(run, checkpoint=replace(run.checkpoint, version=6.0)),
        CheckpointMismatchError,
    ),
    "an entry that is bytes": (lambda run: with_entries(run, edit(1, text=b"[]")), JournalEditedError),
    "an entry that is a number": (lambda run: with_entries(run, edit(1, text=7)), JournalEditedError),
    "an output that is bytes": (lambda run: with_entries(run, edit(2, output=b"{}")), JournalEditedError),
    "a row without a number": (lambda run: with_entries(run, edit(1, sequence=None)), JournalEditedError),
}


@pytest.mark.parametrize(("change", "error"), OTHER_KINDS.values(), ids=OTHER_KINDS)
def test_column_of_another_kind_than_was_written_is_damage(stored, change, error):
    """A file whose row headers were hit gives back values of other types than its columns have."""
    with pytest.raises(error):
        verify_stored(change(stored))


def test_whole_journal_is_accepted(stored):
    verify_stored(stored)


def test_rows_after_the_checkpoint_are_refused(make_harness, authority, stored):
    """A checkpoint set back by hand leaves a journal that goes on without it."""
    other = make_harness()
    goal = make_goal(works=3, objective="again")
    early = authority.load(other.run(goal, "run-2", pause_after="work-1").run_id)
    other.resume(goal, "run-2")
    late = authority.load("run-2")

    with pytest.raises(JournalEditedError, match="goes on to row 7, its checkpoint ends at row 3"):
        verify_stored(replace(late, checkpoint=early.checkpoint))


EDITS = {
    "the plan": lambda run: replace(run, plan=run.plan.replace("do it", "do that")),
    "the checkpoint": lambda run: replace(run, checkpoint=replace(run.checkpoint, text="{}")),
    "the head": lambda run: replace(run, checkpoint=replace(run.checkpoint, head=GENESIS)),
    "the status column": lambda run: replace(run, checkpoint=replace(run.checkpoint, status="READY")),
    "the tenant column": lambda run: replace(run, tenant="beta"),
    "an output": lambda run: with_entries(run, edit(2, output='{"done":"forged"}')),
    "an output taken away": lambda run: with_entries(run, edit(2, output=None)),
    "an output where none belongs": lambda run: with_entries(run, edit(0, output="1")),
}


@pytest.mark.parametrize("change", EDITS.values(), ids=EDITS)
def test_edited_run_is_not_loaded(stored, change):
    with pytest.raises(CheckpointMismatchError):
        restore(change(stored), "store-under-test")


def test_run_copied_from_another_store_is_not_loaded(stored):
    with pytest.raises(CheckpointMismatchError, match="belongs to store store-under-test, not to elsewhere"):
        restore(stored, "elsewhere")
