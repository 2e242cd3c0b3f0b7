"""The agents: pure functions of the question."""

from typing import Any

import pytest

from mast.errors import ScenarioError
from mast.ids import ClaimId, OrganizationName
from mast.organizations.agents import agent_named
from mast.organizations.agents.stochastic import uniform
from mast.organizations.messages import Question, View

CLAIM = ClaimId(bytes(32))


def question(stage: str = "task/A", organization: str = "receiver", round_: int = 0) -> Question:
    return Question(
        organization=OrganizationName(organization),
        stage=stage,
        operation="approve_invoice",
        claims=(CLAIM,),
        allowed=("proceed", "verify", "hold") if round_ == 0 else ("proceed", "hold"),
        view=View(facts={CLAIM: {"issuer": "x", "predicate": "total_charge", "value": {}}}, blocked=frozenset()),
        round=round_,
    )


def test_always_proceed_proceeds():
    assert agent_named("always_proceed", {}, 0).decide(question()).action == "proceed"


def test_a_tape_plays_its_entries_by_stage_and_round_and_holds_where_it_has_none():
    tape = agent_named("tape", {"tape": {"task/A": ["verify", "proceed"], "task/B": "hold"}}, 0)
    assert [tape.decide(question(round_=n)).action for n in (0, 1, 2)] == ["verify", "proceed", "hold"]
    assert tape.decide(question("task/B")).action == "hold"
    missing = tape.decide(question("task/C"))
    assert (missing.action, missing.origin, missing.reason) == ("hold", "tape", "no entry on the tape")


def test_an_empty_tape_holds_everything():
    tape = agent_named("tape", {"tape": {}}, 0)
    assert {tape.decide(question(stage)).action for stage in ("task/A", "forward/1", "revision/0")} == {"hold"}


def test_a_tape_resolves_roles_to_ids_and_leaves_other_names_alone():
    entries = {"task/A": {"action": "proceed", "claim_refs": ["@total", "@authorization", "task[0]"], "reason": "seen"}}
    decision = agent_named("tape", {"tape": entries}, 0).decide(question())
    assert decision.claim_refs == (CLAIM.hex(), "@authorization", "task[0]")
    assert decision.reason == "seen"


STAGES = [f"task/{n}" for n in range(400)]


def test_a_stochastic_agent_decides_the_same_way_every_time_and_whatever_it_was_asked_before():
    first, second = (agent_named("stochastic", {"proceed": 0.5, "verify": 0.3}, 7) for _ in range(2))
    forwards = {stage: first.decide(question(stage)).action for stage in STAGES}
    backwards = {stage: second.decide(question(stage)).action for stage in reversed(STAGES)}
    assert forwards == backwards
    assert set(forwards.values()) == {"proceed", "verify", "hold"}


def test_the_draws_of_seeds_organizations_stages_and_rounds_differ():
    draws = {
        uniform(seed, "decision", organization, stage, round_)
        for seed in (0, 1, -1)
        for organization in ("a", "b")
        for stage in ("s", "t")
        for round_ in ("0", "1")
    }
    assert len(draws) == 3 * 2 * 2 * 2
    assert all(0 <= draw < 1 for draw in draws)
    assert uniform(0, "ab", "c") != uniform(0, "a", "bc")


def test_raising_a_probability_only_turns_other_answers_into_that_one():
    """The draw does not depend on the setting: comparisons between settings are paired."""
    low, high = (agent_named("stochastic", {"proceed": p}, 3) for p in (0.4, 0.6))
    for stage in STAGES:
        if low.decide(question(stage)).action == "proceed":
            assert high.decide(question(stage)).action == "proceed"


@pytest.mark.parametrize(("settings", "expected"), [({"proceed": 1.0}, "proceed"), ({"proceed": 0.0}, "hold")])
def test_certainties_are_certain(settings: dict[str, float], expected: str):
    agent = agent_named("stochastic", settings, 0)
    assert {agent.decide(question(stage)).action for stage in STAGES} == {expected}


def test_an_agent_that_may_not_verify_any_more_holds_instead():
    agent = agent_named("stochastic", {"proceed": 0.0, "verify": 1.0}, 0)
    assert agent.decide(question()).action == "verify"
    assert agent.decide(question(round_=1)).action == "hold"


WRONG = {
    "an unknown kind": ("stochastik", {}, r"agents.kind is 'stochastik'; did you mean 'stochastic'\?"),
    "settings where there are none": ("always_proceed", {"p": 1}, "agents.settings has p; always_proceed has none"),
    "a tape without a tape": ("tape", {}, "expected one key 'tape'"),
    "a tape with more": ("tape", {"tape": {}, "x": 1}, "expected one key 'tape'"),
    "an entry that is no action": (
        "tape",
        {"tape": {"task/A": [1]}},
        r"agents.settings.tape\['task/A'\] is 1, expected",
    ),
    "an entry without an action": ("tape", {"tape": {"task/A": {"reason": "x"}}}, "expected an action"),
    "an unknown setting": ("stochastic", {"procede": 1}, "agents.settings has procede, expected proceed and verify"),
    "a probability above 1": ("stochastic", {"proceed": 1.5}, r"proceed is 1.5, expected a probability in \[0, 1\]"),
    "a probability below 0": ("stochastic", {"verify": -0.1}, "verify is -0.1, expected a probability"),
    "a probability that is text": ("stochastic", {"proceed": "0.5"}, "proceed is '0.5', expected a probability"),
    "probabilities above 1 together": ("stochastic", {"proceed": 0.7, "verify": 0.6}, "is more than 1"),
}


@pytest.mark.parametrize(("kind", "settings", "text"), WRONG.values(), ids=WRONG)
def test_wrong_settings_are_refused(kind: str, settings: dict[str, Any], text: str):
    with pytest.raises(ScenarioError, match=text):
        agent_named(kind, settings, 0)
