"""One engine, one measurement, one process: ``python -m benchmarks.durable_engines ENGINE MEASURE STEPS FOLDER``.

Every engine does the same work, durably on one SQLite file: a chain of trivial pure steps. Imports and opening the
store are outside the clock. The measures:

* ``run``: seconds for STEPS steps, the first of a fresh process.
* ``warm``: the same, after another run of as many steps.
* ``die``: run and be killed (SIGKILL) inside the step after half of them.
* ``resume``: go on after ``die``; the wall-clock time of the first new step.

Nothing of an engine is imported before it is asked for, so that each can live in an environment of its own.
"""

import json
import operator
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

Steps = Callable[[int], dict[str, int]]
Run = Callable[[int, str, str], None]
"""Runs so many steps under a name, as the measure says."""


class Body:
    """The step every engine runs; it can die in one, and remembers when it first ran."""

    def __init__(self, die_at: int | None = None) -> None:
        self.die_at = die_at
        self.first: float | None = None

    def __call__(self, number: int) -> dict[str, int]:
        if self.first is None:
            self.first = time.time()
        if number == self.die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"number": number}


def trailforge(folder: Path, body: Steps, vfs: str | None = None) -> Run:
    from trailforge.authority import SqliteAuthority
    from trailforge.harness import Harness
    from trailforge.work import Adapter, AdapterKind, Check, Goal, Limits, Recovery, Task

    def verify(_request: Any) -> dict[str, str]:
        return {"verdict": "PASS"}

    adapters = (
        Adapter(name="step", version="1", kind=AdapterKind.RESEARCH, call=lambda request: body(request.input["n"])),
        Adapter(name="verify", version="1", kind=AdapterKind.VERIFY, call=verify),
    )
    harness = Harness(SqliteAuthority(folder / "trailforge.db", vfs=vfs), adapters)

    def run(steps: int, name: str, measure: str) -> None:
        tasks = [Task(id=f"step-{n}", adapter="step", input={"n": n}) for n in range(steps - 1)]
        goal = Goal(
            tenant="bench",
            resource="bench@1",
            objective=f"{steps} trivial pure steps",
            tasks=(*tasks, Task(id="verify", adapter="verify")),
            checks=(Check(name="done", task="verify"),),
            limits=Limits(max_units=2 * steps),
            recovery=Recovery.REATTEMPT_READS,
        )
        view = harness.resume(goal, name, fence=True) if measure == "resume" else harness.run(goal, name)
        assert view.status == "COMPLETED", view.status

    return run


def floor(folder: Path, body: Steps) -> Run:
    """The raw floor: two commits per task, WAL, synchronous=FULL, no digest, no journal, no ledger."""
    import sqlite3

    connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS steps (run TEXT, n INT, state TEXT, output TEXT, PRIMARY KEY (run, n))"
    )

    def run(steps: int, name: str, _measure: str) -> None:
        for number in range(steps):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO steps VALUES (?, ?, 'RUNNING', NULL)", (name, number))
            connection.execute("COMMIT")
            output = json.dumps(body(number))
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(
                "UPDATE steps SET state = 'DONE', output = ? WHERE run = ? AND n = ?", (output, name, number)
            )
            connection.execute("COMMIT")

    return run


def dbos(folder: Path, body: Steps) -> Run:
    from dbos import DBOS, SetWorkflowID

    DBOS(
        config={
            "name": "bench",
            "system_database_url": f"sqlite:///{folder}/dbos.sqlite",
            "run_admin_server": False,
            "log_level": "ERROR",
        }
    )

    @DBOS.step()
    def step(number: int) -> dict[str, int]:
        return body(number)

    @DBOS.workflow()
    def flow(steps: int) -> int:
        for number in range(steps):
            step(number)
        return steps

    DBOS.launch()

    def run(steps: int, name: str, _measure: str) -> None:
        with SetWorkflowID(name):
            flow(steps)

    return run


def langgraph(folder: Path, body: Steps) -> Run:
    import sqlite3

    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph

    class State(TypedDict):
        number: int
        outputs: Annotated[list[dict[str, int]], operator.add]
        steps: int

    def step(state: State) -> dict[str, Any]:
        return {"number": state["number"] + 1, "outputs": [body(state["number"])]}

    graph = StateGraph(State)
    graph.add_node("step", step)
    graph.add_edge(START, "step")
    graph.add_conditional_edges("step", lambda state: "step" if state["number"] < state["steps"] else END)
    saver = SqliteSaver(sqlite3.connect(folder / "langgraph.db", check_same_thread=False))
    saver.conn.execute("PRAGMA synchronous = FULL")
    compiled = graph.compile(checkpointer=saver)

    def run(steps: int, name: str, measure: str) -> None:
        config = {"configurable": {"thread_id": name}, "recursion_limit": steps + 2}
        start = None if measure == "resume" else {"number": 0, "outputs": [], "steps": steps}
        compiled.invoke(start, config, durability="sync")

    return run


def call4agents(folder: Path, body: Steps) -> Run:
    import call4agents as c4a

    c4a.init(str(folder / "call4agents.sqlite"))
    step = c4a.effect(body_named_step(body))

    def run(steps: int, name: str, _measure: str) -> None:
        with c4a.run(name):
            for number in range(steps):
                step(number)

    return run


def body_named_step(body: Steps) -> Steps:
    def step(number: int) -> dict[str, int]:
        return body(number)

    return step


ENGINES = {engine.__name__: engine for engine in (trailforge, floor, dbos, langgraph, call4agents)}


def main() -> None:
    engine, measure, steps, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])
    body = Body(steps // 2 if measure == "die" else None)
    run = ENGINES[engine](folder, body)
    name = f"measured{os.environ.get('BENCH_RUN', '')}"
    if measure == "warm":
        run(steps, f"first-{name}", measure)
    started = time.perf_counter()
    cpu = time.process_time()
    run(steps, name, measure)
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "cpu": time.process_time() - cpu, "first_step_at": body.first}), flush=True)
    os._exit(0)  # DBOS and LangGraph leave threads behind; nothing measured is lost


if __name__ == "__main__":
    main()
