"""A private PostgreSQL server for tests: Debian's binaries, a fresh cluster, loopback only, ended by process id.

It never touches the machine's own cluster. When the binaries are missing and the tests run as root, they are
installed with apt-get; otherwise the error says how to get them.
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

HOW_TO_GET_IT = "install Debian's postgresql package: apt-get install -y postgresql"
USER = "trailforge"


class PostgresMissingError(RuntimeError):
    """No PostgreSQL server can be started here; the message says how to get one."""


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start a server on a free loopback port and yield its connection string; stop it afterwards."""
    binaries = _binaries()
    # Not below pytest's tmp_path: the server's own account must be able to search every parent.
    place = Path(tempfile.mkdtemp(prefix="trailforge-pg-", dir="/var/tmp"))
    account = _server_account(place)
    port = _free_port()
    try:
        _run([*account, str(binaries / "initdb"), "-D", str(place / "data"), "-U", USER, "-A", "trust"])
        options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={place}"
        start = [str(binaries / "pg_ctl"), "-D", str(place / "data"), "-w", "-t", "30", "-l", str(place / "log")]
        _run([*account, *start, "-o", options, "start"])
        try:
            yield f"host=127.0.0.1 port={port} user={USER} dbname=postgres"
        finally:
            _stop(place / "data" / "postmaster.pid")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _binaries() -> Path:
    found = _newest()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update"], check=False, capture_output=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "install", "-y", "postgresql"], check=False, capture_output=True, env=quiet)
        found = _newest()
    if found is None:
        raise PostgresMissingError(f"no /usr/lib/postgresql/*/bin/initdb; {HOW_TO_GET_IT}")
    return found


def _newest() -> Path | None:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    return places[-1].parent if places else None


def _server_account(place: Path) -> list[str]:
    """PostgreSQL refuses to run as root: hand the folder to Debian's postgres account and run as that."""
    if os.geteuid() != 0:
        return []
    shutil.chown(place, "postgres", "postgres")
    return ["runuser", "-u", "postgres", "--"]


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _run(command: list[str]) -> None:
    # No pipes: the started server would keep them open after pg_ctl has ended.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(command, stdout=output, stderr=output, check=False, cwd="/")
        if done.returncode != 0:
            output.seek(0)
            raise PostgresMissingError(f"{' '.join(command)}: {output.read().decode(errors='replace')}")


def _stop(pid_file: Path) -> None:
    """Ask for a fast shutdown and wait until the server has removed its pid file."""
    os.kill(int(pid_file.read_text().splitlines()[0]), signal.SIGINT)
    deadline = time.monotonic() + 30
    while pid_file.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
