"""The digest of a world covers whatever a run follows from."""

from dataclasses import replace

import pytest

from mast.experiments.fingerprint import world_digest
from mast.scenario import GENERATORS, cases, load_world, topologies
from mast.scenario.world import Schedule, World


@pytest.fixture
def world() -> World:
    return load_world("long_chain_fork", "signed_false")


def test_the_same_world_loaded_again_has_the_same_digest(world: World) -> None:
    assert world_digest(world) == world_digest(load_world("long_chain_fork", "signed_false"))


def test_every_shipped_world_has_its_own_digest() -> None:
    digests = {world_digest(load_world(topology, case)) for topology in topologies() for case in cases()}

    assert len(digests) == 30


CHANGES = {
    "the order of claims": lambda world: replace(world, claims=dict(reversed(world.claims.items()))),
    "a time": lambda world: replace(world, schedule=Schedule(act=13)),
    "what the authority has on record": lambda world: replace(world, registry={}),
    "what only the scorer knows": lambda world: replace(world, truth=replace(world.truth, affected=frozenset())),
    "a tap of another class": lambda world: replace(world, taps=(_tap("One"),)),
    "a tap of yet another class": lambda world: replace(world, taps=(_tap("Two"),)),
}


def _tap(name: str) -> object:
    return type(name, (dict,), {})()


def test_the_digest_covers_every_change(world: World) -> None:
    digests = {world_digest(change(world)) for change in CHANGES.values()} | {world_digest(world)}

    assert len(digests) == 1 + len(CHANGES)


@pytest.mark.parametrize("name", GENERATORS)
def test_generated_worlds_have_digests(name: str) -> None:
    made = [GENERATORS[name](name=name).world() for _ in range(2)]

    assert world_digest(made[0]) == world_digest(made[1])
