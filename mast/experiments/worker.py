"""A worker process: reads one job from stdin, carries out its share of the runs, writes each outcome to stdout.

Started as ``python -m mast.experiments.worker`` rather than through `multiprocessing`, so that a study may be run
from a script without a main guard, and from a notebook. Frames are a four-byte length and msgpack.
"""

import sys
from typing import IO, TypeVar

import msgspec

from mast.experiments.execution import perform
from mast.experiments.outcome import RunFailure
from mast.experiments.plan import plan_from_json
from mast.experiments.scoring import Metrics, TaskScore

Frame = TypeVar("Frame", bound=msgspec.Struct)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is to do."""

    plan: str
    """The text of ``plan.json``."""
    share: tuple[int, ...]
    """Positions of its runs in the plan."""
    runtime: str


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one run."""

    index: int
    digest: str | None
    lines: tuple[bytes, ...]
    metrics: Metrics | None
    tasks: tuple[TaskScore, ...]
    failure: RunFailure | None


def write_frame(stream: IO[bytes], frame: msgspec.Struct) -> None:
    """Write *frame* to *stream*."""
    data = msgspec.msgpack.encode(frame)
    stream.write(len(data).to_bytes(4, "big") + data)
    stream.flush()


def read_frame(stream: IO[bytes], kind: type[Frame]) -> Frame | None:
    """Return the next frame of *stream*, or None when the stream ended before it did."""
    size = stream.read(4)
    data = stream.read(int.from_bytes(size, "big")) if len(size) == 4 else b""
    if len(size) < 4 or len(data) < int.from_bytes(size, "big"):
        return None
    return msgspec.msgpack.decode(data, type=kind)


def work(source: IO[bytes], sink: IO[bytes]) -> None:
    """Carry out the job in *source*, writing outcomes to *sink* until done or until nobody reads them."""
    job = read_frame(source, Job)
    if job is None:
        return
    plan = plan_from_json(job.plan.encode(), "the job")
    for index in job.share:
        outcome = perform(plan.runs[index], verify=plan.verify, runtime=job.runtime)
        done = Done(
            index=index,
            digest=outcome.digest,
            lines=outcome.lines,
            metrics=outcome.metrics,
            tasks=outcome.tasks,
            failure=outcome.failure,
        )
        try:
            write_frame(sink, done)
        except BrokenPipeError:
            return


if __name__ == "__main__":
    work(sys.stdin.buffer, sys.stdout.buffer)
