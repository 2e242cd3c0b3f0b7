"""The frames between a study and its worker processes, and what a worker does with a job."""

from io import BytesIO

from mast.experiments.plan import Plan
from mast.experiments.study import carry_out
from mast.experiments.worker import Done, Job, read_frame, work, write_frame


def job_of(plan: Plan, share: tuple[int, ...]) -> BytesIO:
    source = BytesIO()
    write_frame(source, Job(plan=plan.to_json(), share=share, runtime="virtual"))
    source.seek(0)
    return source


def test_a_worker_does_its_share_in_order(plan: Plan) -> None:
    sink = BytesIO()

    work(job_of(plan, (1, 3)), sink)

    sink.seek(0)
    done = [read_frame(sink, Done), read_frame(sink, Done), read_frame(sink, Done)]
    digests = [row["digest"] for row in carry_out(plan).runs]
    assert [(item.index, item.digest) if item else None for item in done] == [(1, digests[1]), (3, digests[3]), None]


def test_a_frame_that_is_cut_off_is_the_end(plan: Plan) -> None:
    whole = job_of(plan, (0,)).getvalue()

    assert read_frame(BytesIO(whole[:-1]), Job) is None
    assert read_frame(BytesIO(whole[:3]), Job) is None


def test_a_worker_whose_reader_is_gone_stops(plan: Plan) -> None:
    class Closed(BytesIO):
        attempts = 0

        def write(self, data: object) -> int:
            self.attempts += 1
            raise BrokenPipeError

    sink = Closed()

    work(job_of(plan, (0, 1, 2, 3)), sink)

    assert sink.attempts == 1


def test_a_worker_without_a_job_does_nothing() -> None:
    sink = BytesIO()

    work(BytesIO(b""), sink)

    assert sink.getvalue() == b""
