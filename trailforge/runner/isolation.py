"""The port of every isolation: it says what it is, turns a command into a launch, and cleans up after it."""

from typing import Any, Protocol

from trailforge.runner.command import Command, Launch, Mounts


class Isolation(Protocol):
    """One way to keep a command from the rest of the machine."""

    def record(self) -> dict[str, Any]:
        """Return what is in force, as a JSON object: it becomes part of the receipt.

        Raises:
            IsolationUnavailableError: if it cannot be had on this machine; the message names the remedy.
        """
        ...

    def launch(self, command: Command, mounts: Mounts) -> Launch:
        """Return what to start so that *command* runs isolated and sees only *mounts*."""
        ...

    def clean_up(self, launch: Launch) -> bool:
        """Remove what is left of *launch* after its process group was killed; return whether nothing is."""
        ...
