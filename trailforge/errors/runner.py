"""Commands that were not started."""

from trailforge.errors.root import TrailforgeError


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
