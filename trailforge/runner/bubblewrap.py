"""Isolation by bubblewrap (``bwrap(1)``): own user, process, network, IPC and host-name namespaces.

The command sees a read-only ``/usr``, an empty ``/tmp``, ``/candidate`` (its working directory) and
``/checks``, and no network. When the launched process dies, the kernel ends every process of its namespace,
also those that left the process group.
"""

import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

from trailforge.errors import IsolationUnavailableError
from trailforge.runner.command import FIXED_ENVIRONMENT, Command, Launch, Mounts, with_limits

_NAMESPACES: Final = (
    *("--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
    *("--hostname", "trailforge", "--uid", "65534", "--gid", "65534", "--clearenv"),
)
_SYSTEM: Final = (
    *("--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin"),
    *("--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"),
    *("--ro-bind-try", "/etc/alternatives", "/etc/alternatives"),
    *("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"),
    *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),  # noqa: S108 - the namespace's own
)
_PROBE_SECONDS: Final = 10.0


class Bubblewrap:
    """Runs a command in namespaces of its own.

    Attributes:
        read_only: further directories of the host shown read-only at their own place, such as an interpreter.
    """

    def __init__(self, *, read_only: tuple[Path, ...] = (), program: str = "bwrap") -> None:
        self.read_only = read_only
        self._program = program
        self._version: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the version and the namespaces in force; probes once whether they are permitted.

        Raises:
            IsolationUnavailableError: if bubblewrap is missing or may not make namespaces.
        """
        if self._version is None:
            self._version = bubblewrap_version(self._program)
        return {
            "isolation": "bubblewrap",
            "network": False,
            "options": [*_NAMESPACES, *_SYSTEM],
            "read_only": [str(path) for path in self.read_only],
            "version": self._version,
        }

    def launch(self, command: Command, mounts: Mounts) -> Launch:
        """Return the ``bwrap`` command line for *command*."""
        bind = "--bind" if mounts.candidate_writable else "--ro-bind"
        # Found in the host's PATH now, since the launched process gets an empty environment.
        program = shutil.which(self._program) or self._program
        arguments = [program, *_NAMESPACES, *_SYSTEM]
        for path in self.read_only:
            arguments += ["--ro-bind", str(path), str(path)]
        arguments += [bind, str(mounts.candidate), "/candidate"]
        if mounts.checks is not None:
            arguments += ["--ro-bind", str(mounts.checks), "/checks"]
        for name, value in (*FIXED_ENVIRONMENT, *command.environment):
            arguments += ["--setenv", name, value]
        arguments += ["--chdir", "/candidate", "--", *with_limits(command)]
        return Launch(arguments=tuple(arguments), environment=(), folder=Path("/"), label="bubblewrap")

    def clean_up(self, launch: Launch) -> bool:  # noqa: ARG002 - the kernel ended the namespace with the process
        """Return True: nothing outlives the namespaces."""
        return True


def bubblewrap_version(program: str = "bwrap") -> str:
    """Return what the bubblewrap *program* says it is, once it has made its namespaces.

    Raises:
        IsolationUnavailableError: if it is missing or may not make namespaces.
    """
    if shutil.which(program) is None:
        problem = f"there is no program {program!r}"
        raise IsolationUnavailableError("bubblewrap", problem, "install it: apt-get install bubblewrap")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    probe = subprocess.run(
        [program, *_NAMESPACES, *_SYSTEM, "--", "/usr/bin/true"],
        capture_output=True,
        text=True,
        check=False,
        timeout=_PROBE_SECONDS,
    )
    if probe.returncode != 0:
        remedy = "permit user namespaces: sysctl kernel.unprivileged_userns_clone=1"
        raise IsolationUnavailableError("bubblewrap", probe.stderr.strip() or "it failed", remedy)
    return version.stdout.strip()
