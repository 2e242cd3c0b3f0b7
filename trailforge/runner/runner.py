"""CommandRunner: run one command over a candidate and its protected checks, and write the receipt."""

import re
from pathlib import Path
from typing import Final

from trailforge.errors import CommandError, PathListError, PathRefusedError, TooManyBytesError
from trailforge.errors.showing import shown
from trailforge.harness.telemetry import Signal, Telemetry, unfailing
from trailforge.runner.command import Command, Mounts
from trailforge.runner.isolation import Isolation
from trailforge.runner.process import Execution, execute
from trailforge.runner.receipt import OutputRecord, RunReceipt, RunResult, TreePair
from trailforge.workspace import HeldRoot, read_tree

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class CommandRunner:
    """Runs commands under one isolation.

    Args:
        isolation: what keeps the command from the rest of the machine.
        telemetry: where it is counted when something may be left of a command.
    """

    def __init__(self, isolation: Isolation, *, telemetry: Telemetry | None = None) -> None:
        self._isolation = isolation
        self._telemetry = unfailing(telemetry)

    def run(
        self,
        command: Command,
        *,
        goal: str,
        candidate: Path,
        checks: Path | None = None,
        candidate_writable: bool = False,
    ) -> RunResult:
        """Run *command* and return its receipt with the output it binds.

        Args:
            command: what to run, with its bounds.
            goal: digest of the goal it is run for, 64 hex digits.
            candidate: root of the candidate tree.
            checks: root of the protected criteria; neither tree may contain the other.
            candidate_writable: whether the command may write below *candidate*.

        Raises:
            IsolationUnavailableError: if the isolation cannot be had; nothing was started.
            CommandError: if the program cannot be started.
            PathRefusedError, LinkedFileError, TooManyBytesError, PathListError: if a tree cannot be read before the
                command starts. One that cannot be read afterwards leaves a receipt that says so.
        """
        _require_digest(goal)
        mounts = Mounts(
            candidate=candidate.resolve(),
            candidate_writable=candidate_writable,
            checks=checks.resolve() if checks is not None else None,
        )
        isolation = self._isolation.record()
        _require_apart(mounts)
        before = _digest(mounts.candidate), _digest(mounts.checks)
        execution, left_over = self._execute(command, mounts)
        after = _digest_left(mounts.candidate), _digest_left(mounts.checks)
        receipt = RunReceipt(
            goal=goal,
            command=command.digest,
            isolation=isolation,
            candidate=TreePair(before=before[0], after=after[0]),
            candidate_writable=candidate_writable,
            checks=TreePair(before=before[1], after=after[1]) if mounts.checks is not None else None,
            outcome=execution.outcome,
            code=execution.code,
            signal=execution.signal,
            stdout=OutputRecord.of(execution.stdout),
            stderr=OutputRecord.of(execution.stderr),
            left_over=left_over,
        )
        return RunResult(receipt=receipt, stdout=execution.stdout.data, stderr=execution.stderr.data)

    def _execute(self, command: Command, mounts: Mounts) -> tuple[Execution, bool]:
        """Run *command* to its end; return with what came of it whether anything of it may be left."""
        launch = self._isolation.launch(command, mounts)
        execution = execute(launch, timeout_ms=command.timeout_ms, max_output_bytes=command.max_output_bytes)
        cleaned = self._isolation.clean_up(launch)
        left_over = execution.left_over or not cleaned
        if left_over:
            self._telemetry.count(Signal.CLEANUP_FAILED, execution.outcome.value)
        return execution, left_over


def _require_digest(goal: object) -> None:
    if not isinstance(goal, str) or not _DIGEST.fullmatch(goal):
        raise CommandError(f"goal is {shown(goal, 80)}, expected the digest of a goal, 64 lower-case hex digits")


def _digest(tree: Path | None) -> str:
    if tree is None:
        return ""
    with HeldRoot(tree) as root:
        return read_tree(root).digest


def _digest_left(tree: Path | None) -> str:
    """Return the digest of what a command left, or an empty text: it may have left anything."""
    try:
        return _digest(tree)
    except (PathRefusedError, PathListError, TooManyBytesError, OSError):
        return ""


def _require_apart(mounts: Mounts) -> None:
    if mounts.checks is None:
        return
    with HeldRoot(mounts.candidate) as candidate, HeldRoot(mounts.checks) as checks:
        if candidate.contains(checks) or checks.contains(candidate):
            problem = f"lies within the candidate root {mounts.candidate}, or around it; expected two trees"
            raise PathRefusedError(str(mounts.checks), problem)
