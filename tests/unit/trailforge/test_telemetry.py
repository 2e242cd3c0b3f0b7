"""Telemetry carries counts, states and durations, and nothing that was worked on."""

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from tests.unit.trailforge.goals import make_goal
from trailforge.errors import LeaseLostError
from trailforge.harness import Decision, NoTelemetry, OpenTelemetry, RunStatus, Signal


class Recorder(NoTelemetry):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.counts: list[tuple[str, str]] = []
        self.durations: list[tuple[int, str]] = []

    def count(self, signal: Signal, state: str = "") -> None:
        self.counts.append((signal.value, state))

    def duration(self, milliseconds: int, state: str) -> None:
        self.durations.append((milliseconds, state))


def fails(request):
    raise ValueError(request.input)


def test_completed_run_is_counted(make_harness, clock):
    watcher = Recorder()

    make_harness(lambda request: clock.advance(0.25) or {}, telemetry=watcher).run(make_goal())

    assert watcher.counts == [
        ("run_started", "READY"),
        ("attempt_succeeded", "RUNNING"),
        ("attempt_succeeded", "COMPLETED"),
        ("run_ended", "COMPLETED"),
    ]
    assert watcher.durations == [(250, "RUNNING"), (0, "COMPLETED")]


def test_held_attempt_is_counted_by_its_reason(make_harness):
    watcher = Recorder()

    make_harness(fails, telemetry=watcher).run(make_goal())

    assert ("attempt_held", "ADAPTER_RAISED") in watcher.counts


def test_denied_budget_is_counted(make_harness, capped):
    watcher = Recorder()

    make_harness(store=capped(global_total=0), telemetry=watcher).run(make_goal())
    make_harness(telemetry=watcher).run(make_goal(max_units=1))

    assert [each for each in watcher.counts if each[0] == "budget_denied"] == [
        ("budget_denied", "WAITING"),
        ("budget_denied", "EXHAUSTED"),
    ]


def test_stale_lease_is_counted(make_harness, clock):
    watcher = Recorder()

    make_harness(lambda request: clock.advance(61), telemetry=watcher).run(make_goal(lease_seconds=60))

    assert ("stale_lease", "UNKNOWN") in watcher.counts


def test_opentelemetry_gets_numbers_and_states_only(make_harness, monkeypatch):
    """No tenant, run, task, input or error text becomes an attribute."""
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader])
    monkeypatch.setattr(metrics, "get_meter", provider.get_meter)

    make_harness(fails, telemetry=OpenTelemetry()).run(make_goal())

    exported = reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics
    attributes = {tuple(point.attributes.items()) for metric in exported for point in metric.data.data_points}
    assert {metric.name for metric in exported} == {
        "trailforge.run_started",
        "trailforge.attempt_held",
        "trailforge.attempt_duration",
    }
    assert attributes == {(("state", "READY"),), (("state", "UNKNOWN"),), (("state", "ADAPTER_RAISED"),)}
    provider.shutdown()


def test_without_an_sdk_opentelemetry_does_nothing(make_harness):
    make_harness(telemetry=OpenTelemetry()).run(make_goal())


def test_run_that_a_host_ends_is_counted(make_harness):
    watcher = Recorder()
    harness = make_harness(fails, telemetry=watcher)
    held = harness.run(make_goal(), "held")
    harness.start(make_goal(), "ready")

    harness.resolve("held", held.task, Decision.CANCEL, by="ann")
    harness.cancel("ready", by="ann")

    assert watcher.counts[-2:] == [("run_ended", "CANCELLED"), ("run_ended", "CANCELLED")]


def test_attempt_of_a_run_that_was_cancelled_meanwhile_is_counted_and_timed(make_harness, clock):
    """Its result is refused; that it took a quarter of a second is known all the same, and the run ends once."""
    watcher = Recorder()

    def cancelled(request):
        clock.advance(0.25)
        make_harness(telemetry=watcher).cancel(request.run_id, by="ann")

    with pytest.raises(LeaseLostError):
        make_harness(cancelled, telemetry=watcher).run(make_goal())

    assert watcher.counts == [("run_started", "READY"), ("run_ended", "CANCELLED"), ("stale_lease", "")]
    assert watcher.durations == [(250, "REFUSED")]


def test_run_that_has_ended_is_not_counted_again_when_it_is_asked_for(make_harness):
    watcher = Recorder()
    harness = make_harness(telemetry=watcher)
    harness.run(make_goal())
    before = list(watcher.counts)

    harness.run(make_goal())
    harness.resume(make_goal())

    assert watcher.counts == before


def test_watcher_that_fails_changes_nothing(make_harness, clock):
    """A collector that is away must not leave an attempt whose intent is stored and whose callback was never called."""

    class Failing:
        def count(self, signal: Signal, state: str = "") -> None:
            raise ConnectionError("the collector is away")

        def duration(self, milliseconds: int, state: str) -> None:
            raise ConnectionError("the collector is away")

    harness = make_harness(telemetry=Failing())

    assert harness.run(make_goal(works=2), "done").status is RunStatus.COMPLETED
    assert make_harness(fails, telemetry=Failing()).run(make_goal(), "held").status is RunStatus.UNKNOWN
    assert harness.cancel("held", by="ann").status is RunStatus.CANCELLED
