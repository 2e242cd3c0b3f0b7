"""Studies: rows for every planned run, failures as rows, directories that grow, resume and refuse."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mast.errors import OutputExistsError, PlanError
from mast.experiments.outcome import layer_sums
from mast.experiments.output import open_output
from mast.experiments.plan import Plan, WorldSource
from mast.experiments.study import carry_out
from trustrail.foundation import canonical_json


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def with_a_failure(plan: Plan) -> Plan:
    """The second run's world has changed since it was planned."""
    runs = list(plan.runs)
    runs[1] = replace(runs[1], world="0" * 64)
    return Plan(plan.name, tuple(runs), plan.verify)


class _Interrupted(BaseException):
    """Stands for an interrupt from the keyboard."""


def interrupted_after(runs: int):
    def progress(done: int, total: int) -> None:
        if done == runs:
            raise _Interrupted

    return progress


def test_every_planned_run_has_a_row_in_the_order_of_the_plan(plan: Plan) -> None:
    rows = carry_out(plan)

    assert [row["run"] for row in rows.runs] == [run.name for run in plan.runs]
    assert len(rows.tasks) == 16  # four tasks a run


def test_the_same_plan_gives_the_same_rows(plan: Plan) -> None:
    assert carry_out(plan) == carry_out(plan)


def test_metrics_are_those_of_the_reference(plan: Plan) -> None:
    unsafe = {row["run"]: row["unsafe_completions"] for row in carry_out(plan).runs}

    assert list(unsafe.values()) == [0, 0, 1, 1]  # layered-expected.json: active, then branch_retraction at L0 and L1


def test_a_failed_run_is_a_row_and_the_others_are_run(plan: Plan) -> None:
    rows = carry_out(with_a_failure(plan)).runs

    assert [row["status"] for row in rows] == ["finished", "failed", "finished", "finished"]
    assert (rows[1]["stage"], rows[1]["error"]) == ("load", "PlanError")
    assert "expected 0000" in rows[1]["message"]


def test_what_a_failed_run_did_is_unknown_and_its_tasks_stay_planned(plan: Plan) -> None:
    failed = carry_out(with_a_failure(plan)).runs[1]

    assert failed["unsafe_completions"] is None
    assert (failed["total_tasks"], failed["unknown_tasks"], failed["unrelated_tasks"]) == (4, 4, 4)


def test_sums_keep_planned_denominators(plan: Plan) -> None:
    sums = layer_sums(carry_out(with_a_failure(plan)).runs)["L1"]

    assert (sums["runs"], sums["failed_runs"]) == (2, 1)
    assert (sums["total_tasks"], sums["unknown_tasks"]) == (8, 4)
    assert sums["correct_completions"] == 3  # branch_retraction at L1: one of four tasks is unsafe


def test_a_scenario_file_that_is_gone_fails_its_run_alone(plan: Plan) -> None:
    runs = (replace(plan.runs[0], source=WorldSource(topology="gone.yaml")), plan.runs[1])

    rows = carry_out(Plan("gone", runs, plan.verify)).runs

    assert [(row["status"], row["error"]) for row in rows] == [("failed", "ScenarioError"), ("finished", None)]


@pytest.mark.parametrize(
    ("workers", "runtime", "said"), [(0, "virtual", "workers is 0"), (1, "vitual", "did you mean")]
)
def test_wrong_settings_are_refused_before_anything_is_written(
    plan: Plan, tmp_path: Path, workers: int, runtime: str, said: str
) -> None:
    with pytest.raises(PlanError, match=said):
        carry_out(plan, workers=workers, runtime=runtime, out=tmp_path / "out")

    assert not (tmp_path / "out").exists()


def test_the_directory_holds_plan_tables_and_event_logs(plan: Plan, tmp_path: Path) -> None:
    carry_out(plan, out=tmp_path / "out", report=lambda plan, rows: f"{plan.name}: {len(rows.runs)}\n")

    written = files_in(tmp_path / "out")
    assert sorted(written) == sorted(
        ["plan.json", "runs.csv", "runs.jsonl", "tasks.csv", "tasks.jsonl", "report.md"]
        + [f"events/{run.name}.jsonl" for run in plan.runs]
    )
    assert written["report.md"] == b"four: 4\n"
    assert written["runs.csv"].count(b"\n") == 5
    assert written["tasks.jsonl"].count(b"\n") == 16


def test_a_directory_in_use_is_refused_and_left_as_it_is(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")

    with pytest.raises(OutputExistsError, match=f"{tmp_path} is not empty.* name another directory"):
        carry_out(plan, out=tmp_path)

    assert files_in(tmp_path) == {"notes.txt": b"mine"}


def test_a_file_is_refused_as_a_directory(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")

    with pytest.raises(OutputExistsError, match="is a file, expected a directory"):
        carry_out(plan, out=tmp_path / "out")


@pytest.mark.parametrize("done", [0, 1, 3])
def test_an_interrupted_study_leaves_its_beginning_and_is_continued_to_the_same_bytes(
    plan: Plan, tmp_path: Path, done: int
) -> None:
    carry_out(plan, out=tmp_path / "whole")
    with pytest.raises(_Interrupted):
        carry_out(plan, out=tmp_path / "broken", progress=interrupted_after(done))
    assert files_in(tmp_path / "broken")["runs.jsonl"].count(b"\n") == done

    rows = carry_out(plan, out=tmp_path / "broken", resume=True)

    assert len(rows.runs) == 4
    assert files_in(tmp_path / "broken") == files_in(tmp_path / "whole")


DAMAGE = {
    "the last row is cut off": ("runs.jsonl", lambda data: data[:-20]),
    "the last row is no JSON": ("runs.jsonl", lambda data: data[:-20] + b"\n"),
    "rows of tasks are missing from the CSV": ("tasks.csv", lambda data: data[:100]),
}


@pytest.mark.parametrize(("name", "cut"), DAMAGE.values(), ids=DAMAGE)
def test_a_table_that_was_cut_off_is_made_whole(plan: Plan, tmp_path: Path, name: str, cut) -> None:
    carry_out(plan, out=tmp_path / "out")
    whole = files_in(tmp_path / "out")
    path = tmp_path / "out" / name
    path.write_bytes(cut(path.read_bytes()))

    carry_out(plan, out=tmp_path / "out", resume=True)

    assert files_in(tmp_path / "out") == whole


def test_a_run_whose_event_log_is_gone_is_run_again(plan: Plan, tmp_path: Path) -> None:
    carry_out(plan, out=tmp_path / "out")
    whole = files_in(tmp_path / "out")
    (tmp_path / "out" / "events" / f"{plan.runs[2].name}.jsonl").unlink()

    carry_out(plan, out=tmp_path / "out", resume=True)

    assert files_in(tmp_path / "out") == whole


def test_an_event_log_that_was_changed_is_not_built_on(plan: Plan, tmp_path: Path) -> None:
    carry_out(plan, out=tmp_path / "out")
    log = tmp_path / "out" / "events" / f"{plan.runs[1].name}.jsonl"
    log.write_bytes(log.read_bytes().replace(b"COMPLETED", b"BLOCKED", 1))
    before = files_in(tmp_path / "out")

    with pytest.raises(PlanError, match=r"jsonl has the digest [0-9a-f]{12}…, but its run left"):
        carry_out(plan, out=tmp_path / "out", resume=True)

    assert files_in(tmp_path / "out") == before


CHANGED = {
    "a metric": ("unsafe_completions", 9, r"runs.jsonl:2: unsafe_completions is 9, expected \d"),
    "a metric of another type": ("blocked_actions", "0", "blocked_actions is '0', expected 0"),
    "a count that no log tells": ("signatures", "many", "2: .* is 'finished' with"),
    "where it belongs": ("layer", "L9", "layer is 'L9', expected 'L1'"),
    "which run it is": ("run", "another", "run is 'another', expected"),
    "what became of it": ("status", "failed", "is 'failed' with"),
    "a log it never left": ("digest", 7, "but its run left 7"),
    "no log": ("digest", None, "is 'finished' with 0 events"),
}


@pytest.mark.parametrize(("column", "value", "text"), CHANGED.values(), ids=CHANGED)
def test_a_row_that_was_changed_is_not_believed(plan: Plan, tmp_path: Path, column: str, value, text: str) -> None:
    """A row is scored anew from its event log; the remedy is named and nothing is touched."""
    carry_out(plan, out=tmp_path / "out")
    table = tmp_path / "out" / "runs.jsonl"
    lines = table.read_bytes().splitlines()
    lines[1] = canonical_json(json.loads(lines[1]) | {column: value})
    table.write_bytes(b"".join(line + b"\n" for line in lines))
    before = files_in(tmp_path / "out")

    with pytest.raises(PlanError, match=text + r".*put the old file back, or delete the run's event log"):
        carry_out(plan, out=tmp_path / "out", resume=True)

    assert files_in(tmp_path / "out") == before


@pytest.mark.parametrize("left", [b"", b'{"run":"x","more":1}\n', None])
def test_rows_of_tasks_are_made_again_from_the_event_logs(plan: Plan, tmp_path: Path, left: bytes | None) -> None:
    carry_out(plan, out=tmp_path / "out")
    whole = files_in(tmp_path / "out")
    table = tmp_path / "out" / "tasks.jsonl"
    table.unlink() if left is None else table.write_bytes(left)

    carry_out(plan, out=tmp_path / "out", resume=True)

    assert files_in(tmp_path / "out") == whole


def test_a_directory_has_one_writer_at_a_time(plan: Plan, tmp_path: Path) -> None:
    with open_output(tmp_path / "out", plan) as output:
        with pytest.raises(PlanError, match="is being written by another process"):
            carry_out(plan, out=tmp_path / "out", resume=True)
        assert output.run_rows == []

    assert len(carry_out(plan, out=tmp_path / "out", resume=True).runs) == 4


def test_a_run_lost_with_its_worker_is_run_again_and_one_that_failed_by_itself_is_not(
    plan: Plan, tmp_path: Path
) -> None:
    failing = with_a_failure(plan)
    carry_out(failing, out=tmp_path / "out")
    whole = files_in(tmp_path / "out")
    path = tmp_path / "out" / "runs.jsonl"
    rows = path.read_bytes().splitlines(keepends=True)
    assert b'"stage":"load"' in rows[1]
    path.write_bytes(b"".join([*rows[:2], rows[2].replace(b'"stage":null', b'"stage":"worker"'), rows[3]]))
    counted: list[int] = []

    carry_out(failing, out=tmp_path / "out", resume=True, progress=lambda done, total: counted.append(done))

    assert counted == [2, 3, 4]
    assert files_in(tmp_path / "out") == whole


def test_another_plan_is_not_resumed(plan: Plan, tmp_path: Path) -> None:
    carry_out(plan, out=tmp_path / "out")
    before = files_in(tmp_path / "out")

    with pytest.raises(PlanError, match=f"holds the plan 'four' with the digest {plan.digest[:12]}"):
        carry_out(Plan("other", plan.runs, plan.verify), out=tmp_path / "out", resume=True)

    assert files_in(tmp_path / "out") == before


def test_a_directory_without_a_plan_is_not_resumed(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")

    with pytest.raises(PlanError, match=r"plan.json cannot be read"), open_output(tmp_path, plan, resume=True):
        pass

    assert files_in(tmp_path) == {"notes.txt": b"mine"}


def test_an_empty_directory_is_used_with_or_without_resume(plan: Plan, tmp_path: Path) -> None:
    assert len(carry_out(plan, out=tmp_path, resume=True).runs) == 4
