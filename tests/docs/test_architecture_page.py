"""docs/architecture.md shows the layers that .importlinter enforces."""

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("package", ["mast", "trailforge", "trustrail"])
def test_the_layers_on_the_page_are_those_of_the_contract(package: str) -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    enforced = contracts[f"importlinter:contract:{package}"]["layers"].split("\n")

    shown = re.search(rf"^{package} +(.+)$", PAGE, re.MULTILINE)

    assert shown is not None
    assert shown[1].split(" > ") == [re.sub(r"[()]", "", layer) for layer in enforced if layer]
