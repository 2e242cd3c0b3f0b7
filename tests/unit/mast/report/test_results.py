"""Results as a person looks at them: frames, graphs, HTML, Markdown, drawings."""

import builtins
import io
from pathlib import Path

import pytest

import mast
from mast.errors import MissingExtraError
from mast.experiments.plan import Plan
from mast.report.markdown import study_report
from mast.report.run_result import RunResult
from mast.report.study_result import StudyResult


@pytest.fixture(scope="module")
def bare() -> RunResult:
    return mast.run("long_chain_fork", fault="intermediate_retraction", layer="L0")


@pytest.fixture(scope="module")
def full() -> RunResult:
    return mast.run("long_chain_fork", fault="intermediate_retraction", layer="L4")


@pytest.fixture(scope="module")
def studied() -> StudyResult:
    study = mast.study("long_chain_fork", ["active", "branch_retraction"], ["L0", "L1"], verify="mac")
    return study.run(progress=False)


def test_the_claims_invalid_after_a_revocation_are_it_and_its_descendants(bare: RunResult) -> None:
    invalid = {claim for claim, node in bare.graph().nodes(data=True) if node["invalid"]}

    assert invalid == {"shared_A", "common_A", "branch_A_a", "branch_A_b"}  # behaviour reference 3.1


def test_the_claim_graph_says_who_issued_what_and_whom_it_reached(bare: RunResult) -> None:
    node = bare.graph().nodes["common_A"]

    assert (node["issuer"], node["order"]) == ("chain_2", "A")
    assert node["reached"] == ("branch_a", "branch_b")
    assert node["tasks"] == ("A_a", "A_b")


def test_an_edge_leads_from_a_parent_to_its_child(bare: RunResult) -> None:
    assert list(bare.graph().predecessors("branch_A_b")) == ["common_A"]


def test_without_a_protocol_the_revoked_claim_travels_on_every_route(bare: RunResult) -> None:
    bad = {edge: data["bad"] for *edge, data in bare.propagation().edges(data=True) for edge in [tuple(edge)]}

    assert bad == {
        ("source", "chain_1"): (),
        ("chain_1", "chain_2"): ("shared_A",),
        ("chain_2", "branch_a"): ("common_A",),
        ("chain_2", "branch_b"): ("common_A",),
        ("branch_a", "receiver_a"): ("branch_A_a",),
        ("branch_b", "receiver_b"): ("branch_A_b",),
    }


def test_with_all_of_it_nobody_is_reached(full: RunResult) -> None:
    assert not any(reached for _, reached in full.propagation().nodes(data="reached"))


def test_organizations_show_what_became_of_their_tasks(full: RunResult) -> None:
    tasks = full.propagation().nodes["receiver_a"]["tasks"]

    assert tasks == {"A_a": "REQUEST_EVIDENCE", "C_a": "COMPLETED"}


def test_a_claim_issued_beside_the_topology_is_in_the_graph() -> None:
    graph = mast.run("long_chain_fork", fault="conflicting_sources", layer="L1", verify="mac").graph()

    assert graph.nodes["conflicting_root_A"]["issuer"] == "source"
    assert not graph.nodes["conflicting_root_A"]["invalid"]
    assert graph.nodes["root_A"]["invalid"]  # its amount is wrong


def test_events_are_parsed_lines_in_order(full: RunResult) -> None:
    assert [event["seq"] for event in full.events] == list(range(len(full.lines)))
    assert {event["schema_version"] for event in full.events} == {"trustrail.events.v0.1"}


def test_frames_have_one_row_per_run_task_and_event(full: RunResult) -> None:
    assert full.to_frame().loc[0, "unsafe_completions"] == 0
    assert list(full.tasks_frame()["task"]) == ["A_a", "A_b", "C_a", "C_b"]
    assert len(full.events_frame()) == len(full.lines)
    assert set(full.events_frame()["tick"]) == {0, 10, 11, 12, 13}  # seed, revoke, two notices before acting, one after


def test_a_study_sums_by_layer(studied: StudyResult) -> None:
    summary = studied.summary()

    assert list(summary["unsafe_completions"]) == [1, 1]
    assert list(summary["affected_tasks"]) == [1, 1]


def test_a_study_has_frames_of_runs_tasks_and_differences(studied: StudyResult) -> None:
    assert len(studied.to_frame()) == 4
    assert len(studied.tasks_frame()) == 16
    (difference,) = studied.differences(["propagated_handoffs"]).to_dict("records")
    assert (difference["baseline"], difference["layer"], difference["pairs"]) == ("L0", "L1", 2)
    assert difference["mean"] == -0.5  # L1 keeps the revoker from forwarding: 1 handoff less in one of two worlds


def test_html_shows_tasks_and_layers(full: RunResult, studied: StudyResult) -> None:
    assert "<td>REQUEST_EVIDENCE</td>" in full._repr_html_()
    assert "<td>1/1</td>" in studied._repr_html_()


def test_html_shows_names_as_they_are(studied: StudyResult) -> None:
    named = StudyResult(Plan("a<b & c", studied.plan.runs), studied.rows)

    assert "<b>a&lt;b &amp; c</b>" in named._repr_html_()


def test_a_report_says_what_was_planned_and_its_limits(studied: StudyResult) -> None:
    report = studied.report()

    assert f"Plan `{studied.plan.digest}`" in report
    assert "4 of 4 runs carried out, 0 failed" in report
    assert "prove nothing to a third party" in report
    assert "## Limits" in report


def test_a_report_lists_failed_runs(studied: StudyResult) -> None:
    plan = mast.study("long_chain_fork", ["active"], ["L0"]).plan
    row = {**studied.rows.runs[0], "status": "failed", "stage": "run", "error": "E", "message": "why"}

    report = study_report(Plan("one", plan.runs), type(studied.rows)(runs=[row], tasks=[]))

    assert "- `long_chain_fork/active/default/L0/0` at run: E: why" in report


def test_a_drawing_colours_what_travelled(bare: RunResult, full: RunResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    from matplotlib import pyplot as plt
    from matplotlib.colors import to_hex

    from mast.notebook import BAD, STOPPED, draw_claims, draw_propagation

    def colours(ax) -> list[str]:
        return [to_hex(dots.get_facecolor()[0]) for dots in ax.collections]

    assert colours(draw_propagation(bare)).count(BAD) == 5  # all but source and the revoker
    assert BAD not in colours(draw_propagation(full))
    assert colours(draw_claims(full)).count(STOPPED) == 4
    plt.close("all")


def test_without_pandas_the_extra_is_named(full: RunResult, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_pandas(name: str, *rest: object, **more: object) -> object:
        if name == "pandas":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_pandas)

    with pytest.raises(MissingExtraError, match=r"pandas is not installed; install mast-simulator\[notebook\]"):
        full.to_frame()


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_in_a_terminal_a_bar_counts_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    study = mast.study("long_chain_fork", ["active"], ["L0", "L1"], name="tiny", verify="mac")
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("NO_COLOR", "1")

    study.run()

    assert "tiny" in terminal.getvalue()
    assert "2/2" in terminal.getvalue()


def test_where_nobody_watches_no_bar_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    mast.study("long_chain_fork", ["active"], ["L0"], verify="mac").run()

    assert capsys.readouterr() == ("", "")


def test_a_study_writes_its_report(tmp_path: Path) -> None:
    mast.study("long_chain_fork", ["active"], ["L0"], name="tiny").run(out=tmp_path / "out", progress=False)

    assert (tmp_path / "out" / "report.md").read_text().startswith("# Study: tiny\n")
