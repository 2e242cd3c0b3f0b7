"""The speed benchmark runs: once, on little, untimed."""

from benchmarks.trustrail_speed import measure_scoring, measure_verifying, requirements, stream
from trustrail.engine import judge_run


def test_the_measured_stream_is_the_journey_and_every_control_passes():
    judgement = judge_run(stream(250), requirements())

    assert len(judgement.actions) == 10
    assert {control.verdict.value for control in judgement.controls} == {"PASS"}
    assert judgement.gate.outcome.value == "PASS"


def test_each_measurement_gives_its_ratio():
    scoring, verifying = measure_scoring(500, 1), measure_verifying(1000, 1)

    assert scoring["events"] == 500
    assert scoring["scoring"] > 0
    assert verifying["verifying"] > 0
    assert verifying["pack_bytes"] > 100_000
