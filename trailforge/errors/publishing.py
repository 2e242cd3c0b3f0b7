"""What goes wrong at the publisher boundary, and what was not sent."""

from collections.abc import Sequence

from trailforge.errors.authority import AuthorityError
from trailforge.errors.root import Problem, TrailforgeError


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
