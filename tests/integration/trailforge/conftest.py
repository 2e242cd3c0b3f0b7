"""What several integration tests of trailforge need: bubblewrap, installed from Debian when it is missing."""

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.nats_server import nats_server
from trailforge.errors import IsolationUnavailableError
from trailforge.runner import Bubblewrap


@pytest.fixture(scope="session")
def boxed() -> Bubblewrap:
    """Bubblewrap; where namespaces are forbidden its own typed refusal, with the remedy, is the reason to skip."""
    if shutil.which("bwrap") is None and shutil.which("apt-get") is not None:
        subprocess.run(["apt-get", "install", "-y", "-q", "bubblewrap"], capture_output=True, check=False)
    if shutil.which("bwrap") is None:
        pytest.fail("bubblewrap is not installed; install it: apt-get install bubblewrap")
    isolation = Bubblewrap()
    try:
        isolation.record()
    except IsolationUnavailableError as error:
        pytest.skip(str(error))
    return isolation


@pytest.fixture(scope="session")
def nats_url() -> Iterator[str]:
    """Address of a nats-server with JetStream that lives as long as the session."""
    with nats_server() as url:
        yield url
