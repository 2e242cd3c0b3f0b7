"""Every example scenario runs, twice to the same digest, and ends as reasoning says it must.

The expected numbers follow from what each layer can know, not from a run:

- L0 and L1 ask nobody, so whatever is wrong when a task is due is acted upon.
- L2 asks the issuers of roots: it sees a revoked root, and no revoked derived claim.
- L3 asks about everything an action rests on: it sees every revocation, and no signed wrong amount.
- L4 also asks the fact authority, and repairs what its issuer corrects.
"""

import pytest

from mast.experiments.scoring import score
from mast.protocol.mechanisms import LAYERS
from mast.runtime.engine import run_world
from mast.scenario import examples, load_scenario
from mast.scenario.shipped import shipped_file
from trustrail.foundation import VerifyMode

# Unsafe tasks at L0 to L4, correct completions at L4.
EXPECTED = {
    # The freight charge is a root of its own, so asking about roots is enough; the one task then stops.
    "charge_components": ((1, 1, 0, 0, 0), 0),
    # The middle join is derived; the one task rests on it.
    "diamond_ladder": ((1, 1, 1, 0, 0), 0),
    # One of the thirty tasks rests on the revoked claim, which is derived.
    "layered_world": ((1, 1, 1, 0, 0), 29),
    # A_a and A_b have a signed wrong amount, C_b a revoked derived claim; A is repaired, C_a was never wrong.
    "several_faults": ((3, 3, 3, 2, 0), 3),
    # The hub's claim is derived, and all twelve spokes rest on it; two of them learn of it too late from notices.
    "star": ((12, 12, 12, 0, 0), 0),
}


def test_every_example_has_an_expectation() -> None:
    assert set(EXPECTED) == set(examples())


@pytest.mark.parametrize("name", EXPECTED)
def test_example_ends_as_each_layer_must(name: str) -> None:
    world = load_scenario(shipped_file("examples", name))
    results = []
    for layer in LAYERS.values():
        record = run_world(world, layer, run_id=name, verify=VerifyMode.MAC)
        scored = score(world, record.lines, signatures=record.signatures, verifications=record.verifications)
        results.append(scored.metrics)

    unsafe, correct = EXPECTED[name]
    assert tuple(metrics.unsafe_completions for metrics in results) == unsafe
    assert results[-1].correct_completions == correct
    assert all(metrics.overfrozen_tasks == 0 for metrics in results)


@pytest.mark.parametrize("name", EXPECTED)
def test_example_runs_twice_to_the_same_digest(name: str) -> None:
    """The second run is of a world loaded anew, so a tap's count of the first run cannot help it."""
    digests = {
        run_world(
            load_scenario(shipped_file("examples", name)), LAYERS["L4"], run_id=name, verify=VerifyMode.MAC
        ).digest
        for _ in range(2)
    }
    world = load_scenario(shipped_file("examples", name))
    digests |= {run_world(world, LAYERS["L4"], run_id=name, verify=VerifyMode.MAC).digest for _ in range(2)}

    assert len(digests) == 1
