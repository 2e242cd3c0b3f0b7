"""The published JSON Schema is the one of the models, and every shipped file satisfies it."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from mast.scenario import scenario_schema
from mast.scenario.shipped import FOLDERS, shipped_file, shipped_names

COMMITTED = Path(__file__).parents[4] / "docs" / "scenario.schema.json"
SHIPPED = [(folder, name) for folder in FOLDERS for name in shipped_names(folder)]
VALIDATOR = jsonschema.Draft202012Validator(scenario_schema())


def test_committed_schema_is_current() -> None:
    """When it is not, docs/scenarios.md says how to write it again."""
    current = json.dumps(scenario_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"

    assert COMMITTED.read_text(encoding="utf-8") == current


def test_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(scenario_schema())


@pytest.mark.parametrize(("folder", "name"), SHIPPED)
def test_every_shipped_file_satisfies_the_schema(folder: str, name: str) -> None:
    VALIDATOR.validate(yaml.safe_load(shipped_file(folder, name).read_text(encoding="utf-8")))


SPOILED = {
    "unknown key": {"fualts": []},
    "negative tick": {"faults": [{"kind": "revoke", "claim": "x", "at": -1}]},
    "unknown fault": {"faults": [{"kind": "revok", "claim": "x"}]},
    "text for a number": {"faults": [{"kind": "revoke", "claim": "x", "at": "soon"}]},
    "other version": {"schema_version": "v0"},
}


@pytest.mark.parametrize("change", SPOILED.values(), ids=SPOILED)
def test_schema_refuses_what_loading_refuses(change: dict) -> None:
    good = {"schema_version": "mast.scenario.v0.1", "kind": "case", "description": "x", "faults": []}

    assert VALIDATOR.is_valid(good)
    assert not VALIDATOR.is_valid({**good, **change})
