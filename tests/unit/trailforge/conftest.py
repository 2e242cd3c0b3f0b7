"""A store in memory, a clock that stands still, and hosts built on them."""

from collections.abc import Callable

import pytest

from tests.unit.trailforge.goals import verify_adapter, work_adapter
from trailforge.authority import Caps, SqliteAuthority
from trailforge.harness import Harness
from trustrail.foundation import FixedClock


@pytest.fixture
def clock():
    return FixedClock(1_000.0)


@pytest.fixture
def authority(clock):
    store = SqliteAuthority(clock=clock, store_id="store-under-test")
    yield store
    store.close()


@pytest.fixture
def make_harness(authority):
    def build(call: Callable | None = None, *, verdict: object = "PASS", version: str = "1", **options) -> Harness:
        work = work_adapter(version=version) if call is None else work_adapter(call, version)
        return Harness(options.pop("store", authority), (work, verify_adapter(verdict)), **options)

    return build


@pytest.fixture
def capped(clock):
    """Open a store in memory with caps."""
    opened = []

    def build(**caps: int) -> SqliteAuthority:
        opened.append(SqliteAuthority(clock=clock, caps=Caps(**caps), store_id="capped"))
        return opened[-1]

    yield build
    for store in opened:
        store.close()
