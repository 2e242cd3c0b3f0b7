"""``trailforge doctor``: what the machine offers, with a store and before there is one."""

import json

import pytest
from typer.testing import CliRunner

from trailforge.cli import app
from trailforge.cli import doctor as doctor_module
from trailforge.runner import Survey


def facts(*arguments: str) -> dict[str, str]:
    result = CliRunner().invoke(app, ["doctor", "--json", *arguments])
    assert result.exit_code == 0, result.output
    found: dict[str, str] = json.loads(result.stdout)["facts"]
    return found


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRAILFORGE_STORE", raising=False)


def test_without_a_store_the_machine_is_examined_and_nothing_is_created(tmp_path) -> None:
    found = facts()

    assert found["store"] == "none yet; trailforge.db does not exist"
    assert found["library"].startswith("SQLite 3.")
    assert list(tmp_path.iterdir()) == []


def test_a_named_store_that_does_not_exist_is_an_error() -> None:
    result = CliRunner().invoke(app, ["doctor", "--store", "other.db"])

    assert (result.exit_code, "other.db does not exist" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("versions", "problems", "expected"),
    [
        (
            {"bubblewrap": "bubblewrap 0.8.0"},
            {"docker": "no engine answers"},
            ("available: bubblewrap 0.8.0", "no engine answers", "bubblewrap"),
        ),
        (
            {"docker": "28.2.2"},
            {"bubblewrap": "there is no program"},
            ("there is no program", "available: 28.2.2", "docker"),
        ),
        (
            {},
            {"bubblewrap": "there is no program", "docker": "no engine answers"},
            ("there is no program", "no engine answers", "none: commands cannot be run isolated here"),
        ),
    ],
)
def test_isolations_are_listed_with_the_one_that_is_taken(monkeypatch, versions, problems, expected) -> None:
    monkeypatch.setattr(doctor_module, "survey_isolations", lambda: Survey(versions=versions, problems=problems))

    found = facts()

    assert (found["isolation_bubblewrap"], found["isolation_docker"], found["isolation_chosen"]) == expected
