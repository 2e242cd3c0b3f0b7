"""One planned run, carried out: load its world, run it, score its events.

A run is a pure function of its world, its mechanisms and its seed. Whatever goes wrong becomes a `RunFailure`.
Packets are bound to their run, so a memory of checked signatures is of no use to another run and each has its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from mast.errors import PlanError
from mast.experiments.fingerprint import world_digest
from mast.experiments.outcome import RunFailure, RunOutcome, Stage
from mast.experiments.plan import PlannedRun
from mast.experiments.scoring import score
from mast.runtime import run_world
from mast.scenario import World
from trustrail.foundation import VerifyMode


def perform(planned: PlannedRun, *, verify: VerifyMode, runtime: str = "virtual") -> RunOutcome:
    """Return what became of *planned*; an error becomes a failed outcome, whatever it is.

    Args:
        planned: the run.
        verify: how signatures are made and checked.
        runtime: ``virtual`` or ``threads``; the outcome is the same.
    """
    stage: Stage = "load"
    try:
        world = _planned_world(planned)
        stage = "run"
        record = run_world(
            world, planned.mechanisms, run_id=planned.name, seed=planned.seed, runtime=runtime, verify=verify
        )
        stage = "score"
        result = score(world, record.lines, signatures=record.signatures, verifications=record.verifications)
    except Exception as error:  # noqa: BLE001 - one failed run must not end a sweep; it is a row
        failure = RunFailure(stage=stage, error=type(error).__name__, message=str(error))
        return RunOutcome(planned=planned, verify=verify, failure=failure)
    return RunOutcome(
        planned=planned,
        verify=verify,
        digest=record.digest,
        lines=record.lines,
        metrics=result.metrics,
        tasks=result.tasks,
    )


def scored_again(planned: PlannedRun, row: Mapping[str, Any], lines: Sequence[bytes], verify: VerifyMode) -> RunOutcome:
    """Return the outcome that *row* tells of, scored anew from the event log *lines* it left.

    Signatures and verifications are not in the log; those of *row* are believed.

    Raises:
        PlanError: if the world cannot be made again, or is no longer the world that was planned.
        MastError: if the log cannot be scored.
    """
    if row["status"] != "finished":
        failure = RunFailure(stage=row["stage"], error=str(row["error"]), message=str(row["message"]))
        return RunOutcome(planned=planned, verify=verify, failure=failure)
    result = score(_planned_world(planned), lines, signatures=row["signatures"], verifications=row["verifications"])
    return RunOutcome(planned=planned, verify=verify, digest=row["digest"], metrics=result.metrics, tasks=result.tasks)


def _planned_world(planned: PlannedRun) -> World:
    """Return the world of *planned*.

    Raises:
        PlanError: if it cannot be made again, or is no longer the world that was planned.
    """
    if planned.source is None:
        raise PlanError(f"the world of {planned.name} was made by its caller; only the caller can run it again")
    world = planned.source.load()
    found = world_digest(world)
    if found != planned.world:
        raise PlanError(f"the world of {planned.name} now has the digest {found}, expected {planned.world}")
    return world
