"""Values of claims that cannot be written down stop at the boundary, on every layer, and every event can be read."""

import math
from dataclasses import replace
from typing import Any

import pytest

from mast.protocol.mechanisms import LAYERS
from mast.runtime import run_world
from mast.scenario import load_world
from mast.scenario.world import World
from trustrail.foundation import parse_json


def stating(value: Any) -> World:
    """Return a world whose first claim also states *value*."""
    world = load_world("long_chain_fork")
    name, claim = next(iter(world.claims.items()))
    statement = replace(claim.statement, value={**claim.statement.value, "extra": value})
    return replace(world, claims={**world.claims, name: replace(claim, statement=statement)})


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


def refusals(world: World, layer: str) -> list[str]:
    events = [parse_json(line) for line in run_world(world, LAYERS[layer], run_id="r").lines]
    boundary = [event["body"] for event in events if event["body"].get("control_id") == "mast.boundary"]
    return [body["reason"] for body in boundary if body["detail"]["cause"] == "malformed"]


UNWRITABLE = {
    "one level too deep": (nested(32), "nested deeper than 32"),
    "as deep as a whole event may be": (nested(63), "nested deeper than 32"),
    "not a number": (math.nan, "is nan, expected a finite number"),
    "an int beyond 2**53": (2**53, "expected an integer within"),
    "a lone surrogate": ("\ud800", "lone surrogate"),
}


@pytest.mark.parametrize("layer", ["L0", "L1", "L4"])
@pytest.mark.parametrize(("value", "problem"), UNWRITABLE.values(), ids=UNWRITABLE)
def test_a_claim_that_cannot_be_written_down_is_never_stated(value: Any, problem: str, layer: str):
    assert any(problem in reason for reason in refusals(stating(value), layer))


@pytest.mark.parametrize("layer", ["L0", "L4"])
def test_the_deepest_value_allowed_leaves_every_event_readable(layer: str):
    assert not any("nested" in reason for reason in refusals(stating(nested(31)), layer))
