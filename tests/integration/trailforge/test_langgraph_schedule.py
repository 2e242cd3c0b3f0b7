"""LangGraph may schedule a run; the store stays the only truth."""

import pytest

from trailforge.authority import SqliteAuthority
from trailforge.harness import Harness
from trailforge.harness.langgraph_schedule import langgraph_schedule
from trailforge.testing import SAMPLE_ADAPTERS, sample_goal


@pytest.mark.parametrize("tasks", [1, 3, 40])
def test_graph_advances_a_run_to_its_end(tasks):
    authority = SqliteAuthority()
    harness = Harness(authority, SAMPLE_ADAPTERS.values())

    final = langgraph_schedule(harness, sample_goal(tasks=tasks)).invoke({"status": ""})

    assert final == {"status": "COMPLETED"}
    assert [run.status for run in authority.runs()] == ["COMPLETED"]
    authority.close()


def test_new_graph_goes_on_where_the_store_stands():
    """A graph keeps nothing: the second one finds two tasks done and runs only the third."""
    authority = SqliteAuthority()
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    goal = sample_goal(tasks=3)
    harness.start(goal)
    harness.advance(goal)
    before = harness.advance(goal)
    assert before.done == 2

    langgraph_schedule(Harness(authority, SAMPLE_ADAPTERS.values()), goal).invoke({"status": ""})

    assert harness.status(before.run_id).attempts_total == 3
    authority.close()
