"""pytest-benchmark timings of the parts: ``python -m pytest benchmarks``. They time; `python -m benchmarks` judges."""

import pytest

from benchmarks import claim_graph, message_rate
from mast.experiments.scoring import score
from mast.protocol.graph import ClaimGraph
from mast.protocol.mechanisms import LAYERS
from mast.runtime import run_world
from mast.scenario import load_world
from trustrail.foundation import SigningKey, VerifyMode


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("verify", [VerifyMode.ALWAYS, VerifyMode.MAC])
def test_one_run(benchmark, layer, verify):
    world = load_world("converge_then_fork", "intermediate_retraction")
    record = benchmark(run_world, world, LAYERS[layer], run_id="bench", verify=verify)
    assert record.lines


def test_scoring_one_run(benchmark):
    world = load_world("converge_then_fork", "intermediate_retraction")
    record = run_world(world, LAYERS["L4"], run_id="bench")
    result = benchmark(score, world, record.lines, signatures=0, verifications=0)
    assert result.metrics.unsafe_completions == 0


@pytest.mark.parametrize("runtime", ["virtual", "threads"])
def test_one_run_in_each_runtime(benchmark, runtime):
    world = load_world("long_chain_fork", "confirmed_repair")
    assert benchmark(run_world, world, LAYERS["L4"], run_id="bench", runtime=runtime).lines


def test_messages_of_the_virtual_runtime(benchmark):
    assert benchmark.pedantic(message_rate.virtual_rate, args=(50_000,), rounds=5) > 0


def test_withdrawing_from_ten_thousand_claims(benchmark):
    def fresh() -> tuple[tuple[ClaimGraph[int]], dict[str, int]]:
        return (claim_graph.build(10_000),), {}

    assert benchmark.pedantic(lambda graph: graph.withdraw(0), setup=fresh, rounds=5)


def test_a_diamond_ladder(benchmark):
    benchmark(claim_graph.diamond_ladder)


@pytest.mark.parametrize("size", [200, 1000])
def test_signing_and_verifying(benchmark, size):
    key, message = SigningKey.derive("bench"), b"m" * size
    benchmark(lambda: key.public.verify(message, key.sign(message)))
