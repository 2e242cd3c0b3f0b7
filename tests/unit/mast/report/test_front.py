"""The front door: one run, and plans of many."""

import subprocess
import sys
from pathlib import Path

import pytest

import mast
from mast.errors import MechanismsError, PlanError, ScenarioError
from mast.experiments.study import carry_out
from mast.scenario import FAULTS, load_world

TEA = """\
schema_version: mast.scenario.v0.1
kind: scenario
description: A shop buys tea.
topology:
  organizations: [supplier, shop]
  claims:
    price: {issuer: supplier, order: tea}
  routes:
    - {sender: supplier, recipient: shop, claims: [price]}
  tasks:
    buy: {owner: shop, claim: price, branch: shop}
business: release
"""
REVOKE = {"kind": "revoke", "claim": "shared_A", "at": 10}


@pytest.fixture
def tea(tmp_path: Path) -> Path:
    path = tmp_path / "tea.yaml"
    path.write_text(TEA.replace("supplier", "source"))
    return path


def test_the_public_names_are_sorted_and_exist() -> None:
    assert list(mast.__all__) == sorted(mast.__all__)
    assert all(getattr(mast, name) is not None for name in mast.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'mast' has no attribute 'runn'"):
        mast.runn  # noqa: B018


def test_a_revoked_claim_completes_two_tasks_unsafely_without_a_protocol_and_none_with_all_of_it() -> None:
    bare = mast.run("long_chain_fork", fault="intermediate_retraction", layer="L0")
    full = mast.run("long_chain_fork", fault="intermediate_retraction", layer="L4")

    assert (bare.metrics.unsafe_completions, full.metrics.unsafe_completions) == (2, 0)


def test_a_run_and_a_study_give_the_same_digest() -> None:
    single = mast.run("converge_then_fork", fault="late_notice", layer="L3", seed=2, verify="mac")
    planned = mast.study("converge_then_fork", ["late_notice"], ["L3"], seeds=[2], verify="mac")

    assert carry_out(planned.plan).runs == [single.row()]


def test_a_run_is_named_after_what_was_run() -> None:
    assert mast.run("long_chain_fork", layer="L1", seed=3, verify="mac").name == "long_chain_fork/active/default/L1/3"


@pytest.mark.parametrize(
    "fault",
    [REVOKE, [REVOKE], FAULTS["revoke"].model_validate(REVOKE), [FAULTS["revoke"].model_validate(REVOKE)]],
    ids=["mapping", "mappings", "fault", "faults"],
)
def test_a_fault_may_be_given_as(fault: object) -> None:
    given = mast.run("long_chain_fork", fault=fault, layer="L0", verify="mac")
    case = mast.run("long_chain_fork", fault="intermediate_retraction", layer="L0", verify="mac")

    assert given.metrics == case.metrics


def test_any_mechanisms_are_a_layer_and_known_ones_keep_their_name() -> None:
    faults = mast.Mechanisms(notices="broadcast", risk_threshold=2)

    assert mast.run("long_chain_fork", layer=faults, verify="mac").name.split("/")[3] == (
        "risk_threshold=2,notices=broadcast"
    )
    assert mast.run("long_chain_fork", layer=mast.LAYERS["L2"], verify="mac").name.split("/")[3] == "L2"


def test_a_scenario_file_is_run_by_its_path(tea: Path) -> None:
    assert mast.run(tea, layer="L0").metrics.correct_completions == 1
    assert mast.run(str(tea), layer="L0").digest == mast.run(tea, layer="L0").digest


def test_a_world_is_run_as_it_is() -> None:
    world = load_world("long_chain_fork", "late_notice")

    assert mast.run(world, layer="L1").digest == mast.run("long_chain_fork", fault="late_notice", layer="L1").digest


def test_faults_are_added_to_those_of_a_file(tea: Path) -> None:
    result = mast.run(tea, fault={"kind": "revoke", "claim": "price", "at": 5}, layer="L0")

    assert (result.metrics.unsafe_completions, result.metrics.correct_completions) == (1, 0)
    assert result.name.split("/")[1] == "tea+revoke"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"topology": "long_chain"}, "did you mean 'long_chain_fork'"),
        ({"topology": "long_chain_fork", "fault": "actve"}, "did you mean 'active'"),
        ({"topology": "long_chain_fork", "business": "invoice_us"}, "did you mean 'invoice_usd'"),
        ({"topology": "long_chain_fork", "runtime": "vitual"}, "did you mean 'virtual'"),
        ({"topology": "long_chain_fork", "verify": "cashed"}, "did you mean 'cached'"),
        ({"topology": "long_chain_fork", "fault": {"kind": "revok"}}, "did you mean 'revoke'"),
        ({"topology": "long_chain_fork", "fault": [3]}, "a fault is 3, expected a fault or a mapping"),
        ({"topology": "long_chain_fork", "fault": {**REVOKE, "at": float("nan")}}, "nan, expected a finite number"),
        ({"topology": "nowhere.yaml"}, "nowhere.yaml: cannot be read"),
        ({"topology": "nowhere.yaml", "fault": "active"}, "says itself what case 'active' would"),
        ({"topology": "nowhere.yaml", "business": "release"}, "says itself what business 'release' would"),
    ],
)
def test_a_wrong_name_is_refused_with_the_nearest(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        mast.run(**arguments)


def test_a_world_takes_no_further_fault() -> None:
    with pytest.raises(ScenarioError, match=r"use mast\.scenario\.with_faults"):
        mast.run(load_world("long_chain_fork"), fault="active")


def test_an_unknown_layer_is_refused() -> None:
    with pytest.raises(MechanismsError, match="'L9'"):
        mast.study(layers=["L9"])


def test_something_else_is_no_layer() -> None:
    with pytest.raises(MechanismsError, match="a layer is 3, expected a name or mechanisms"):
        mast.run("long_chain_fork", layer=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 1.5, True, "0"])
def test_a_seed_is_a_whole_number_from_0_on(seed: object) -> None:
    with pytest.raises(PlanError, match=f"seed is {seed!r}, expected a whole number from 0 to 9007199254740991"):
        mast.run("long_chain_fork", seed=seed)  # type: ignore[arg-type]


def test_a_study_without_runs_is_refused() -> None:
    with pytest.raises(PlanError, match="plan 'study' has no runs"):
        mast.study(seeds=0)


def test_a_stored_study_is_read_again(tmp_path: Path) -> None:
    study = mast.study("long_chain_fork", ["active"], ["L0", "L1"], verify="mac")
    written = study.run(out=tmp_path / "out", progress=False)

    read = mast.load_study(tmp_path / "out")

    assert (read.plan, read.rows) == (study.plan, written.rows)


def test_a_directory_without_a_study_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"plan\.json cannot be read"):
        mast.load_study(tmp_path)


@pytest.mark.slow
def test_importing_mast_brings_in_no_optional_package() -> None:
    optional = ("IPython", "matplotlib", "pandas")
    script = f"import sys, mast; mast.run; print([name for name in {optional} if name in sys.modules])"

    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ended.stdout == "[]\n"


def test_a_study_of_everything_has_the_runs_of_the_matrix() -> None:
    assert len(mast.study().plan.runs) == 150
    assert len(mast.study(layers=["L0", "L4"], seeds=2).plan.runs) == 120


def test_two_faults_of_the_same_kind_are_two_cases() -> None:
    later = {**REVOKE, "at": 11}

    plan = mast.study("long_chain_fork", [REVOKE, [later], None], ["L0"]).plan

    assert [run.case for run in plan.runs] == ["revoke", "revoke#2", "active"]


def test_faults_of_a_study_are_added_to_the_name_of_a_file(tea: Path) -> None:
    revoke = {"kind": "revoke", "claim": "price", "at": 5}

    plan = mast.study(tea, [None, revoke, {**revoke, "at": 6}], "L0").plan

    assert [run.case for run in plan.runs] == ["tea", "tea+revoke", "tea+revoke#2"]


def test_one_fault_and_one_layer_need_no_list() -> None:
    plan = mast.study("long_chain_fork", REVOKE, mast.Mechanisms(), businesses="release").plan

    assert [run.name for run in plan.runs] == ["long_chain_fork/revoke/release/L1/0"]


def test_runs_are_in_order_of_topology_fault_layer_and_seed() -> None:
    plan = mast.study(["converge_then_fork", "long_chain_fork"], ["active", "late_notice"], ["L0", "L1"], seeds=2).plan

    places = [(run.topology, run.case, run.layer, run.seed) for run in plan.runs]
    assert len(places) == 16
    assert places == sorted(places)


def test_the_same_combination_twice_is_refused() -> None:
    with pytest.raises(PlanError, match="more than once"):
        mast.study("long_chain_fork", ["active", "active"], ["L0"])
