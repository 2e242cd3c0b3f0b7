"""LangGraph as the scheduler of a run: one graph step advances one task. The authority keeps the truth.

The graph has no checkpointer and keeps nothing between processes; a new one resumes from the authority. Needs the
``langgraph`` extra.
"""

from typing import Any, TypedDict

from trailforge.errors import MissingExtraError
from trailforge.harness.harness import Harness
from trailforge.harness.state import RUNNABLE, RunStatus
from trailforge.work import Goal


class ScheduleState(TypedDict):
    """What travels between graph steps: a copy for routing, never the truth."""

    status: str


def langgraph_schedule(harness: Harness, goal: Goal, run_id: str = "") -> Any:  # noqa: ANN401 - a compiled graph
    """Return a compiled graph that starts *goal* and advances it until it ends or holds.

    Raises:
        MissingExtraError: if langgraph is not installed.
    """
    try:
        from langgraph.graph import END, START, StateGraph
    except ImportError as error:
        raise MissingExtraError("the LangGraph schedule", "langgraph") from error

    def admit_goal(state: ScheduleState) -> ScheduleState:  # noqa: ARG001 - the graph hands every node its state
        return {"status": harness.start(goal, run_id).status.value}

    def advance(state: ScheduleState) -> ScheduleState:  # noqa: ARG001
        return {"status": harness.advance(goal, run_id).status.value}

    def route(state: ScheduleState) -> str:
        # WAITING is runnable, but not now: units are freed elsewhere.
        runnable = RunStatus(state["status"]) in RUNNABLE - {RunStatus.WAITING}
        return "advance" if runnable else END

    graph = StateGraph(ScheduleState)
    graph.add_node("admit", admit_goal)
    graph.add_node("advance", advance)
    graph.add_edge(START, "admit")
    graph.add_conditional_edges("admit", route)
    graph.add_conditional_edges("advance", route)
    # Each task is one graph step; two more admit and end.
    return graph.compile().with_config(recursion_limit=len(goal.tasks) + 2)
