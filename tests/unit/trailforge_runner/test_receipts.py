"""Commands, launches, receipts and verdicts as plain values."""

from dataclasses import replace
from pathlib import Path

import pytest

from trailforge.errors import CommandError
from trailforge.runner import (
    Bubblewrap,
    Command,
    Docker,
    Mounts,
    Outcome,
    RunReceipt,
    RunResult,
    judge,
)
from trailforge.runner.receipt import OutputRecord, TreePair
from trailforge.work import Verdict

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # SHA-256 of nothing, FIPS 180-4
COMMAND = Command(arguments=("/usr/bin/true",), timeout_ms=1000)
MOUNTS = Mounts(candidate=Path("/srv/candidate"), candidate_writable=False, checks=Path("/srv/checks"))
IMAGE = "registry.example/checks@sha256:" + "a" * 64
NOTHING = OutputRecord(sha256=EMPTY, kept=0, size=0)
RECEIPT = RunReceipt(
    goal="1" * 64,
    command=COMMAND.digest,
    isolation={"isolation": "bubblewrap"},
    candidate=TreePair(before="2" * 64, after="2" * 64),
    candidate_writable=False,
    checks=TreePair(before="3" * 64, after="3" * 64),
    outcome=Outcome.EXITED,
    code=0,
    signal=None,
    stdout=NOTHING,
    stderr=NOTHING,
    left_over=False,
)


class Says:
    name = "verifier/1"

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    def judge(self, criterion: str, result: RunResult) -> tuple[Verdict, str]:
        return self.verdict, f"{criterion} looked at"


def result(receipt: RunReceipt) -> RunResult:
    return RunResult(receipt=receipt, stdout=b"", stderr=b"")


def test_exit_code_zero_alone_is_unknown() -> None:
    assert RECEIPT.code == 0
    assert RECEIPT.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("verdict", list(Verdict))
def test_verifier_decides_over_an_execution_without_doubt(verdict: Verdict) -> None:
    judgement = judge(result(RECEIPT), "tests", Says(verdict))

    assert judgement.verdict is verdict
    assert judgement.receipt == RECEIPT.digest
    assert judgement.verifier == "verifier/1"


DOUBTFUL = {
    "timed out": ({"outcome": Outcome.TIMED_OUT, "code": None}, "did not exit by itself"),
    "ended by a signal": ({"outcome": Outcome.SIGNALLED, "code": None, "signal": 11}, "did not exit by itself"),
    "a process may be left": ({"left_over": True}, "may have outlived"),
    "checks changed": ({"checks": TreePair(before="3" * 64, after="4" * 64)}, "protected checks changed"),
    "candidate changed": ({"candidate": TreePair(before="2" * 64, after="4" * 64)}, "may not write it"),
}


@pytest.mark.parametrize(("change", "reason"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_pass_over_a_doubtful_execution_is_unknown(change: dict[str, object], reason: str) -> None:
    judgement = judge(result(replace(RECEIPT, **change)), "tests", Says(Verdict.PASS))

    assert judgement.verdict is Verdict.UNKNOWN
    assert reason in judgement.reason


@pytest.mark.parametrize(("change", "reason"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_fail_over_a_doubtful_execution_stays_fail(change: dict[str, object], reason: str) -> None:
    assert judge(result(replace(RECEIPT, **change)), "tests", Says(Verdict.FAIL)).verdict is Verdict.FAIL


def test_candidate_of_a_writing_command_may_change() -> None:
    written = TreePair(before="2" * 64, after="4" * 64)

    assert replace(RECEIPT, candidate=written, candidate_writable=True).doubts() == ()


@pytest.mark.parametrize(
    "change",
    [
        {"goal": "9" * 64},
        {"command": "9" * 64},
        {"isolation": {"isolation": "process-group"}},
        {"candidate": TreePair(before="2" * 64, after="9" * 64)},
        {"checks": None},
        {"code": 1},
        {"stdout": OutputRecord(sha256=EMPTY, kept=0, size=1)},
        {"left_over": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_receipt_digest_binds_every_field(change: dict[str, object]) -> None:
    assert replace(RECEIPT, **change).digest != RECEIPT.digest


REFUSED = {
    "no program": ({"arguments": ()}, "has 0 arguments"),
    "empty program": ({"arguments": ("",)}, "expected 1 to 256"),
    "257 arguments": ({"arguments": ("a",) * 257}, "has 257 arguments"),
    "NUL": ({"arguments": ("a", "b\x00c")}, "has a NUL"),
    "no time": ({"timeout_ms": 0}, "timeout is 0 ms"),
    "more than a day": ({"timeout_ms": 86_400_001}, "expected an integer from 1 to 86400000"),
    "variable with an equals sign": ({"environment": (("A=B", "c"),)}, "'A=B' is not a name"),
    "variable given twice": ({"environment": (("A", "b"), ("A", "c"))}, "given twice"),
    "arguments in one text": ({"arguments": "true"}, "arguments are a str, expected a tuple"),
    "a number": ({"arguments": ("a", 5)}, "arguments hold a int, expected texts"),
    "a lone surrogate": ({"arguments": ("a\ud800",)}, "has a lone surrogate"),
    "environment by name": ({"environment": {"A": "b"}}, "is no tuple of"),
    "half a millisecond": ({"timeout_ms": 1.5}, "timeout is 1.5 ms"),
    "true": ({"timeout_ms": True}, "timeout is True ms"),
    "no output": ({"max_output_bytes": 0}, "max_output_bytes is 0"),
}


@pytest.mark.parametrize(("change", "problem"), REFUSED.values(), ids=REFUSED)
def test_command_out_of_bounds_is_refused(change: dict[str, object], problem: str) -> None:
    with pytest.raises(CommandError, match=problem):
        replace(COMMAND, **change)


def test_environment_order_does_not_change_the_command() -> None:
    one = replace(COMMAND, environment=(("A", "1"), ("B", "2")))
    other = replace(COMMAND, environment=(("B", "2"), ("A", "1")))

    assert one.digest == other.digest


@pytest.mark.parametrize("image", ["python:3.11", "python@sha256:" + "a" * 63, "python@sha256:" + "A" * 64, ""])
def test_image_without_a_digest_is_refused(image: str) -> None:
    with pytest.raises(CommandError, match="has no digest"):
        Docker(image)


def test_docker_container_has_no_network_no_capability_and_read_only_trees() -> None:
    arguments = Docker(IMAGE).launch(COMMAND, MOUNTS).arguments
    text = " ".join(arguments)

    assert "--network none" in text
    assert "--cap-drop ALL" in text
    assert "--read-only" in text
    assert "--volume /srv/candidate:/candidate:ro" in text
    assert "--volume /srv/checks:/checks:ro" in text
    assert arguments[-3:] == ("--entrypoint", "/usr/bin/true", IMAGE)


def test_two_containers_have_two_names() -> None:
    docker = Docker(IMAGE)

    assert docker.launch(COMMAND, MOUNTS).label != docker.launch(COMMAND, MOUNTS).label


@pytest.mark.parametrize(("writable", "option"), [(True, "--bind"), (False, "--ro-bind")])
def test_bubblewrap_binds_the_candidate_as_asked_and_the_checks_read_only(writable: bool, option: str) -> None:
    mounts = replace(MOUNTS, candidate_writable=writable)
    text = " ".join(Bubblewrap().launch(COMMAND, mounts).arguments)

    assert f"{option} /srv/candidate /candidate" in text
    assert "--ro-bind /srv/checks /checks" in text
    assert "--unshare-all" in text
    assert "--clearenv" in text
