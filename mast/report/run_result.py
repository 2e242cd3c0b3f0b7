"""One finished run as a person looks at it: metrics, tasks, events, and graphs of what went where."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mast.experiments.outcome import METRIC_COLUMNS, RUN_COLUMNS, TASK_COLUMNS, RunOutcome
from mast.experiments.scoring import Metrics, TaskScore
from mast.report.frames import frame
from mast.report.graphs import claim_graph, propagation_graph
from mast.report.tables import escaped, html_table
from mast.scenario import World
from trustrail.foundation import parse_json

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

_EVENT_COLUMNS = ("seq", "tick", "stage", "agent_id", "type", "provenance", "body")


class RunResult:
    """What one run showed.

    Attributes:
        world: what was run.
        name: ``topology/case/business/layer/seed``.
        metrics: counts of the run.
        tasks: what became of each task.
        digest: digest of the event log, 64 hex digits.
        lines: the event log as it was hashed, one canonical JSON line per event.
    """

    def __init__(self, world: World, outcome: RunOutcome) -> None:
        assert outcome.metrics is not None
        assert outcome.digest is not None
        self.world = world
        self.name: str = outcome.planned.name
        self.metrics: Metrics = outcome.metrics
        self.tasks: tuple[TaskScore, ...] = outcome.tasks
        self.digest: str = outcome.digest
        self.lines: tuple[bytes, ...] = outcome.lines
        self._outcome = outcome

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """The canonical events of the run, in order (``trustrail.events.v0.1``)."""
        return [parse_json(line) for line in self.lines]

    def graph(self) -> "nx.DiGraph[str]":
        """Return the graph of claims; an edge leads from a parent to what derives from it.

        Each claim has ``issuer``, ``order``, ``invalid`` (it should not be relied on), ``reached`` (organizations
        that accepted it in the forward phase) and ``tasks`` (those resting on it).
        """
        return claim_graph(self.world, self.events)

    def propagation(self) -> "nx.DiGraph[str]":
        """Return the graph of organizations; an edge is at least one handoff accepted in the forward phase.

        Each edge has ``claims`` and, of these, the ``bad`` ones; each organization says whether something bad
        ``reached`` it, and what it answered to its ``tasks``.
        """
        return propagation_graph(self.world, self.events, self.tasks)

    def to_frame(self) -> "pd.DataFrame":
        """Return the run as a DataFrame of one row, with the columns of ``runs.csv``."""
        return frame([self.row()], RUN_COLUMNS)

    def tasks_frame(self) -> "pd.DataFrame":
        """Return a DataFrame of one row per task."""
        return frame(self.task_rows(), TASK_COLUMNS)

    def events_frame(self) -> "pd.DataFrame":
        """Return a DataFrame of one row per event, its turn taken apart into tick and stage."""
        return frame([{**event, **_turn(event)} for event in self.events], _EVENT_COLUMNS)

    def row(self) -> dict[str, Any]:
        """Return the run's row of the table of runs."""
        return self._outcome.run_row()

    def task_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the run's tasks, as in the table of tasks."""
        return self._outcome.task_rows()

    def __repr__(self) -> str:
        metrics = self.metrics
        return (
            f"RunResult({self.name}: {metrics.unsafe_completions} of {metrics.total_tasks} tasks unsafe, "
            f"{metrics.correct_completions} correct, digest {self.digest[:12]}…)"
        )

    def _repr_html_(self) -> str:
        tasks = html_table(
            ["task", "owner", "affected", "result", "unsafe", "correct"],
            [[str(asdict(task)[name]) for name in _SHOWN] for task in self.tasks],
        )
        metrics = html_table(["metric", "value"], [[name, str(getattr(self.metrics, name))] for name in METRIC_COLUMNS])
        return f"<p><b>{escaped(self.name)}</b> <code>{self.digest[:12]}…</code></p>{tasks}<details>{metrics}</details>"


_SHOWN = ("task", "owner", "affected", "result", "unsafe", "correct")


def _turn(event: Mapping[str, Any]) -> dict[str, Any]:
    tick, _, stage = (event["turn_id"] or "").partition("/")
    return {"tick": int(tick) if tick else None, "stage": stage}
