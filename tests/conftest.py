"""Fixtures every folder may use: the one private PostgreSQL server of a test session."""

from collections.abc import Iterator

import pytest

from tests.postgres_server import postgres_server


@pytest.fixture(scope="session")
def postgres_dsn() -> Iterator[str]:
    """Connection string of a PostgreSQL server that lives as long as the session."""
    with postgres_server() as dsn:
        yield dsn
