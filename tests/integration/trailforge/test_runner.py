"""Commands run for real: in bubblewrap, in a bare process group, and against a stand-in for Docker's client."""

import os
import signal
from pathlib import Path

import pytest

from trailforge.errors import CommandError, IsolationUnavailableError, PathRefusedError
from trailforge.harness import NoTelemetry, Signal
from trailforge.runner import (
    Bubblewrap,
    Command,
    CommandRunner,
    Docker,
    Isolation,
    Outcome,
    ProcessGroup,
    RunResult,
)
from trustrail.foundation import digest_hex

GOAL = "1" * 64


@pytest.fixture(params=["bubblewrap", "process-group"])
def isolation(request: pytest.FixtureRequest) -> Isolation:
    return request.getfixturevalue("boxed") if request.param == "bubblewrap" else ProcessGroup()


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    candidate, checks = tmp_path / "candidate", tmp_path / "checks"
    candidate.mkdir()
    checks.mkdir()
    (candidate / "app.txt").write_bytes(b"candidate\n")
    (checks / "expected.txt").write_bytes(b"candidate\n")
    return candidate, checks


def run(
    isolation: Isolation, trees: tuple[Path, Path], script: str, *, timeout_ms: int = 20_000, **options: bool
) -> RunResult:
    candidate, checks = trees
    command = Command(
        arguments=("/bin/sh", "-c", script),
        timeout_ms=timeout_ms,
        max_output_bytes=1000,
        environment=(("STARTED_FOR", str(candidate)),),
    )
    return CommandRunner(isolation).run(command, goal=GOAL, candidate=candidate, checks=checks, **options)


def test_receipt_binds_trees_output_and_exit_code(isolation: Isolation, trees: tuple[Path, Path]) -> None:
    result = run(isolation, trees, "cat app.txt; echo problem >&2; exit 3")

    assert result.stdout == b"candidate\n"
    assert result.stderr == b"problem\n"
    assert result.receipt.outcome is Outcome.EXITED
    assert result.receipt.code == 3
    assert result.receipt.stdout.sha256 == digest_hex(b"candidate\n")
    assert result.receipt.goal == GOAL
    assert result.receipt.candidate.before == result.receipt.candidate.after
    assert result.receipt.checks.before == result.receipt.checks.after
    assert result.receipt.isolation == isolation.record()


def test_same_command_over_the_same_trees_gives_the_same_receipt(
    isolation: Isolation, trees: tuple[Path, Path]
) -> None:
    first, second = run(isolation, trees, "cat app.txt"), run(isolation, trees, "cat app.txt")

    assert first.receipt.digest == second.receipt.digest


def test_time_limit_ends_the_whole_group_though_a_grandchild_holds_the_output(
    isolation: Isolation, trees: tuple[Path, Path]
) -> None:
    """Row 26 of the durable reference: nobody is left who could write the canary after the time limit."""
    candidate, _ = trees
    script = "sh -c 'sleep 3600; echo alive > canary' & echo started; sleep 3600"
    result = run(isolation, trees, script, timeout_ms=1500, candidate_writable=True)

    assert result.receipt.outcome is Outcome.TIMED_OUT
    assert result.receipt.code is None
    assert result.stdout == b"started\n"
    assert not result.receipt.left_over
    assert processes_of(candidate) == []
    assert not (candidate / "canary").exists()


def test_grandchild_left_behind_by_a_command_that_ended_is_killed(
    isolation: Isolation, trees: tuple[Path, Path]
) -> None:
    """Row 26 of the durable reference, for a command that ends in time."""
    candidate, _ = trees
    result = run(isolation, trees, "sleep 3600 & echo done")

    assert result.receipt.outcome is Outcome.EXITED
    assert result.stdout == b"done\n"
    assert not result.receipt.left_over
    assert processes_of(candidate) == []


def test_session_leaver_is_ended_by_bubblewrap(boxed: Bubblewrap, trees: tuple[Path, Path]) -> None:
    candidate, _ = trees
    result = run(boxed, trees, "setsid sleep 3600 & echo started; sleep 3600", timeout_ms=1500)

    assert result.receipt.outcome is Outcome.TIMED_OUT
    assert not result.receipt.left_over
    assert processes_of(candidate) == []


def test_session_leaver_outside_bubblewrap_is_reported(trees: tuple[Path, Path]) -> None:
    """A bare process group cannot end it, so the receipt says that a process may be left."""
    candidate, _ = trees
    result = run(ProcessGroup(), trees, "setsid sleep 3600 & sleep 3600", timeout_ms=1500)
    survivors = processes_of(candidate)
    for process in survivors:
        os.kill(process, signal.SIGKILL)

    assert len(survivors) == 1
    assert result.receipt.left_over
    assert "outlived" in " ".join(result.receipt.doubts())


def test_flood_of_output_is_counted_cut_and_still_timed_out(isolation: Isolation, trees: tuple[Path, Path]) -> None:
    result = run(isolation, trees, "yes", timeout_ms=1500)

    assert result.receipt.outcome is Outcome.TIMED_OUT
    assert len(result.stdout) == 1000
    assert result.receipt.stdout.size > 1000
    assert result.receipt.stdout.kept == 1000


def test_host_environment_is_not_passed_on(
    isolation: Isolation, trees: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")

    assert b"hunter2" not in run(isolation, trees, "env").stdout


def test_command_in_bubblewrap_cannot_write_candidate_checks_or_system(
    boxed: Bubblewrap, trees: tuple[Path, Path]
) -> None:
    script = "for place in /candidate /checks /usr; do touch $place/x 2>/dev/null && echo wrote $place; done; true"
    result = run(boxed, trees, script)

    assert result.stdout == b""
    assert result.receipt.doubts() == ()


def test_command_in_bubblewrap_sees_no_network_and_no_other_process(
    boxed: Bubblewrap, trees: tuple[Path, Path]
) -> None:
    result = run(boxed, trees, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; ls -d /proc/[0-9]* | wc -l")
    interface, processes = result.stdout.decode().split()

    assert interface == "lo"
    assert int(processes) < 10


def test_writable_candidate_shows_in_the_receipt(boxed: Bubblewrap, trees: tuple[Path, Path]) -> None:
    result = run(boxed, trees, "echo more >> app.txt", candidate_writable=True)

    assert (trees[0] / "app.txt").read_bytes() == b"candidate\nmore\n"
    assert result.receipt.candidate.before != result.receipt.candidate.after
    assert result.receipt.candidate_writable


def test_changed_checks_show_as_a_doubt_where_nothing_prevents_it(trees: tuple[Path, Path]) -> None:
    result = run(ProcessGroup(), trees, 'echo x > "$TRAILFORGE_CHECKS/expected.txt"')

    assert result.receipt.doubts() == ("the protected checks changed during the execution",)


def test_file_larger_than_its_limit_cannot_be_written(isolation: Isolation, trees: tuple[Path, Path]) -> None:
    command = Command(
        arguments=("/bin/sh", "-c", "head -c 5000 /dev/zero > app.txt"), timeout_ms=20_000, max_file_bytes=4096
    )
    candidate, checks = trees
    result = CommandRunner(isolation).run(
        command, goal=GOAL, candidate=candidate, checks=checks, candidate_writable=True
    )

    assert (candidate / "app.txt").stat().st_size <= 4096
    assert result.receipt.code != 0


def test_checks_within_the_candidate_are_refused(trees: tuple[Path, Path]) -> None:
    candidate, _ = trees
    (candidate / "checks").mkdir()
    with pytest.raises(PathRefusedError, match="expected two trees"):
        run(ProcessGroup(), (candidate, candidate / "checks"), "true")
    with pytest.raises(PathRefusedError, match="expected two trees"):
        run(ProcessGroup(), (candidate / "checks", candidate), "true")


def test_missing_program_is_named_with_its_remedy() -> None:
    with pytest.raises(IsolationUnavailableError, match="apt-get install bubblewrap"):
        Bubblewrap(program="no-such-bwrap").record()


def test_process_group_without_resource_limits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "exists", lambda self: False)
    with pytest.raises(IsolationUnavailableError, match="apt-get install util-linux"):
        ProcessGroup().record()


def test_forbidden_namespaces_are_named_with_their_remedy(tmp_path: Path) -> None:
    refusing = script(tmp_path, 'echo "bwrap: No permissions to create new namespace" >&2; exit 1')
    with pytest.raises(IsolationUnavailableError, match=r"No permissions .*unprivileged_userns_clone=1"):
        Bubblewrap(program=str(refusing)).record()


def test_missing_docker_engine_is_named_with_its_remedy(tmp_path: Path) -> None:
    image = "checks@sha256:" + "a" * 64
    refusing = script(tmp_path, 'echo "Cannot connect to the Docker daemon" >&2; exit 1')
    with pytest.raises(IsolationUnavailableError, match=r"Cannot connect .* start a Docker engine"):
        Docker(image, program=str(refusing)).record()
    with pytest.raises(IsolationUnavailableError, match="start a Docker engine"):
        Docker(image, program=str(tmp_path / "absent")).record()


@pytest.mark.parametrize(("removal", "left_over"), [("exit 0", False), ("exit 1", True)])
def test_container_is_removed_by_name_when_the_time_is_up(
    trees: tuple[Path, Path], tmp_path: Path, removal: str, left_over: bool
) -> None:
    """Killing Docker's client leaves its container running, so it is removed; a failure shows in the receipt."""
    calls = tmp_path / "calls"
    client = script(
        tmp_path,
        f'echo "$1 $2 $3 $4" >> {calls}\ncase "$1" in version) echo 27.0;; run) sleep 3600;; rm) {removal};; esac',
    )
    docker = Docker("checks@sha256:" + "a" * 64, program=str(client))
    counted: list[Signal] = []

    class Counter(NoTelemetry):
        def count(self, signal: Signal, state: str = "") -> None:
            counted.append(signal)

    candidate, checks = trees
    command = Command(arguments=("/bin/true",), timeout_ms=1500)
    runner = CommandRunner(docker, telemetry=Counter())
    result = runner.run(command, goal=GOAL, candidate=candidate, checks=checks)
    _version, started, removed = calls.read_text(encoding="utf-8").splitlines()

    assert result.receipt.outcome is Outcome.TIMED_OUT
    assert result.receipt.isolation["image"] == "checks@sha256:" + "a" * 64
    assert started.split()[1:3] == ["--name", removed.split()[3]]
    assert result.receipt.left_over is left_over
    assert counted == ([Signal.CLEANUP_FAILED] if left_over else [])


def test_program_that_cannot_be_started_is_refused(trees: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be started"):
        run(Docker("checks@sha256:" + "a" * 64, program=str(vanishing(tmp_path))), trees, "true")


def script(folder: Path, body: str) -> Path:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def vanishing(folder: Path) -> Path:
    """Return a client that answers once and is gone when it is needed again."""
    return script(folder, 'echo 27.0; rm -- "$0"')


def processes_of(candidate: Path) -> list[int]:
    """Return the processes that were started for *candidate*, in whatever namespace they are."""
    mark = f"STARTED_FOR={candidate}".encode()
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        if mark in environment.split(b"\x00"):
            found.append(int(process.name))
    return found


@pytest.mark.parametrize("goal", ["x", "A" * 64, "", None, 5], ids=repr)
def test_a_goal_that_is_no_digest_is_refused_before_anything_starts(trees: tuple[Path, Path], goal: object) -> None:
    candidate, _ = trees
    command = Command(arguments=("/usr/bin/touch", str(candidate / "started")), timeout_ms=1_000)
    with pytest.raises(CommandError, match="expected the digest of a goal"):
        CommandRunner(ProcessGroup()).run(command, goal=goal, candidate=candidate, candidate_writable=True)
    assert not (candidate / "started").exists()


LEFT = {"a link": "ln -s app.txt link", "deep folders": "mkdir -p " + "d/" * 70}


@pytest.mark.parametrize("script", LEFT.values(), ids=LEFT)
def test_a_command_that_leaves_an_unreadable_tree_has_a_receipt_with_a_doubt(
    isolation: Isolation, trees: tuple[Path, Path], script: str
) -> None:
    receipt = run(isolation, trees, script, candidate_writable=True).receipt

    assert (receipt.outcome, receipt.code, receipt.candidate.after) == (Outcome.EXITED, 0, "")
    assert receipt.doubts() == ("the candidate could not be read after the execution",)
