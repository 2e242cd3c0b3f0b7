"""Scenarios: worlds as data, what goes wrong in them, and generators of larger ones."""

from mast.scenario.faults import FAULTS, Fault
from mast.scenario.generators import GENERATORS, Generator
from mast.scenario.loading import generated_world, load_scenario, load_world, with_faults
from mast.scenario.schema import scenario_schema
from mast.scenario.shipped import businesses, cases, examples, topologies
from mast.scenario.world import World

__all__ = [
    "FAULTS",
    "GENERATORS",
    "Fault",
    "Generator",
    "World",
    "businesses",
    "cases",
    "examples",
    "generated_world",
    "load_scenario",
    "load_world",
    "scenario_schema",
    "topologies",
    "with_faults",
]
