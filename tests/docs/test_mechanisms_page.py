"""docs/mechanisms.md: its code runs, and its table is that of the code."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mast.cli import app
from mast.protocol.mechanisms import NAMED, Mechanisms

PAGE = Path(__file__).parents[2] / "docs" / "mechanisms.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_python_blocks_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE):
        exec(compile(block, PAGE.name, "exec"), names)  # the page is ours

    assert "checks cannot work with signed=False" in capsys.readouterr().out


@pytest.mark.parametrize("line", re.findall(r"^mast .+$", TEXT, re.MULTILINE))
def test_a_command_succeeds(line: str) -> None:
    result = CliRunner().invoke(app, line.split()[1:])

    assert result.exit_code == 0, result.output


def test_the_table_of_names_has_every_value_and_each_as_it_is() -> None:
    switches = [field.name for field in fields(Mechanisms)]
    heading = f"| name | {' | '.join(switches)} |"
    rows = TEXT.split(heading)[1].split("\n\n")[0].splitlines()[2:]
    table = {cells[0]: cells[1:] for row in rows for cells in [row.strip("| ").split(" | ")]}

    assert table == {name: [str(getattr(value, switch)) for switch in switches] for name, value in NAMED.items()}


def test_the_table_of_switches_names_each_with_its_default() -> None:
    default = Mechanisms()
    for field in fields(Mechanisms):
        row = re.search(rf"^\| `{field.name}` \| .*$", TEXT, re.MULTILINE)

        assert row is not None, field.name
        assert row[0].split(" | ")[2] == f"`{getattr(default, field.name)}`" or field.name == "risk_threshold"
