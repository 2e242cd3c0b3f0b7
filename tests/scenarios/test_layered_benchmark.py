"""The 150 cells of the layered benchmark, its costs, its spread, and its ablations."""

from typing import Any

import pytest

from mast.protocol.mechanisms import LAYERS

TOPOLOGIES = ("long_chain_fork", "converge_then_fork", "reused_org_independent")
CASES = (
    "active",
    "tampered_handoff",
    "root_retraction",
    "intermediate_retraction",
    "branch_retraction",
    "late_notice",
    "signed_false",
    "conflicting_sources",
    "confirmed_repair",
    "authority_unknown",
)
METRICS = {
    "unsafe": "unsafe_completions",
    "affected": "affected_tasks",
    "correct": "correct_completions",
    "unrelated": "unrelated_tasks",
    "unrelated_completed": "unrelated_completions",
    "overfrozen": "overfrozen_tasks",
    "recovered": "recovered_tasks",
    "propagated_handoffs": "propagated_handoffs",
}


def test_the_benchmark_has_a_hundred_and_fifty_cells(expected: Any):
    cells = [cell for topology in expected["layered"].values() for case in topology.values() for cell in case]
    assert len(cells) == len(TOPOLOGIES) * len(CASES) * len(LAYERS) == 150
    assert expected["layers"] == list(LAYERS)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_cell_is_as_published_on_every_layer(bench: Any, expected: Any, topology: str, case: str):
    for layer, values in zip(LAYERS, expected["layered"][topology][case], strict=True):
        metrics = bench.cell(topology, case, layer).metrics
        measured = {column: getattr(metrics, METRICS[column]) for column in expected["columns"]}
        assert measured == dict(zip(expected["columns"], values, strict=True)), layer


@pytest.mark.parametrize("layer", LAYERS)
def test_the_sums_of_a_layer_are_as_published(bench: Any, expected: Any, layer: str):
    for column, total in expected["totals"][layer].items():
        measured = sum(
            getattr(bench.cell(topology, case, layer).metrics, METRICS[column])
            for topology in TOPOLOGIES
            for case in CASES
        )
        assert measured == total, column


@pytest.mark.parametrize("case", CASES)
def test_what_spreads_reaches_as_many_organizations_and_hops_as_published(bench: Any, expected: Any, case: str):
    for layer, by_topology in zip(LAYERS, expected["spread"][case], strict=True):
        for topology, values in zip(TOPOLOGIES, by_topology, strict=True):
            metrics = bench.cell(topology, case, layer).metrics
            measured = [getattr(metrics, column) for column in expected["spread_columns"]]
            assert measured == values, (topology, layer)


@pytest.mark.parametrize("layer", ["L2", "L3", "L4"])
def test_healthy_runs_ask_for_as_many_statuses_as_published(bench: Any, expected: Any, layer: str):
    measured = [bench.cell(topology, "active", layer).metrics.status_queries for topology in TOPOLOGIES]
    assert measured == expected["costs"]["active status queries"][layer]


@pytest.mark.parametrize("case", CASES)
def test_the_authority_is_asked_as_often_as_published(bench: Any, expected: Any, case: str):
    measured = [bench.cell(topology, case, "L4").metrics.fact_queries for topology in TOPOLOGIES]
    assert measured == expected["costs"]["L4 fact queries"][case]


@pytest.mark.parametrize("case", CASES)
def test_as_many_notices_are_sent_as_published(bench: Any, expected: Any, case: str):
    measured = [bench.cell(topology, case, "L4").metrics.notices for topology in TOPOLOGIES]
    assert measured == expected["costs"]["L4 notices"][case]


@pytest.mark.parametrize("case", CASES)
def test_layers_without_queries_or_notices_send_none(bench: Any, case: str):
    for topology in TOPOLOGIES:
        for layer in ("L0", "L1"):
            metrics = bench.cell(topology, case, layer).metrics
            assert (metrics.status_queries, metrics.fact_queries, metrics.notices) == (0, 0, 0)
        for layer in ("L2", "L3"):
            metrics = bench.cell(topology, case, layer).metrics
            assert (metrics.fact_queries, metrics.notices) == (0, 0)


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_tampered_claim_is_refused_when_seeding_and_when_forwarding(bench: Any, topology: str):
    for layer in ("L1", "L2", "L3", "L4"):
        assert bench.cell(topology, "tampered_handoff", layer).metrics.refusals == 2


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_notices_are_much_smaller_than_those_that_carried_whole_handoffs(bench: Any, topology: str):
    """Published: 7,037 / 9,637 / 4,088 bytes for the one notice of a branch retraction; ours stay below 1,000."""
    for case in ("root_retraction", "intermediate_retraction", "branch_retraction", "late_notice"):
        metrics = bench.cell(topology, case, "L4").metrics
        assert metrics.notices < metrics.notice_bytes < 1_000 * metrics.notices


# --- ablations -------------------------------------------------------------------------------------------------


def unsafe(bench: Any, case: str, name: str) -> list[int]:
    return [bench.cell(topology, case, name).metrics.unsafe_completions for topology in TOPOLOGIES]


@pytest.mark.parametrize("case", CASES)
def test_verifying_everything_behaves_like_the_closure_layer(bench: Any, case: str):
    for topology in TOPOLOGIES:
        all_, closure = (bench.cell(topology, case, name).metrics for name in ("verify_all", "L3"))
        for column in METRICS.values():
            assert getattr(all_, column) == getattr(closure, column), column


@pytest.mark.parametrize("case", ["active", "late_notice", "intermediate_retraction"])
def test_without_push_nothing_is_noticed_and_nothing_becomes_unsafe(bench: Any, case: str):
    for topology in TOPOLOGIES:
        without, full = (bench.cell(topology, case, name).metrics for name in ("L4_no_push", "L4"))
        assert without.notices == 0
        assert (without.unsafe_completions, without.correct_completions) == (0, full.correct_completions)


@pytest.mark.parametrize("case", ["signed_false", "conflicting_sources", "confirmed_repair", "authority_unknown"])
def test_without_facts_a_wrong_amount_is_acted_on_as_without_the_authority(bench: Any, case: str):
    """Both tasks of order A are unsafe, as at L3; a repair is then published without confirmation."""
    assert unsafe(bench, case, "L4_no_fact") == unsafe(bench, case, "L3") == [2, 2, 2]


def test_without_recovery_the_correction_is_published_again_and_completes_as_safely(bench: Any):
    for topology in TOPOLOGIES:
        metrics = bench.cell(topology, "confirmed_repair", "L4_no_recovery").metrics
        assert (metrics.recovered_tasks, metrics.correct_completions, metrics.unsafe_completions) == (2, 4, 0)


@pytest.mark.parametrize(
    ("case", "frozen", "unrelated"), [("intermediate_retraction", 2, 2), ("branch_retraction", 1, 3)]
)
def test_a_coarse_freeze_stops_whoever_has_learned_of_the_retraction(
    bench: Any, case: str, frozen: int, unrelated: int
):
    """Each receiver acts on order A first and learns of a retraction above its own claim by asking.

    Upstream that is both receivers, so both tasks of order C freeze; on branch a it is receiver_a alone, so C_a does.
    """
    metrics = bench.cell("long_chain_fork", case, "L3_coarse").metrics
    assert (metrics.overfrozen_tasks, metrics.unrelated_tasks) == (frozen, unrelated)
    assert metrics.unsafe_completions == 0
