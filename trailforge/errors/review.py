"""Reviews and their messages: what was not read, not stored or not sent."""

from collections.abc import Sequence

from trailforge.errors.root import Problem, TrailforgeError


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
