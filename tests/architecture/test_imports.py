"""Imports point down one list, and each third-party library has one owner."""

import ast
from functools import cache
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[2]
PACKAGES = ("mast", "trailforge", "trustrail")

OWNERS = {
    "anywidget": (),
    "apsw": ("trailforge/authority/sqlite", "trailforge/publishing/sqlite.py"),
    "dask": (),
    "google": ("trustrail/adapters/live_adk.py", "trustrail/demo/targets/adk.py"),
    "jsonpath": ("trustrail/objects/paths.py",),
    "langgraph": (
        "trailforge/harness/langgraph_schedule.py",
        "trustrail/adapters/live_langgraph.py",
        "trustrail/demo/targets/langgraph.py",
    ),
    "matplotlib": ("mast/notebook.py",),
    "msgpack": ("trustrail/foundation/canonical.py",),
    "nacl": ("trustrail/foundation/keys.py",),
    "nats": ("trailforge/review/nats.py",),
    "networkx": ("mast/protocol/graph.py", "mast/report/", "mast/notebook.py"),
    "opentelemetry": ("trailforge/harness/telemetry.py",),
    "pandas": ("mast/report/",),
    "psycopg": ("trailforge/authority/postgres_connection.py",),
    "pykka": ("mast/runtime/",),
    "rfc8785": ("trustrail/foundation/canonical.py",),
    "rich": ("mast/cli/", "mast/report/progress.py", "trailforge/cli/"),
    "typer": ("mast/cli/", "trailforge/cli/", "trustrail/cli/"),
    "yaml": (
        "mast/scenario/document.py",
        "trailforge/work/goal_file.py",
        "trustrail/consent/language.py",
        "trustrail/objects/yaml_source.py",
    ),
}
"""Where a library may be imported: files, or the beginnings of their paths. Reasons: docs/architecture.md."""

DRAWS = {
    "mast/organizations/agents/stochastic.py",
    "mast/organizations/state.py",
    "mast/scenario/generators/draws.py",
}
"""Keyed draws and challenges: a hash of (seed, stream, entity, counter) in place of a random generator."""

WALL_CLOCKS = {"trustrail/foundation/clock.py", "trailforge/runner/process.py", "trailforge/testing/crash.py"}
"""The clock port, and those who watch over real processes."""


@cache
def imports() -> dict[str, set[str]]:
    """What each file imports anywhere in it: ``a.b`` for ``from a import b``."""
    found: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            names = found[path.relative_to(ROOT).as_posix()] = set()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    names |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def users(library: str) -> list[str]:
    return [path for path, names in imports().items() if any(name.split(".")[0] == library for name in names)]


def test_imports_point_down_the_list_of_layers(capsys: pytest.CaptureFixture[str]) -> None:
    """The contracts of .importlinter hold; the report of import-linter is the message when they do not."""
    status = lint_imports(config_filename=str(ROOT / ".importlinter"), no_cache=True, no_logo=True)

    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


@pytest.mark.parametrize("library", OWNERS)
def test_a_library_is_imported_by_its_owners_alone(library: str) -> None:
    strangers = [path for path in users(library) if not path.startswith(OWNERS[library] or "-")]

    assert strangers == [], f"{library} belongs to {OWNERS[library]}"


@pytest.mark.parametrize("library", [name for name, owners in OWNERS.items() if owners])
def test_every_owner_still_imports_its_library(library: str) -> None:
    """A place that no longer needs the library is taken off the list."""
    found = users(library)

    assert [owner for owner in OWNERS[library] if not any(path.startswith(owner) for path in found)] == []


def test_bytes_are_hashed_in_the_foundation_alone() -> None:
    hashing = {path for path, names in imports().items() if any(name.startswith("hashlib.") for name in names)}

    assert {path for path in hashing if not path.startswith("trustrail/foundation/")} == DRAWS


def test_draws_are_hashes_and_never_come_from_a_generator() -> None:
    assert users("random") == []
    assert users("numpy") == []


def test_the_wall_clock_is_read_where_it_is_named() -> None:
    reading = {path for path, names in imports().items() if {"time", "time.time", "time.monotonic"} & names}

    assert reading <= WALL_CLOCKS
