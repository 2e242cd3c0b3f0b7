"""Receipts of execution, and the verdict over them, which is UNKNOWN until a trusted verifier says otherwise.

An exit code says how a program ended, not whether a requirement is met. A verifier of the host interprets the
receipt and the output against the criterion; where the execution itself is in doubt its PASS does not count.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from trailforge.runner.process import CapturedOutput, Outcome
from trailforge.work import Verdict
from trustrail.foundation import canonical_json, digest_hex


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRecord:
    """One output stream as the receipt binds it."""

    sha256: str
    """Digest of the kept bytes, 64 hex digits."""
    kept: int
    """Bytes kept."""
    size: int
    """Bytes written in all."""

    @classmethod
    def of(cls, output: CapturedOutput) -> "OutputRecord":
        """Return the record of *output*."""
        return cls(sha256=digest_hex(output.data), kept=len(output.data), size=output.size)

    def to_record(self) -> dict[str, Any]:
        """Return the record as a JSON object."""
        return {"kept": self.kept, "sha256": self.sha256, "size": self.size}


@dataclass(frozen=True, slots=True, kw_only=True)
class TreePair:
    """Digest of one tree before and after the execution; 64 hex digits each."""

    before: str
    after: str
    """Empty when the tree could not be read after the execution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReceipt:
    """What one execution was bound to and what was observed of it."""

    goal: str
    """Digest of the goal, 64 hex digits."""
    command: str
    """Digest of the command, 64 hex digits."""
    isolation: Mapping[str, Any]
    """What was in force, as the isolation recorded it, with the image where there is one."""
    candidate: TreePair
    candidate_writable: bool
    checks: TreePair | None
    outcome: Outcome
    code: int | None
    signal: int | None
    stdout: OutputRecord
    stderr: OutputRecord
    left_over: bool
    """Whether a process may have outlived the execution."""
    verdict: Verdict = Verdict.UNKNOWN
    """Always UNKNOWN here: an execution judges nothing."""

    def to_record(self) -> dict[str, Any]:
        """Return the receipt as a JSON object."""
        pairs = {"candidate": self.candidate, "checks": self.checks}
        trees = {name: pair and {"after": pair.after, "before": pair.before} for name, pair in pairs.items()}
        return {
            **trees,
            "candidate_writable": self.candidate_writable,
            "code": self.code,
            "command": self.command,
            "goal": self.goal,
            "isolation": dict(self.isolation),
            "left_over": self.left_over,
            "outcome": self.outcome.value,
            "signal": self.signal,
            "stderr": self.stderr.to_record(),
            "stdout": self.stdout.to_record(),
            "verdict": self.verdict.value,
        }

    @property
    def digest(self) -> str:
        """64 hex digits over the canonical record."""
        return digest_hex(canonical_json(self.to_record()))

    def doubts(self) -> tuple[str, ...]:
        """Return why this execution cannot support a PASS, if so."""
        doubts = []
        if self.outcome is not Outcome.EXITED:
            doubts.append(f"the command did not exit by itself ({self.outcome.value})")
        for name, pair in (("candidate", self.candidate), ("protected checks", self.checks)):
            if pair is not None and not pair.after:
                doubts.append(f"the {name} could not be read after the execution")
        if self.left_over:
            doubts.append("a process may have outlived the command")
        if self.checks is not None and self.checks.before != self.checks.after:
            doubts.append("the protected checks changed during the execution")
        if not self.candidate_writable and self.candidate.before != self.candidate.after:
            doubts.append("the candidate changed during an execution that may not write it")
        return tuple(doubts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A receipt with the output it binds."""

    receipt: RunReceipt
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict over one receipt and one criterion, with its reason."""

    receipt: str
    """Digest of the receipt, 64 hex digits."""
    criterion: str
    verifier: str
    """Name and version of who judged."""
    verdict: Verdict
    reason: str

    def to_record(self) -> dict[str, Any]:
        """Return the judgement as a JSON object."""
        return {
            "criterion": self.criterion,
            "reason": self.reason,
            "receipt": self.receipt,
            "verdict": self.verdict.value,
            "verifier": self.verifier,
        }


class Verifier(Protocol):
    """A trusted part of the host that interprets executions."""

    name: str
    """Name and version."""

    def judge(self, criterion: str, result: RunResult) -> tuple[Verdict, str]:
        """Return whether *result* shows that *criterion* is met, and the reason."""
        ...


def judge(result: RunResult, criterion: str, verifier: Verifier) -> Judgement:
    """Return what *verifier* says about *result*; a PASS over a doubtful execution becomes UNKNOWN."""
    verdict, reason = verifier.judge(criterion, result)
    doubts = result.receipt.doubts()
    if verdict is Verdict.PASS and doubts:
        verdict, reason = Verdict.UNKNOWN, "; ".join(doubts)
    return Judgement(
        receipt=result.receipt.digest,
        criterion=criterion,
        verifier=verifier.name,
        verdict=verdict,
        reason=reason,
    )
