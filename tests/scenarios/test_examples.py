"""Every shipped example runs, and runs twice to the same bytes."""

from typing import Any

import pytest

from mast.protocol.mechanisms import LAYERS
from mast.scenario import examples, load_scenario, load_world
from mast.scenario.shipped import shipped_file


@pytest.mark.parametrize("layer", ["L0", "L4"])
@pytest.mark.parametrize("name", examples())
def test_an_example_runs_twice_to_the_same_digest(bench: Any, name: str, layer: str):
    assert layer in LAYERS
    runs = [bench.run(load_scenario(shipped_file("examples", name)), layer) for _ in range(2)]
    (first, score), (second, again) = runs
    assert first.digest == second.digest
    assert first.lines == second.lines
    assert score == again
    assert first.lines
    assert score.metrics.unknown_tasks == 0


@pytest.mark.parametrize("layer", LAYERS)
def test_a_world_without_a_fact_authority_ends_every_task(bench: Any, layer: str):
    """Only L4 asks one, and where there is none it refuses (reference, section 2.6: anything but CONFIRMED)."""
    _, score = bench.run(load_world("long_chain_fork", business="release"), layer)
    wanted = "REQUEST_EVIDENCE" if layer == "L4" else "COMPLETED"
    assert [task.result for task in score.tasks] == [wanted] * 4
