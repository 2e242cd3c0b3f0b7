"""The world every protocol story starts in."""

import pytest

from tests.protocol_world import ProtocolWorld


@pytest.fixture
def world() -> ProtocolWorld:
    """Five organizations that have not said anything yet."""
    return ProtocolWorld()
