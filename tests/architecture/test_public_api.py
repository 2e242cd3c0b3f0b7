"""The public names, and what importing a package costs.

``public_api.json`` beside this file holds the names that each package promises. Whoever adds or removes one edits that
file in the same commit, and says so in docs/changelog.md.
"""

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("mast", "trailforge", "trustrail")
PROMISED: dict[str, list[str]] = json.loads(Path(__file__).with_name("public_api.json").read_text(encoding="utf-8"))

CORE = "apsw jsonpath msgpack msgspec nacl networkx pydantic pykka rfc8785 rich typer yaml"
OPTIONAL = "dask google langchain_core langgraph matplotlib mcp nats opentelemetry pandas psycopg"


def offered() -> dict[str, list[str]]:
    """The ``__all__`` of every package folder, read without importing it."""
    found: dict[str, list[str]] = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("__init__.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                    found[".".join(path.relative_to(ROOT).parts[:-1])] = ast.literal_eval(node.value)
    return found


@pytest.mark.parametrize("package", sorted({*PROMISED, *offered()}))
def test_a_package_offers_the_names_it_promises(package: str) -> None:
    assert sorted(offered().get(package, [])) == sorted(PROMISED.get(package, []))


@pytest.mark.parametrize("package", sorted(PROMISED))
def test_every_promised_name_exists(package: str) -> None:
    module = import_module(package)

    assert [name for name in PROMISED[package] if not hasattr(module, name)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_no_optional_package(package: str) -> None:
    assert loaded_by(package) & set(OPTIONAL.split()) == set()


def test_importing_all_public_parts_loads_no_optional_package() -> None:
    """Every part that has an ``__all__`` works with the core dependencies alone; the demo needs frameworks to run."""
    assert loaded_by(", ".join(PROMISED)) & set(OPTIONAL.split()) == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_next_to_nothing(package: str) -> None:
    """A bound on time would measure the machine; what is loaded decides the time."""
    assert loaded_by(package) & set(CORE.split()) == set()


def loaded_by(modules: str) -> set[str]:
    """Top-level modules that a fresh interpreter has after importing *modules*, separated by commas."""
    program = f"import {modules}, sys; print(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())
