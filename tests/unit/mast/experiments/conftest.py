"""A small plan that takes a few milliseconds per run."""

import pytest

from mast.experiments.plan import Plan, WorldSource, planned_run
from mast.protocol.mechanisms import LAYERS
from trustrail.foundation import VerifyMode


@pytest.fixture
def plan() -> Plan:
    """Two worlds at two layers, with keyed hashes in place of signatures."""
    runs = tuple(
        planned_run(WorldSource(topology="long_chain_fork", case=case), layer, LAYERS[layer], 0)
        for case in ("active", "branch_retraction")
        for layer in ("L0", "L1")
    )
    return Plan("four", runs, VerifyMode.MAC)
