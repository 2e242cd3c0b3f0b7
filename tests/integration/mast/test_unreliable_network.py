"""Loss, latency and agents by chance: what still holds, and what is compared with what."""

import json
from dataclasses import replace
from typing import Any

import pytest

from mast.experiments.scoring import Score, score
from mast.protocol.mechanisms import LAYERS, mechanisms_named
from mast.runtime import RUNTIMES, RunRecord, run_world
from mast.scenario import load_world
from mast.scenario.world import AgentSpec, World


def run(world: World, layer: str, **options: Any) -> tuple[RunRecord, Score]:
    record = run_world(world, mechanisms_named(layer), run_id=f"unreliable/{layer}", **options)
    return record, score(world, record.lines, signatures=record.signatures, verifications=record.verifications)


def bodies(record: RunRecord, kind: str, **wanted: Any) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in record.lines]
    found = [event["body"] for event in events if event["type"] == kind]
    return [body for body in found if all(body.get(key) == value for key, value in wanted.items())]


def with_loss(parcels: list[str], first: int = 1, **network: Any) -> World:
    faults = [
        {"kind": "revoke", "claim": "shared_A", "at": 2},
        {"kind": "drop_in_transit", "parcels": parcels, "first": first},
    ]
    world = load_world("long_chain_fork", faults=faults)
    return replace(world, network=replace(world.network, **network))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_notices_lost_on_every_edge_are_sent_again_and_all_receipted(runtime: str):
    world = with_loss(["notice"], retransmit_after=2)
    record, result = run(world, "L4", runtime=runtime)
    attempts = [body["arguments"]["attempt"] for body in bodies(record, "tool_call", tool="notice")]
    assert set(attempts) == {1, 2}
    assert result.metrics.unsafe_completions == 0
    assert attempts.count(1) == attempts.count(2) == 5
    applied = [body for body in bodies(record, "tool_result", tool="notice") if body["result"]["about"] == "revocation"]
    assert len(applied) == attempts.count(1)


def test_lost_receipts_cost_notices_and_change_no_outcome():
    lossless, _ = run(with_loss(["refusal"], retransmit_after=2), "L4")
    lossy, result = run(with_loss(["notice_receipt"], retransmit_after=2), "L4")
    results = [[body["result"]["result"] for body in bodies(record, "tool_result") if "phase" in body["result"]]
               for record in (lossless, lossy)]  # fmt: skip
    assert results[0] == results[1]
    assert len(bodies(lossy, "tool_call", tool="notice")) == 2 * len(bodies(lossless, "tool_call", tool="notice"))
    assert result.metrics.unsafe_completions == 0


def test_nothing_is_sent_again_without_end():
    world = with_loss(["notice"], first=1_000, retransmit_after=1, retransmit_limit=2)
    record, _ = run(world, "L4")
    attempts = [body["arguments"]["attempt"] for body in bodies(record, "tool_call", tool="notice")]
    assert max(attempts) == 1 + 2


def test_a_lost_status_reply_escalates_and_is_no_decision():
    world = load_world(
        "long_chain_fork", faults=[{"kind": "drop_in_transit", "parcels": ["status_reply"], "first": 1_000}]
    )
    world = replace(world, schedule=replace(world.schedule, end=600))
    _, result = run(world, "L4")
    assert {task.result for task in result.tasks} == {"ESCALATE"}
    assert {task.cause for task in result.tasks} == {"transport"}
    assert result.metrics.unsafe_completions == 0


def test_latency_on_every_link_delays_and_keeps_every_protection():
    # Seeding takes about 40 ticks at this latency, so the retraction comes after it and before anybody acts.
    world = load_world("long_chain_fork", "intermediate_retraction")
    kinds = ("handoff", "handoff_receipt", "status_query", "status_reply", "fact_query", "fact_reply", "notice")
    slow = replace(
        world,
        injections=tuple(replace(injection, at=100) for injection in world.injections),
        network=replace(world.network, latency=dict.fromkeys(kinds, 2), query_timeout=64),
        schedule=replace(world.schedule, seed=0, forward=101, act=101, end=4_000),
    )
    digests = {run(slow, "L4", runtime=runtime)[0].digest for runtime in RUNTIMES}
    assert len(digests) == 1
    result = run(slow, "L4")[1]
    assert (result.metrics.unsafe_completions, result.metrics.unrelated_completions) == (0, 2)
    assert result.metrics.overfrozen_tasks == 0


# --- agents by chance ------------------------------------------------------------------------------------------


def choices(world: World, layer: str, seed: int) -> dict[str, str]:
    """Return the first answer of each stage."""
    record, _ = run(world, layer, seed=seed)
    found: dict[str, str] = {}
    for line in record.lines:
        event = json.loads(line)
        if event["type"] == "model_call" and event["body"]["detail"]["round"] == 0:
            found.setdefault(event["turn_id"].split("/", 1)[1], event["body"]["detail"]["action"])
    return found


def by_chance(case: str = "intermediate_retraction") -> World:
    settings = {"proceed": 0.6, "verify": 0.2}
    return replace(load_world("long_chain_fork", case), agents=AgentSpec(kind="stochastic", settings=settings))


def test_an_agent_by_chance_meets_the_same_choices_on_every_layer():
    found = {layer: choices(by_chance(), layer, seed=5) for layer in LAYERS}
    stages = set.intersection(*(set(actions) for actions in found.values()))
    assert len(stages) >= 16
    for stage in stages:
        assert len({actions[stage] for actions in found.values()}) == 1, stage
    assert {found["L0"][stage] for stage in stages} == {"proceed", "verify", "hold"}


def test_another_seed_gives_other_choices_and_the_same_seed_the_same():
    first, again, other = (choices(by_chance(), "L1", seed) for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_an_empty_tape_does_nothing_at_all():
    world = replace(load_world("long_chain_fork"), agents=AgentSpec(kind="tape", settings={"tape": {}}))
    for layer in LAYERS:
        record, result = run(world, layer)
        assert (result.metrics.unsafe_completions, result.metrics.correct_completions) == (0, 0)
        assert result.metrics.holds == len(bodies(record, "model_call")) == 16


def test_a_budget_stops_and_is_told_apart_from_a_hold():
    world = replace(load_world("long_chain_fork"), agents=AgentSpec(budget=1))
    _, result = run(world, "L4")
    # Each receiver has two tasks and one decision.
    assert (
        sorted((task.result, task.cause) for task in result.tasks)
        == [("COMPLETED", None)] * 2 + [("HELD", "budget")] * 2
    )
