"""A private nats-server with JetStream for tests: Debian's binary, a fresh folder, loopback, ended by process id.

When the binary is missing and the tests run as root, it is installed with apt-get; otherwise the error says how
to get it.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOW_TO_GET_IT = "install Debian's nats-server package: apt-get install -y nats-server"
READY_SECONDS = 20.0


class NatsMissingError(RuntimeError):
    """No nats-server can be started here; the message says how to get one."""


@contextmanager
def nats_server() -> Iterator[str]:
    """Start a server on a free loopback port and yield its address; stop it afterwards."""
    program = _program()
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="trailforge-nats-") as folder:
        arguments = [program, "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", folder, "-l", f"{folder}/log"]
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_until_it_greets(port, process, Path(folder) / "log")
            yield f"nats://127.0.0.1:{port}"
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGTERM)
            process.wait(timeout=READY_SECONDS)


def _program() -> str:
    found = _find()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update"], check=False, capture_output=True)
        subprocess.run(["apt-get", "install", "-y", "nats-server"], check=False, capture_output=True, env=quiet)
        found = _find()
    if found is None:
        raise NatsMissingError(f"there is no nats-server program; {HOW_TO_GET_IT}")
    return found


def _find() -> str | None:
    return shutil.which("nats-server", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _wait_until_it_greets(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return once the server sends its INFO line."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                if connection.recv(4) == b"INFO":
                    return
        except OSError:
            time.sleep(0.02)
    said = log.read_text(errors="replace") if log.exists() else "nothing"
    raise NatsMissingError(f"nats-server did not come up on port {port}; it said: {said}")
