"""Plans: what they hold, what their digest covers, and what is refused."""

import json
from pathlib import Path

import pytest

from mast.errors import PlanError, ScenarioError
from mast.experiments.plan import Plan, WorldSource, load_plan, plan_from_json, planned_run
from mast.protocol.mechanisms import LAYERS, Mechanisms
from trustrail.foundation import VerifyMode

ACTIVE = WorldSource(topology="long_chain_fork", case="active")


def small_plan(seed: int = 0, **settings: VerifyMode) -> Plan:
    return Plan("small", (planned_run(ACTIVE, "L0", LAYERS["L0"], seed),), **settings)


def test_a_run_is_named_by_its_coordinates() -> None:
    source = WorldSource(topology="converge_then_fork", case="late_notice", business="invoice_usd")

    assert planned_run(source, "L3", LAYERS["L3"], 7).name == "converge_then_fork/late_notice/invoice_usd/L3/7"


def test_a_run_knows_its_denominators_before_it_starts() -> None:
    source = WorldSource(topology="reused_org_independent", case="branch_retraction")

    planned = planned_run(source, "L0", LAYERS["L0"], 0)

    assert (planned.total_tasks, planned.affected_tasks) == (4, 1)  # behaviour reference 3.2: A_a alone


def test_a_plan_survives_its_file(tmp_path: Path) -> None:
    arm = Mechanisms(notices="broadcast", risk_threshold=3)  # type: ignore[arg-type]
    faults = ({"kind": "revoke", "claim": "shared_A", "at": 10},)
    source = WorldSource(topology="long_chain_fork", business="release", faults=faults)
    plan = Plan("arms", (planned_run(source, "arm", arm, 1, case="revoked"),), VerifyMode.MAC)
    path = tmp_path / "plan.json"
    path.write_text(plan.to_json())

    stored = load_plan(path)

    assert stored == plan
    assert stored.digest == plan.digest


@pytest.mark.parametrize(
    "other",
    [small_plan(seed=1), small_plan(verify=VerifyMode.MAC), Plan("other", small_plan().runs)],
    ids=["seed", "verify", "name"],
)
def test_the_digest_covers(other: Plan) -> None:
    assert other.digest != small_plan().digest


def test_the_same_plan_has_the_same_digest_every_time() -> None:
    assert small_plan().digest == small_plan().digest


def test_a_changed_plan_is_refused_with_both_digests() -> None:
    stored = json.loads(small_plan().to_json())
    stored["plan"]["runs"][0]["seed"] = 5

    with pytest.raises(PlanError, match=f"kept/plan.json was changed: .* expected {stored['digest']}"):
        plan_from_json(json.dumps(stored).encode(), "kept/plan.json")


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"{}", b'{"digest": "", "plan": 3}', b'{"digest": "", "plan": {"schema_version": "mast.plan.v0.1"}}'],
)
def test_what_is_no_plan_is_refused_by_name(text: bytes) -> None:
    with pytest.raises(PlanError, match="there is not a plan: "):
        plan_from_json(text, "there")


def test_a_plan_of_another_version_is_refused() -> None:
    stored = json.loads(small_plan().to_json())
    stored["plan"]["schema_version"] = "mast.plan.v9"

    with pytest.raises(PlanError, match=r"'mast.plan.v9', expected 'mast.plan.v0.1'"):
        plan_from_json(json.dumps(stored).encode(), "there")


def test_a_missing_plan_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"plan.json cannot be read: No such file"):
        load_plan(tmp_path / "plan.json")


def test_a_run_planned_twice_is_refused() -> None:
    run = small_plan().runs[0]

    with pytest.raises(PlanError, match="1 runs more than once, for example long_chain_fork/active/default/L0/0"):
        Plan("twice", (run, run))


def test_an_unknown_topology_cannot_be_planned() -> None:
    with pytest.raises(ScenarioError, match="did you mean 'long_chain_fork'"):
        planned_run(WorldSource(topology="long_chain"), "L0", LAYERS["L0"], 0)
