"""Isolation by a Docker engine: a container without network, capabilities or a writable root.

The image is named by its digest, since a tag may mean another image tomorrow. Killing the client does not
stop a container, so `clean_up` removes it by the name it was given.
"""

import os
import re
import secrets
import subprocess
from pathlib import Path
from typing import Any, Final

from trailforge.errors import CommandError, IsolationUnavailableError
from trailforge.errors.showing import shown
from trailforge.runner.command import FIXED_ENVIRONMENT, Command, Launch, Mounts

_IMAGE: Final = re.compile(r"[a-z0-9][a-z0-9._/:-]*@sha256:[0-9a-f]{64}")
_OPTIONS: Final = (
    *("--rm", "--network", "none", "--read-only", "--cap-drop", "ALL", "--pids-limit", "256"),
    *("--security-opt", "no-new-privileges", "--user", "65534:65534", "--tmpfs", "/tmp"),  # noqa: S108
)
_CLIENT_SECONDS: Final = 30.0

_CLIENT_VARIABLES: Final = ("DOCKER_CERT_PATH", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_HOST", "HOME", "PATH")
"""What the client finds its engine by; the container sees none of it."""


class Docker:
    """Runs a command in a container of one image.

    Attributes:
        image: the image with its digest, as ``name@sha256:…``.
    """

    def __init__(self, image: str, *, program: str = "docker") -> None:
        if type(image) is not str or not _IMAGE.fullmatch(image):
            raise CommandError(f"image {shown(image, 120)} has no digest, expected name@sha256:… with 64 hex digits")
        self.image = image
        self._program = program
        self._version: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the image and the engine in force; asks the engine once.

        Raises:
            IsolationUnavailableError: if no engine answers.
        """
        if self._version is None:
            self._version = docker_version(self._program)
        return {
            "image": self.image,
            "isolation": "docker",
            "network": False,
            "options": list(_OPTIONS),
            "version": self._version,
        }

    def launch(self, command: Command, mounts: Mounts) -> Launch:
        """Return the ``docker run`` command line for *command*."""
        name = f"trailforge-{secrets.token_hex(8)}"
        mode = "rw" if mounts.candidate_writable else "ro"
        arguments = [self._program, "run", "--name", name, *_OPTIONS]
        arguments += ["--memory", str(command.max_memory_bytes), "--ulimit", "core=0"]
        arguments += ["--ulimit", f"fsize={command.max_file_bytes}"]
        arguments += ["--volume", f"{mounts.candidate}:/candidate:{mode}", "--workdir", "/candidate"]
        if mounts.checks is not None:
            arguments += ["--volume", f"{mounts.checks}:/checks:ro"]
        for variable, value in (*FIXED_ENVIRONMENT, *command.environment):
            arguments += ["--env", f"{variable}={value}"]
        arguments += ["--entrypoint", command.arguments[0], self.image, *command.arguments[1:]]
        environment = tuple((name, os.environ[name]) for name in _CLIENT_VARIABLES if name in os.environ)
        return Launch(arguments=tuple(arguments), environment=environment, folder=Path("/"), label=name)

    def clean_up(self, launch: Launch) -> bool:
        """Remove the container of *launch*; return whether it is gone."""
        try:
            removal = subprocess.run(
                [self._program, "rm", "--force", "--volumes", launch.label],
                capture_output=True,
                text=True,
                check=False,
                timeout=_CLIENT_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return removal.returncode == 0 or "No such container" in removal.stderr


def docker_version(program: str = "docker") -> str:
    """Return the version of the Docker engine that *program* reaches.

    Raises:
        IsolationUnavailableError: if no engine answers.
    """
    question = [program, "version", "--format", "{{.Server.Version}}"]
    remedy = "start a Docker engine, or use the bubblewrap isolation"
    try:
        answer = subprocess.run(question, capture_output=True, text=True, check=False, timeout=_CLIENT_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise IsolationUnavailableError("docker", str(error), remedy) from error
    if answer.returncode != 0 or not answer.stdout.strip():
        raise IsolationUnavailableError("docker", answer.stderr.strip() or "no engine answers", remedy)
    return answer.stdout.strip()
