"""One mistake in a scenario never hides another: header, shape, names, faults and agents are told together."""

from pathlib import Path

import pytest

import mast
from mast.errors import PlanError, ScenarioError
from mast.scenario import load_scenario, load_world

SCENARIO = """\
schema_version: mast.scenario.v0.1
kind: scenario
description: One claim, one task.
topology:
  organizations: [a, b]
  claims:
    root_A: {issuer: a, order: A}
  routes:
    - {sender: a, recipient: b, claims: [root_A]}
  tasks:
    T: {owner: b, claim: root_A, branch: x}
business:
  operation: approve_invoice
  currency: CNY
  authorities: {total_charge: a}
  fact_authority: a
  claim:
    predicate: total_charge
    value: {cents: 100, currency: $currency, order: $order}
  losses: {forward: 1, approve_invoice: 100}
faults:
  - {kind: revoke, claim: root_A, at: 5}
"""


def problems_of(tmp_path: Path, *changes: tuple[str, str]) -> list[str]:
    text = SCENARIO
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "world.yaml"
    path.write_text(text)
    try:
        load_scenario(path)
    except ScenarioError as error:
        return [problem.removeprefix(f"{tmp_path}/") for problem in error.problems]
    return []


def test_the_scenario_as_it_stands_is_right(tmp_path):
    assert problems_of(tmp_path) == []


def test_a_missing_header_hides_nothing(tmp_path):
    found = problems_of(
        tmp_path, ("description: One claim, one task.\n", ""), ("claim: root_A, at: 5", "claim: rot_A, at: -1")
    )
    assert len(found) == 3
    assert "description is missing" in found[0]
    assert all(any(text in problem for problem in found) for text in ("faults[0].at is -1", "did you mean 'root_A'?"))


def test_an_unknown_business_hides_neither_names_in_the_topology_nor_in_the_faults(tmp_path):
    business = SCENARIO[SCENARIO.index("business:") : SCENARIO.index("faults:")]
    found = problems_of(
        tmp_path,
        (business, "business: defalt\n"),
        ("recipient: b", "recipient: c"),
        ("claim: root_A, at: 5", "claim: rot_A, at: 5"),
    )
    assert [problem.split(": ", 1)[1].split(" ")[0] for problem in found] == [
        "topology.routes[0].recipient",
        "business",
        "faults[0].claim",
    ]


def test_agents_that_cannot_be_made_are_told_with_their_line(tmp_path):
    agents = "agents: {kind: tape, settings: {tape: {task/T: 3, task/U: [4]}}}\n"
    found = problems_of(tmp_path, ("faults:", f"{agents}faults:"), ("claim: root_A, at: 5", "claim: rot_A, at: 5"))
    assert [problem.split(":")[1] for problem in found] == ["21", "21", "23"]
    assert "agents.settings tape['task/T'] is 3, expected an action" in found[0]


def test_misshapen_and_unfitting_faults_of_a_program_are_told_together():
    faults = [{"kind": "revoke", "claim": "root_A", "at": -1}, {"kind": "revoke", "claim": "rot_A"}]
    with pytest.raises(ScenarioError) as raised:
        load_world("long_chain_fork", faults=faults)
    assert len(raised.value.problems) == 2


CHILD = """root_A: {issuer: a, order: A}
    child: {issuer: a, order: A, parents: [root_A], value: {cents: 7, currency: CNY, order: A}}
  routes:
    - {sender: a, recipient: b, claims: [root_A, child]}"""

IMPOSSIBLE = {
    "an amount in words": (("cents: 100", 'cents: "100"'), "states total_charge"),
    "a root by somebody without authority": (("{total_charge: a}", "{total_charge: b}"), "expected the authority 'b'"),
    "a derived claim that does not follow": (
        (
            "root_A: {issuer: a, order: A}\n  routes:\n    - {sender: a, recipient: b, claims: [root_A]}",
            CHILD,
        ),
        "expected total_charge {'cents': 100",
    ),
}


@pytest.mark.parametrize(("change", "problem"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_a_world_that_its_own_organizations_would_refuse_is_refused_as_a_file(tmp_path, change, problem):
    found = problems_of(tmp_path, change)
    assert any("cannot be issued" in one and problem in one for one in found), found


SENSELESS = {
    "a revocation before the claim": (
        {"kind": "revoke", "claim": "common_C", "at": 0},
        "at is 0, when the claim is only just issued; expected 1 or later",
    ),
    "a false fact that is true": (
        {"kind": "false_fact", "claim": "root_A", "correct": 100},
        "correct is 100, which is what is published",
    ),
    "tampering that changes nothing": (
        {"kind": "tamper_in_transit", "claim": "root_A", "changes": {"cents": 100}},
        "leave the claim as it is",
    ),
}


@pytest.mark.parametrize(("fault", "problem"), SENSELESS.values(), ids=SENSELESS)
def test_a_fault_that_would_not_happen_is_refused(fault, problem):
    with pytest.raises(ScenarioError, match=problem):
        load_world("long_chain_fork", faults=[fault])


def test_one_order_has_one_correct_amount():
    faults = [{"kind": "false_fact", "claim": "root_A", "correct": amount} for amount in (125, 150)]
    with pytest.raises(ScenarioError, match="whose order 'A' an earlier fault made 125"):
        load_world("long_chain_fork", faults=faults)


@pytest.mark.parametrize("claim", ["root_A", "branch_A_b", "authorization_A"])
def test_a_wrong_amount_affects_every_task_of_its_order_wherever_it_is_found(claim):
    """Both tasks on order A act on 100 while 125 is right; L0 lets both through, L4 none."""
    fault = {"kind": "false_fact", "claim": claim, "correct": 125}
    plain = mast.run("converge_then_fork", fault=fault, layer="L0").metrics
    checked = mast.run("converge_then_fork", fault=fault, layer="L4").metrics
    assert (plain.unsafe_completions, plain.affected_tasks, plain.unrelated_completions) == (2, 2, 2)
    assert (checked.unsafe_completions, checked.affected_tasks, checked.overfrozen_tasks) == (0, 2, 0)


def test_a_healthy_world_of_components_spreads_nothing_bad(tmp_path):
    """A component's cents are no amount of the order: goods 10000 and freight 700 are not the total 10700."""
    text = Path("scenarios/examples/charge_components.yaml").read_text()
    healthy = tmp_path / "healthy.yaml"
    healthy.write_text(text[: text.index("faults:")] + "faults: []\n")
    for layer in ("L0", "L1", "L4"):
        metrics = mast.run(healthy, layer=layer).metrics
        assert (metrics.propagated_handoffs, metrics.propagated_organizations, metrics.blocked_actions) == (0, 0, 0)
        assert metrics.correct_completions == metrics.total_tasks


def test_a_scenario_file_that_was_changed_is_read_again(tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(SCENARIO)
    assert mast.run(path, layer="L0").metrics.affected_tasks == 1
    path.write_text(SCENARIO.replace("faults:\n  - {kind: revoke, claim: root_A, at: 5}\n", ""))
    assert mast.run(path, layer="L0").metrics.affected_tasks == 0
    path.write_text("garbage: [")
    with pytest.raises(ScenarioError):
        mast.run(path, layer="L0")


@pytest.mark.parametrize("seed", [2**53, 2**70, -1])
def test_a_seed_that_a_table_cannot_keep_is_refused(seed):
    with pytest.raises(PlanError, match="expected a whole number from 0 to 9007199254740991"):
        mast.run("long_chain_fork", seed=seed)


@pytest.mark.parametrize("topology", [None, 5, "a\0.yaml"], ids=repr)
def test_what_is_no_topology_is_a_scenario_error(topology):
    with pytest.raises(ScenarioError):
        mast.run(topology)


def test_what_is_no_runtime_is_a_scenario_error():
    with pytest.raises(ScenarioError, match="runtime is None"):
        mast.run("long_chain_fork", runtime=None)
