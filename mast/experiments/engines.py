"""Where the runs of a plan are carried out: in this process, or in several local ones.

One rule: outcomes come in the order of the plan, whatever the number of workers, so tables and digests are the
same. A worker that dies costs its own runs only; each becomes a failed one.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO, Final

from mast.errors import PlanError, nearest
from mast.experiments.execution import perform
from mast.experiments.outcome import RunFailure, RunOutcome
from mast.experiments.plan import Plan
from mast.experiments.worker import Done, Job, read_frame, write_frame
from mast.runtime import RUNTIMES

PIPE_BYTES: Final = 1 << 20
"""How far a worker may run ahead of the reader, where the system allows to say so."""


def carried_out(plan: Plan, pending: Sequence[int], *, workers: int = 1, runtime: str) -> Iterator[RunOutcome]:
    """Yield the outcome of each *pending* run of *plan*, by position, in that order.

    Args:
        plan: the plan.
        pending: positions of the runs to carry out.
        workers: number of processes; 1 uses this one.
        runtime: ``virtual`` or ``threads``.
    """
    if workers == 1 or len(pending) <= 1:
        return (perform(plan.runs[index], verify=plan.verify, runtime=runtime) for index in pending)
    return _in_processes(plan, pending, min(workers, len(pending)), runtime)


def check_engine(workers: int, runtime: str) -> None:
    """Return when runs can be carried out by so many *workers* on that *runtime*.

    Raises:
        PlanError: if *workers* is not positive or there is no such runtime.
    """
    if workers < 1:
        raise PlanError(f"workers is {workers}, expected 1 or more")
    if runtime not in RUNTIMES:
        raise PlanError(f"runtime is {runtime!r}{nearest(runtime, RUNTIMES)}")


def _in_processes(plan: Plan, pending: Sequence[int], workers: int, runtime: str) -> Iterator[RunOutcome]:
    shares = [tuple(pending[start::workers]) for start in range(workers)]
    text = plan.to_json()
    processes = [_start() for _ in shares]
    try:
        for process, share in zip(processes, shares, strict=True):
            # A worker that is dead already will be missed when its first outcome is read.
            with suppress(BrokenPipeError):
                write_frame(_pipe(process.stdin), Job(plan=text, share=share, runtime=runtime))
        for turn, index in enumerate(pending):
            yield _next_outcome(plan, index, processes[turn % workers])
    finally:
        for process in processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()


def _start() -> subprocess.Popen[bytes]:
    # A session of its own: an interrupt from the keyboard comes to this process alone, which then ends its workers.
    return subprocess.Popen(
        [sys.executable, "-m", "mast.experiments.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        pipesize=PIPE_BYTES,
    )


def _next_outcome(plan: Plan, index: int, process: subprocess.Popen[bytes]) -> RunOutcome:
    planned = plan.runs[index]
    done = read_frame(_pipe(process.stdout), Done)
    if done is None:
        message = f"its worker process ended with exit code {process.wait()} before the run was done"
        failure = RunFailure(stage="worker", error=ChildProcessError.__name__, message=message)
        return RunOutcome(planned=planned, verify=plan.verify, failure=failure)
    assert done.index == index
    return RunOutcome(
        planned=planned,
        verify=plan.verify,
        digest=done.digest,
        lines=done.lines,
        metrics=done.metrics,
        tasks=done.tasks,
        failure=done.failure,
    )


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "every worker is started with pipes"
    return stream
