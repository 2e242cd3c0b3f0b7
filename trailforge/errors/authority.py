"""A store that refused a write, could not be opened, or does not agree with itself."""

from trailforge.errors.root import TrailforgeError


class AuthorityError(TrailforgeError):
    """Base of every refusal by a store."""


class ConflictError(AuthorityError):
    """The run moved on since it was read; nothing was written. Load it again and decide anew.

    Attributes:
        expected: state version the writer had read.
    """

    def __init__(self, run_id: str, expected: int) -> None:
        super().__init__(f"run {run_id} is no longer at version {expected}; load it again before writing")
        self.run_id = run_id
        self.expected = expected


class RunExistsError(AuthorityError):
    """A run of that id is already in the store; nothing was written."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id} is already in the store")
        self.run_id = run_id


class RunReservesError(AuthorityError):
    """A run whose attempt is under way or in doubt reserves units; it was not deleted."""

    def __init__(self, run_id: str, status: str) -> None:
        super().__init__(f"run {run_id} is {status} and reserves units; resolve or cancel it before deleting it")
        self.run_id = run_id


class AuthorityBusyError(AuthorityError):
    """The store stayed locked for the whole bounded wait; nothing was written, and trying again is safe."""


class WriteFailedError(AuthorityError):
    """The store refused a write and, read again, shows that it did not happen."""


class AuthorityUnavailableError(AuthorityError):
    """The store cannot be written or read, so whether the last write happened is unknown until it can be read."""


class CapsRefusedError(AuthorityError, ValueError):
    """A cap is not a number of units; no store was created or opened with it."""


class CapsChangedError(AuthorityError):
    """A store was opened with other caps than it was created with; the caps were not changed."""


class StoreRefusedError(AuthorityError):
    """A store was not opened: its place, its library, its schema or its contents cannot be trusted."""


class CorruptStoreError(AuthorityError):
    """Base: what is stored does not agree with itself; the run was not loaded and nothing was repaired."""

    def __init__(self, run_id: str, problem: str) -> None:
        super().__init__(f"run {run_id}: {problem}; restore the store from a copy, nothing was changed")
        self.run_id = run_id


class JournalForkError(CorruptStoreError):
    """Two journal rows continue from the same one."""


class JournalGapError(CorruptStoreError):
    """A journal row is missing between two others."""


class JournalTruncatedError(CorruptStoreError):
    """The journal ends before the checkpoint does."""


class JournalEditedError(CorruptStoreError):
    """A journal row, or a row after the end the checkpoint names, is not what was written."""


class CheckpointMismatchError(CorruptStoreError):
    """The checkpoint, its checksum, the plan or a receipt does not agree with the journal."""
