"""Two ways to open a store: every case of the contract runs on both."""

from collections.abc import Iterator
from itertools import count

import pytest

from trailforge.authority import Authority, Caps, SqliteAuthority
from trailforge.authority.postgres import PostgresAuthority
from trustrail.foundation import Clock

_schemas = count(1)


@pytest.fixture(params=["sqlite", "postgres"])
def open_store(request, tmp_path) -> Iterator:
    """Open one store of the named kind, as often as asked; all connections are closed afterwards."""
    opened: list[Authority] = []
    schema = f"contract_{next(_schemas)}"

    def open_one(*, caps: Caps | None = None, clock: Clock | None = None) -> Authority:
        if request.param == "sqlite":
            authority: Authority = SqliteAuthority(tmp_path / "runs.db", caps=caps, clock=clock)
        else:
            dsn = request.getfixturevalue("postgres_dsn")
            authority = PostgresAuthority(dsn, schema=schema, caps=caps, clock=clock)
        opened.append(authority)
        return authority

    yield open_one
    for authority in opened:
        authority.close()
