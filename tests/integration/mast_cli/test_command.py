"""What the command prints, and with which exit code it ends."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mast.cli import app
from mast.cli.outcome import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE
from tests.integration.mast_cli.conftest import Command

pytestmark = pytest.mark.slow

METRICS = {
    "unsafe_completions", "affected_tasks", "correct_completions", "total_tasks", "unrelated_tasks",
    "unrelated_completions", "overfrozen_tasks", "recovered_tasks", "propagated_handoffs", "propagated_organizations",
    "propagation_hops", "blocked_actions", "status_queries", "fact_queries", "notices", "notice_bytes", "signatures",
    "verifications",
}  # fmt: skip


def test_the_layered_benchmark_prints_one_object_with_the_published_sums(mast: Command) -> None:
    ended = mast("bench", "layered", "--json")

    found = json.loads(ended.stdout)
    assert ended.returncode == EXIT_OK
    assert len(found["runs"]) == 150
    assert {"topology", "case", "layer", "seed", "digest", "metrics"} <= set(found["runs"][0])
    assert set(found["runs"][0]["metrics"]) >= METRICS
    sums = found["layers"]
    assert [sums[layer]["unsafe_completions"] for layer in ("L0", "L1", "L2", "L3", "L4")] == [48, 45, 39, 24, 0]
    assert [sums[layer]["propagated_handoffs"] for layer in ("L0", "L1", "L2", "L3", "L4")] == [140, 121, 104, 80, 0]
    assert {sums[layer]["correct_completions"] for layer in sums} == {78}
    assert {sums[layer]["unrelated_completions"] for layer in sums} == {72}
    assert {sums[layer]["recovered_tasks"] for layer in sums} == {6}


def test_fixtures_double_the_matrix_and_bring_their_own_ablations(mast: Command) -> None:
    """Two businesses differ in amounts, currency and the lateness of late notices (8 and 9 ticks) only."""
    found = json.loads(mast("bench", "layered", "--fixtures", "--verify", "mac", "--json").stdout)

    sums = found["layers"]
    layers = ("L0", "L1", "L2", "L3", "L4")
    assert [sums[layer]["unsafe_completions"] for layer in layers] == [96, 90, 78, 48, 0]
    assert {(sums[layer]["total_tasks"], sums[layer]["affected_tasks"]) for layer in layers} == {(240, 96)}
    assert {sums[layer]["runs"] for layer in sums if layer not in layers} == {10}
    assert len(found["runs"]) == 350
    assert {run["verify"] for run in found["runs"]} == {"mac"}


def test_the_freeze_benchmark_gives_the_published_totals(mast: Command) -> None:
    """Behaviour reference 5.1: unsafe 0 of 36 on time and 26 of 36 late; overfrozen 24 on time and 10 late."""
    runs = json.loads(mast("bench", "freeze", "--json").stdout)["runs"]

    totals = {
        timing: [
            sum(run["metrics"][metric] for run in runs if run["case"].endswith(timing))
            for metric in ("unsafe_completions", "affected_tasks", "overfrozen_tasks")
        ]
        for timing in ("all_before_deadline", "critical_edge_late")
    }
    assert totals == {"all_before_deadline": [0, 36, 24], "critical_edge_late": [26, 36, 10]}
    dependency = [run["metrics"]["overfrozen_tasks"] for run in runs if run["layer"].endswith("dependency")]
    assert sum(dependency) == 0


def test_a_table_is_printed_for_people_and_progress_stays_off_stdout(mast: Command) -> None:
    ended = mast("bench", "freeze", "--verify", "mac")

    assert ended.returncode == EXIT_OK
    assert "freeze: 48 runs, signatures mac" in ended.stdout
    assert "6/18" in ended.stdout
    assert ended.stderr == ""


def test_a_run_prints_its_tasks_and_writes_its_events(mast: Command, tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    told = ("run", "long_chain_fork", "--fault", "intermediate_retraction", "--layer", "L4")

    shown = mast(*told, "--events", str(log))
    as_json = json.loads(mast(*told, "--json").stdout)

    assert "REQUEST_EVIDENCE" in shown.stdout
    assert as_json["digest"] in shown.stdout
    assert set(as_json["metrics"]) >= METRICS
    assert [task["result"] for task in as_json["tasks"]] == ["REQUEST_EVIDENCE"] * 2 + ["COMPLETED"] * 2
    lines = log.read_text().splitlines()
    assert [json.loads(line)["seq"] for line in lines] == list(range(len(lines)))


def test_what_can_be_run_is_listed(mast: Command) -> None:
    found = json.loads(mast("scenarios", "--json").stdout)

    assert set(found["topologies"]) == {"long_chain_fork", "converge_then_fork", "reused_org_independent"}
    assert len(found["cases"]) == 10
    assert found["layers"] == ["L0", "L1", "L2", "L3", "L4"]
    assert "late_notice" in mast("scenarios").stdout


def test_the_schema_is_json(mast: Command) -> None:
    assert json.loads(mast("schema").stdout)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


WRONG = {
    "an unknown topology": (("run", "long_chain"), "did you mean 'long_chain_fork'?"),
    "an unknown case": (("run", "long_chain_fork", "--fault", "actve"), "did you mean 'active'?"),
    "an unknown layer": (("run", "long_chain_fork", "--layer", "L4_no_fct"), "did you mean 'L4_no_fact'?"),
    "an unknown runtime": (("bench", "layered", "--runtime", "vitual"), "did you mean 'virtual'?"),
    "a file that is not there": (("run", "nowhere.yaml"), "nowhere.yaml: cannot be read"),
}


@pytest.mark.parametrize(("arguments", "said"), WRONG.values(), ids=WRONG)
def test_bad_input_is_one_line_and_code_3(arguments: tuple[str, ...], said: str) -> None:
    ended = CliRunner().invoke(app, arguments)

    assert ended.exit_code == EXIT_BAD_INPUT
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert ended.stdout == ""


def test_every_problem_of_a_file_has_a_line(mast: Command, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("schema_version: mast.scenario.v0.1\nkind: scenario\ndescripton: x\ntopology: long_chain\n")

    ended = mast("run", str(path))

    assert ended.returncode == EXIT_BAD_INPUT
    lines = ended.stderr.splitlines()
    assert len(lines) >= 2
    assert all(line.startswith(f"{path}:") for line in lines)


def test_debug_shows_where_an_error_came_from(mast: Command) -> None:
    assert "Traceback" in mast("run", "long_chain", "--debug").stderr


def test_a_place_that_cannot_be_written_is_named(mast: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    for arguments in (("bench", "freeze", "--out"), ("run", "long_chain_fork", "--events")):
        ended = mast(*arguments, str(tmp_path / "file" / "below"))

        assert ended.returncode == EXIT_BAD_INPUT
        assert ended.stderr.startswith(f"{tmp_path}/file/below: Not a directory")


def test_an_event_log_is_not_overwritten(mast: Command, tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text("mine")

    ended = mast("run", "long_chain_fork", "--events", str(tmp_path / "events.jsonl"))

    assert ended.returncode == EXIT_BAD_INPUT
    assert "exists, and nothing is overwritten; name another file" in ended.stderr
    assert (tmp_path / "events.jsonl").read_text() == "mine"


USAGE = {
    "an unknown option": ("bench", "layered", "--sedes", "3"),
    "no seeds": ("bench", "layered", "--seeds", "0"),
    "no workers": ("bench", "layered", "--workers", "0"),
    "two plans at once": ("bench", "layered", "--fixtures", "--ablations"),
    "resume without a directory": ("bench", "layered", "--resume"),
    "an unknown way to verify": ("bench", "layered", "--verify", "never"),
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE)
def test_wrong_usage_is_code_2_and_said_on_stderr(arguments: tuple[str, ...]) -> None:
    ended = CliRunner().invoke(app, arguments)

    assert ended.exit_code == EXIT_USAGE
    assert ended.stderr
    assert ended.stdout == ""


def test_a_process_ends_with_these_codes_and_no_traceback(mast: Command) -> None:
    wrong, misused = mast("run", "long_chain"), mast("bench", "layered", "--sedes", "3")

    assert (wrong.returncode, misused.returncode) == (EXIT_BAD_INPUT, EXIT_USAGE)
    assert "Traceback" not in wrong.stderr + misused.stderr


def test_help_has_examples(mast: Command) -> None:
    shown = mast("bench", "layered", "--help").stdout

    assert "mast bench layered --fixtures --workers 2 --out results/fixtures" in shown


def test_tasks_that_the_schedule_ended_before_are_named(mast: Command, tmp_path: Path) -> None:
    scenario = tmp_path / "slow.yaml"
    scenario.write_text(
        "schema_version: mast.scenario.v0.1\nkind: scenario\ndescription: Every query takes a tick.\n"
        "topology: long_chain_fork\nbusiness: default\n"
        "faults:\n  - {kind: late_link, delay: 1, parcels: [status_query]}\n"
    )

    ended = mast("run", str(scenario), "--layer", "L3", "--json")

    assert json.loads(ended.stdout)["metrics"]["unknown_tasks"] == 4
    assert "A_a, A_b, C_a, C_b: no result when the schedule ended; give schedule.end more ticks" in ended.stderr
