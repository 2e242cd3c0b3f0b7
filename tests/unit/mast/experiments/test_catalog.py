"""The published plans have the published sizes (behaviour reference 3.4, 3.5 and 5.1)."""

from collections import Counter

from mast.experiments.catalog import fixture_plan, freeze_plan, layered_plan
from mast.experiments.plan import Plan


def layers_of(plan: Plan) -> Counter[str]:
    return Counter(run.layer for run in plan.runs)


def test_the_layered_matrix_has_30_worlds_per_layer() -> None:
    assert layers_of(layered_plan()) == dict.fromkeys(("L0", "L1", "L2", "L3", "L4"), 30)


def test_the_planned_tasks_of_a_layer_are_120_and_48_of_them_affected() -> None:
    runs = [run for run in layered_plan().runs if run.layer == "L4"]

    assert sum(run.total_tasks for run in runs) == 120
    assert sum(run.affected_tasks for run in runs) == 48


def test_ablations_are_20_per_topology() -> None:
    counts = layers_of(layered_plan(ablations=True))

    # per topology: 3 cases without push, 4 without facts, 1 without recovery, 2 coarse, all 10 with verify_all
    assert {arm: counts[arm] for arm in counts if len(arm) > 2} == {
        "L4_no_push": 9,
        "L4_no_fact": 12,
        "L4_no_recovery": 3,
        "L3_coarse": 6,
        "verify_all": 30,
    }
    assert sum(counts.values()) == 210


def test_seeds_repeat_the_matrix() -> None:
    assert Counter(run.seed for run in layered_plan(seeds=(0, 1, 2)).runs) == {0: 150, 1: 150, 2: 150}


def test_fixtures_are_300_main_runs_and_50_ablations() -> None:
    counts = layers_of(fixture_plan())

    assert sum(counts[layer] for layer in ("L0", "L1", "L2", "L3", "L4")) == 300
    assert sum(counts.values()) == 350


def test_fixtures_plan_240_tasks_a_layer_of_which_96_are_affected() -> None:
    runs = [run for run in fixture_plan().runs if run.layer == "L2"]

    assert sum(run.total_tasks for run in runs) == 240
    assert sum(run.affected_tasks for run in runs) == 96


def test_fixture_seeds_are_1000_and_the_number_of_the_variant() -> None:
    assert {(run.business, run.seed) for run in fixture_plan().runs} == {("invoice_cny", 1000), ("invoice_usd", 1001)}


def test_repeated_fixtures_have_other_seeds() -> None:
    assert {run.seed for run in fixture_plan(repeats=2).runs} == {1000, 1001, 1002, 1003}


def test_fixture_ablations_are_of_the_first_topology_and_variant() -> None:
    ablated = [run for run in fixture_plan().runs if len(run.layer) > 2]

    assert {(run.topology, run.business) for run in ablated} == {("long_chain_fork", "invoice_cny")}
    assert Counter(run.layer for run in ablated) == dict.fromkeys(
        ("L4_no_push", "L4_no_fact", "L4_no_recovery", "L3_coarse", "verify_all"), 10
    )


def test_the_freeze_plan_crosses_four_factors() -> None:
    plan = freeze_plan()

    assert len(plan.runs) == 48
    assert len({(run.topology, run.case, run.layer) for run in plan.runs}) == 48
    assert sum(run.affected_tasks for run in plan.runs) == 72  # 36 on time and 36 late
