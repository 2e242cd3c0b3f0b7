"""The 48 cells of the freeze-scope benchmark: who is told, how much of it stops, and one late link."""

from typing import Any

import pytest

from mast.protocol.mechanisms import FREEZE_ARMS
from mast.scenario import load_world

TOPOLOGIES = ("long_chain_fork", "converge_then_fork", "reused_org_independent")
FAULT_CLAIMS = {"shared_upstream": "shared_A", "branch_middle": "branch_A_a"}


def world_of(topology: str, fault: str, timing: str, scope: str) -> Any:
    """Load a world in which the owner of the fault claim revokes at 10 and everybody acts at 20."""
    faults: list[dict[str, Any]] = [{"kind": "revoke", "claim": FAULT_CLAIMS[fault], "at": 10}]
    if timing == "late":
        parcels = ["notice", "revocation"]
        faults.append({"kind": "late_link", "delay": 20, "edge": f"{fault}/{scope}", "parcels": parcels})
    return load_world(topology, business="release", faults=faults)


@pytest.mark.parametrize("arm", FREEZE_ARMS)
@pytest.mark.parametrize("timing", ["on_time", "late"])
@pytest.mark.parametrize("fault", FAULT_CLAIMS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_cell_of_the_freeze_benchmark_is_as_published(
    bench: Any, expected: Any, topology: str, fault: str, timing: str, arm: str
):
    scope = arm.split("_")[0]
    _, result = bench.run(world_of(topology, fault, timing, scope), arm)
    metrics = result.metrics
    completed = sorted(task.task for task in result.tasks if task.result == "COMPLETED")
    measured = [
        metrics.unsafe_completions,
        metrics.affected_tasks,
        metrics.overfrozen_tasks,
        metrics.unrelated_tasks,
        completed,
    ]
    assert measured == expected["freeze"][f"{topology} {fault} {timing} {arm}"]
    routed, broadcast = expected["freeze_attempts"][topology][fault]
    assert metrics.notices == (routed if scope == "routed" else broadcast)


def test_the_freeze_benchmark_has_forty_eight_cells_and_its_published_sums(expected: Any):
    cells = expected["freeze"]
    assert len(cells) == 48
    late = {name: values for name, values in cells.items() if " late " in name}
    assert sum(values[0] for values in cells.values()) == sum(values[0] for values in late.values()) == 26
    assert sum(values[1] for values in late.values()) == 36
    assert sum(values[2] for name, values in cells.items() if "workload" in name) == 34
    assert sum(values[2] for name, values in cells.items() if "dependency" in name) == 0
