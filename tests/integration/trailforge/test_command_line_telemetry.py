"""``--telemetry`` on every command that moves a run: what is counted, and that nothing is without it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from typer.testing import CliRunner

from trailforge.authority import SqliteAuthority
from trailforge.cli import app
from trailforge.cli.opening import load_adapters
from trailforge.harness import Harness
from trailforge.work.goal_file import load_goal

DOCS = Path(__file__).parents[3] / "docs" / "trailforge"
HELD, GOAL = str(DOCS / "example_held_goal.yaml"), str(DOCS / "example_goal.yaml")


class Shell:
    """Runs commands and says what OpenTelemetry was told of them."""

    def __init__(self, reader: InMemoryMetricReader) -> None:
        self._reader = reader

    def __call__(self, *arguments: str) -> str:
        return CliRunner().invoke(app, list(arguments)).output

    def told(self) -> dict[tuple[str, str], int]:
        """Counts so far, by signal and state; a histogram counts its measurements."""
        data = self._reader.get_metrics_data()
        told: Counter[tuple[str, str]] = Counter()
        for resource in data.resource_metrics if data else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    for point in metric.data.data_points:
                        count = getattr(point, "value", None) or getattr(point, "count", 0)
                        told[metric.name.removeprefix("trailforge."), point.attributes["state"]] += count
        return dict(told)


@pytest.fixture
def shell(tmp_path, monkeypatch) -> Iterator[Shell]:
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader])
    monkeypatch.setattr(metrics, "get_meter", provider.get_meter)
    monkeypatch.chdir(DOCS)
    monkeypatch.setenv("TRAILFORGE_STORE", str(tmp_path / "runs.db"))
    monkeypatch.setenv("TRAILFORGE_ADAPTERS", "example_adapters:ADAPTERS")
    yield Shell(reader)
    provider.shutdown()


def test_resume_counts_what_it_drives(shell):
    """One paused task is left: it is accepted, it is timed, and with it the run ends. Nothing starts."""
    shell("run", GOAL, "--pause-after", "count")
    assert shell.told() == {}

    shell("resume", GOAL, "--telemetry")

    assert shell.told() == {
        ("attempt_succeeded", "COMPLETED"): 1,
        ("attempt_duration", "COMPLETED"): 1,
        ("run_ended", "COMPLETED"): 1,
    }


def test_resume_counts_the_attempt_another_process_left_behind(shell, tmp_path):
    authority = SqliteAuthority(tmp_path / "runs.db")
    harness = Harness(authority, load_adapters("example_adapters:ADAPTERS"))
    harness._session(harness._start(load_goal(Path(GOAL)).goal, "dead")).begin()
    authority.close()

    shell("resume", GOAL, "--run-id", "dead", "--fence", "--telemetry")

    assert shell.told() == {("stale_lease", "UNKNOWN"): 1, ("attempt_held", "FENCED"): 1}


@pytest.mark.parametrize("end", [("resolve", "held", "ask", "cancel"), ("cancel", "held")])
def test_run_that_an_operator_ends_is_counted_as_ended(shell, end):
    shell("run", HELD, "--run-id", "held")

    shell(*end, "--by", "ann", "--telemetry")

    assert shell.told() == {("run_ended", "CANCELLED"): 1}
