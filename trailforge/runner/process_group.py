"""No isolation but a process group, a clean environment and resource limits: for trusted commands only.

The command sees the whole machine with the rights of the host, and a process that starts a session of its own
escapes the kill. The receipt says so; use bubblewrap or Docker for anything else.
"""

from pathlib import Path
from typing import Any

from trailforge.errors import IsolationUnavailableError
from trailforge.runner.command import FIXED_ENVIRONMENT, Command, Launch, Mounts, with_limits


class ProcessGroup:
    """Runs a trusted command directly on the host, in the candidate's directory."""

    def record(self) -> dict[str, Any]:
        """Return that nothing but a process group and limits is in force.

        Raises:
            IsolationUnavailableError: if ``prlimit`` is missing.
        """
        if not Path("/usr/bin/prlimit").exists():
            remedy = "install it: apt-get install util-linux"
            raise IsolationUnavailableError("process-group", "there is no /usr/bin/prlimit", remedy)
        return {"isolation": "process-group", "network": True, "trusted_commands_only": True}

    def launch(self, command: Command, mounts: Mounts) -> Launch:
        """Return *command* behind its resource limits; the checks are named by ``TRAILFORGE_CHECKS``."""
        checks = (("TRAILFORGE_CHECKS", str(mounts.checks)),) if mounts.checks is not None else ()
        return Launch(
            arguments=with_limits(command),
            environment=(*FIXED_ENVIRONMENT, *checks, *command.environment),
            folder=mounts.candidate,
            label="process-group",
        )

    def clean_up(self, launch: Launch) -> bool:  # noqa: ARG002 - the killed group is all there was
        """Return True: there is nothing but the process group."""
        return True
