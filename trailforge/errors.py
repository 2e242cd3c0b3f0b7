"""Every error trailforge raises; each class says what was refused and what has not happened."""

from collections.abc import Sequence
from dataclasses import dataclass


class TrailforgeError(Exception):
    """Base of every error raised by trailforge on purpose."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a goal, and where."""

    field: str
    """Path of the field, as ``tasks[2].adapter``."""
    message: str
    """What is wrong there, with both values and the remedy."""

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


class AdmissionError(TrailforgeError, ValueError):
    """A goal was refused; no run was created and nothing was reserved.

    Attributes:
        problems: every problem found, in the order of the fields.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = "; ".join(str(problem) for problem in self.problems)
        count = len(self.problems)
        super().__init__(f"goal has {count} problem{'s' if count != 1 else ''}: {lines}")


class BindingChangedError(TrailforgeError):
    """A run was asked to go on with something other than what it was admitted with; nothing ran.

    Attributes:
        run_id: the run.
        field: path of the first field that differs.
        admitted: what the run was admitted with, shortened.
        offered: what was offered now, shortened.
    """

    def __init__(self, run_id: str, field: str, admitted: str, offered: str) -> None:
        super().__init__(
            f"run {run_id} was admitted with {field} {admitted}, now offered {offered}; "
            "resume with the admitted goal and adapters, or start another run"
        )
        self.run_id = run_id
        self.field = field
        self.admitted = admitted
        self.offered = offered


class ScopeError(TrailforgeError, PermissionError):
    """A host that acts for one tenant was asked to touch another tenant's work; nothing was read or changed."""

    def __init__(self, subject: str, tenant: str, allowed: str) -> None:
        super().__init__(f"{subject} belongs to tenant {tenant!r}, this host acts only for {allowed!r}")
        self.tenant = tenant
        self.allowed = allowed


class UnknownRunError(TrailforgeError, KeyError):
    """No run of that id is in this store; separate stores are separate authorities."""

    def __init__(self, run_id: str, store_id: str) -> None:
        super().__init__(f"run {run_id} is not in store {store_id}; start it, or open the store it was started in")
        self.run_id = run_id

    def __str__(self) -> str:
        return str(self.args[0])


class RunForgottenError(TrailforgeError):
    """The run was deleted and its id is retired; ids are never used again."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id} was deleted and its id is retired; choose another run id")
        self.run_id = run_id


class CommandRefusedError(TrailforgeError):
    """A command does not apply to the run as it stands; nothing changed.

    Attributes:
        run_id: the run.
        legal: the commands that do apply.
    """

    def __init__(self, run_id: str, problem: str, legal: Sequence[str] = ()) -> None:
        allowed = f"; legal now: {', '.join(legal)}" if legal else ""
        super().__init__(f"run {run_id} {problem}{allowed}")
        self.run_id = run_id
        self.legal = tuple(legal)


class TransitionError(TrailforgeError):
    """An event does not follow from the state it met; the state is unchanged."""


class LeaseHeldError(TrailforgeError):
    """Another holder's attempt is still within its lease; nothing ran here.

    Attributes:
        expires_at: when the lease ends, milliseconds since 1970 on the authority's clock.
    """

    def __init__(self, run_id: str, task_id: str, expires_at: int, now: int) -> None:
        super().__init__(
            f"run {run_id} task {task_id} is leased for another {expires_at - now} ms; "
            "wait for the lease to end, or fence it when its process is known to be dead"
        )
        self.run_id = run_id
        self.task_id = task_id
        self.expires_at = expires_at


class LeaseLostError(TrailforgeError):
    """The attempt's lease ended before its result arrived; the result was not recorded as a success.

    Attributes:
        epoch: epoch the attempt held.
    """

    def __init__(self, run_id: str, task_id: str, epoch: int, why: str) -> None:
        super().__init__(f"run {run_id} task {task_id} lost its lease of epoch {epoch}: {why}; its result is refused")
        self.run_id = run_id
        self.task_id = task_id
        self.epoch = epoch


class UnitsDeniedError(TrailforgeError):
    """The tenant's or the store's units do not cover the reservation; nothing was reserved.

    Attributes:
        scope: ``tenant`` or ``global``.
        limit: ``in_flight`` or ``total``.
        needed: units asked for.
        available: units left under that limit.
    """

    def __init__(self, *, run_id: str, scope: str, limit: str, needed: int, available: int) -> None:
        super().__init__(
            f"run {run_id} needs {needed} units, {available} are left under the {scope} {limit} cap; "
            "settle held attempts or wait for running ones"
        )
        self.run_id = run_id
        self.scope = scope
        self.limit = limit
        self.needed = needed
        self.available = available


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


class UsageError(TrailforgeError, ValueError):
    """A command line or a file it names cannot be used; nothing ran."""


class MissingExtraError(TrailforgeError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional dependency; install mast-simulator[{extra}]")
        self.extra = extra


# --- files, runner, profiles, publishing, review ---


class PathRefusedError(TrailforgeError, ValueError):
    """A path, or what it leads to, may not be used; nothing was read or written.

    Attributes:
        path: the path as it was given.
        problem: what is wrong with it.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"path {path!r} {problem}")
        self.path = path
        self.problem = problem


class PathListError(TrailforgeError, ValueError):
    """A list of paths was refused as a whole; every problem is in the message.

    Attributes:
        problems: one sentence each, in the order of the list.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class LinkedFileError(PathRefusedError):
    """A path leads over a link, or names a file that has another name too; nothing was read or written."""


class TooManyBytesError(TrailforgeError, ValueError):
    """Something is larger than its bound; none of it was kept.

    Attributes:
        subject: what is too large.
        actual: its size in bytes.
        limit: the bound in bytes.
    """

    def __init__(self, subject: str, *, actual: int, limit: int) -> None:
        super().__init__(f"{subject} has {actual} bytes, expected at most {limit}")
        self.subject = subject
        self.actual = actual
        self.limit = limit


class NotBytesError(TrailforgeError, TypeError):
    """Something else than bytes was to be kept; nothing was written."""


class BoundRefusedError(TrailforgeError, ValueError):
    """A bound is no number of bytes; nothing was opened."""


class TreeChangedError(TrailforgeError):
    """A tree differs from the one that was recorded; whatever relied on it was not accepted.

    Attributes:
        tree: which tree.
        paths: the paths that were added, changed or removed.
    """

    def __init__(self, tree: str, paths: Sequence[str], problem: str) -> None:
        super().__init__(f"{tree} {problem}: {', '.join(paths)}")
        self.tree = tree
        self.paths = tuple(paths)


class WriteEndedError(TrailforgeError):
    """An attempt that has ended tried to write a candidate; nothing was written.

    Attributes:
        path: the candidate.
    """

    def __init__(self, path: str) -> None:
        super().__init__(f"candidate {path!r} may not be written: the attempt that held the writer has ended")
        self.path = path


class WorkspaceBusyError(TrailforgeError):
    """Another holder has this directory open; nothing was read or written. Close that holder first."""

    def __init__(self, location: str) -> None:
        super().__init__(f"directory {location} is held by another workspace; close that one first")
        self.location = location


class ArtifactError(TrailforgeError):
    """An artifact cannot be kept or handed out; the store is as it was.

    Attributes:
        sha256: the digest the artifact is named by, 64 hex digits.
    """

    def __init__(self, sha256: str, problem: str) -> None:
        super().__init__(f"artifact {sha256[:12]}… {problem}")
        self.sha256 = sha256


class MissingArtifactError(ArtifactError, KeyError):
    """No artifact with this digest is kept in this scope."""

    def __str__(self) -> str:
        return str(self.args[0])


class CorruptArtifactError(ArtifactError):
    """The bytes on disk are not those the receipt names; they were not handed out."""


class RevisionChangedError(TrailforgeError):
    """The source is not at the revision it was asked for; nothing was returned.

    Attributes:
        expected: the revision that was asked for.
        actual: the revision that is there.
    """

    def __init__(self, subject: str, *, expected: str, actual: str) -> None:
        super().__init__(f"{subject} is at revision {actual}, expected {expected}")
        self.expected = expected
        self.actual = actual


class QueryRefusedError(TrailforgeError, ValueError):
    """A query cannot be answered as asked; nothing was searched."""


class IsolationUnavailableError(TrailforgeError):
    """The asked-for isolation is not to be had on this machine; the command was not started.

    Attributes:
        isolation: which one.
    """

    def __init__(self, isolation: str, problem: str, remedy: str) -> None:
        super().__init__(f"isolation {isolation} is unavailable: {problem}; {remedy}")
        self.isolation = isolation


class CommandError(TrailforgeError, ValueError):
    """A command cannot be run as described; it was not started."""


class PublicationError(TrailforgeError):
    """Base of what goes wrong at the publisher boundary."""


class IntentRefusedError(PublicationError, ValueError):
    """An intent is not well formed; nothing was stored.

    Attributes:
        problems: every problem found, in the order of the fields.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("intent is refused: " + "; ".join(str(problem) for problem in self.problems))


class GuardDeniedError(PublicationError, PermissionError):
    """The host's live guard did not allow an action; nothing was stored and nothing was sent.

    Attributes:
        action: what was asked for.
    """

    def __init__(self, action: str, intent: str, problem: str) -> None:
        super().__init__(f"{action} of intent {intent[:12]}… is denied: {problem}")
        self.action = action


class ApprovalRefusedError(PublicationError, PermissionError):
    """An approval does not cover what was asked; nothing was sent. Ask for a new approval.

    Attributes:
        approval: the approval that was shown.
    """

    def __init__(self, approval: str, problem: str) -> None:
        super().__init__(f"approval {approval[:12]}… {problem}; ask for a new approval of this very intent")
        self.approval = approval


class OperationRefusedError(PublicationError):
    """An operation is not in a state that allows this; nothing was sent."""


class OperationMovedError(AuthorityError):
    """An operation moved on since it was read; nothing was written. Observe it again.

    Attributes:
        operation: its id.
        expected: version the writer had read.
    """

    def __init__(self, operation: str, expected: int) -> None:
        super().__init__(f"operation {operation} is no longer at version {expected}; observe it again")
        self.operation = operation
        self.expected = expected


class OperationInDoubtError(PublicationError):
    """What became of an operation could not be stored; it is UNKNOWN, whatever was sent.

    Attributes:
        operation: its id, by which `reconcile` finds it.
    """

    def __init__(self, operation: str, problem: str) -> None:
        super().__init__(f"operation {operation} is in doubt: {problem}; reconcile it, never send it again")
        self.operation = operation


class CorruptOperationError(PublicationError):
    """A stored operation does not agree with its trail; it was not used and nothing was sent."""

    def __init__(self, operation: str, problem: str) -> None:
        super().__init__(f"operation {operation}: {problem}; restore the store from a copy")
        self.operation = operation


class HandoffRefusedError(TrailforgeError):
    """A candidate is not handed off: its run, its evidence or its trees do not support it; nothing changed."""


class ReviewRefusedError(TrailforgeError, ValueError):
    """A review cannot be made as described; nothing was read and nothing was stored.

    Attributes:
        problems: every problem found.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("review is refused: " + "; ".join(str(problem) for problem in self.problems))


class UnknownReviewError(TrailforgeError, KeyError):
    """No review of that id is in this store."""

    def __init__(self, review_id: str) -> None:
        super().__init__(f"review {review_id} is not in this store; run it first")
        self.review_id = review_id

    def __str__(self) -> str:
        return str(self.args[0])


class CorruptReviewError(TrailforgeError):
    """A stored review is not what was written; it was not used."""


class BrokerUnavailableError(TrailforgeError):
    """The broker did not get the message, and that is certain; sending it again is safe."""


class MessageRefusedError(TrailforgeError):
    """A message is not in a state that allows this; nothing was sent.

    Attributes:
        message_id: the message.
    """

    def __init__(self, message_id: str, problem: str) -> None:
        super().__init__(f"message {message_id} {problem}")
        self.message_id = message_id
