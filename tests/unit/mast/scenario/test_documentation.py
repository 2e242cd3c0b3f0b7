"""What docs/scenarios.md shows is what happens."""

import re
from pathlib import Path

import pytest

from mast.errors import ScenarioError
from mast.scenario import FAULTS, GENERATORS, businesses, cases, examples, load_scenario, topologies

PAGE = (Path(__file__).parents[4] / "docs" / "scenarios.md").read_text(encoding="utf-8")
TEA = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]


def test_the_scenario_on_the_page_loads(tmp_path: Path) -> None:
    path = tmp_path / "tea.yaml"
    path.write_text(TEA)

    assert load_scenario(path).truth.affected == {"buy"}


def test_the_messages_on_the_page_are_those_of_its_scenario_spoiled(tmp_path: Path) -> None:
    path = tmp_path / "tea.yaml"
    spoiled = TEA.replace("parents: [price]", "parents: [prise]").replace("at: 10", "at: -1")
    path.write_text(spoiled.replace("claims: [price]}", "claims: [price], forwrded: false}"))

    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)

    shown = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0].splitlines()
    assert [problem.removeprefix(f"{tmp_path}/") for problem in caught.value.problems] == shown


@pytest.mark.parametrize("name", [*FAULTS, *GENERATORS, *topologies(), *businesses(), *examples()])
def test_everything_that_has_a_name_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", GENERATORS)
def test_defaults_on_the_page_are_those_of_the_generator(name: str) -> None:
    (row,) = re.findall(rf"^\| `{name}` \| ([^|]*) \|", PAGE, re.MULTILINE)
    stated = {key: int(value) for key, value in re.findall(r"`(\w+)` \((\d+)\)", row)}
    fields = GENERATORS[name].model_fields

    assert stated == {key: fields[key].default for key in fields if key not in ("name", "revoke_at", "seed")}


def test_the_number_of_cases_on_the_page_is_right() -> None:
    assert "| ten, from `active` to" in PAGE
    assert len(cases()) == 10
