"""The Develop profile: PLAN, RESEARCH, BUILD, DEBUG, VERIFY, HEALTH, one to three times, over one candidate.

Five phases are the host's; HEALTH is built in. The harness sees six adapters and an ordinary goal. Every output
records the trees it ended on, VERIFY's also the round and the goal, so that evidence belongs to exactly one
candidate.
"""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from trailforge.errors import PathRefusedError, TrailforgeError
from trailforge.profiles.develop.continuity import Continuity
from trailforge.profiles.develop.phases import (
    HOST_PHASES,
    KINDS,
    CandidateView,
    Evidence,
    HostPhase,
    Phase,
    PhaseContext,
)
from trailforge.profiles.develop.rounds import (
    Baseline,
    adapter_name,
    declared_goal,
    develop_goal,
    effect_of,
    require_host_phases,
    task_id,
)
from trailforge.work import Adapter, Goal, Limits, Request, Verdict
from trailforge.workspace import ArtifactScope, CandidateWorkspace, HeldRoot, LocalArtifactStore

PROFILE_VERSION = "1"
"""Version of the built-in part; it is part of every adapter's identity."""


class DevelopProfile:
    """Adapters and goals of one development.

    Args:
        workspace: the candidates.
        checks: root of the protected criteria; neither tree may contain the other.
        artifacts: where snapshots of the candidates are kept.
        phases: the host's parts.

    Raises:
        AdmissionError: if a host phase is missing or may do too much.
        PathRefusedError: if the check tree and the candidate tree lie one within the other.
    """

    def __init__(
        self,
        workspace: CandidateWorkspace,
        checks: Path,
        artifacts: LocalArtifactStore,
        phases: Mapping[Phase, HostPhase],
    ) -> None:
        require_host_phases(phases)
        self._workspace = workspace
        self._phases = dict(phases)
        self._checks = HeldRoot(checks)
        if self._checks.contains(workspace.root) or workspace.root.contains(self._checks):
            self._checks.close()
            root = workspace.root.location
            raise PathRefusedError(str(checks), f"lies within the candidate root {root}, or around it")
        self.continuity = Continuity(workspace, self._checks, artifacts)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the check tree; workspace and artifacts stay with their owner."""
        self._checks.close()

    def goal(
        self, *, tenant: str, resource: str, objective: str, rounds: int = 1, limits: Limits | None = None
    ) -> Goal:
        """Return the goal of a development that starts from the trees as they are now.

        To resume a run use the goal it was admitted with (``harness.status(run_id).record.state.goal``), since
        the trees have moved on.

        Raises:
            AdmissionError: if *rounds* is not 1 to 3.
        """
        return develop_goal(
            tenant=tenant,
            resource=resource,
            objective=objective,
            rounds=rounds,
            baseline=self.continuity.trees().digests(),
            host=self._phases,
            limits=limits or Limits(),
        )

    def declared(self, goal: Goal, *, tenant: str, resource: str) -> Goal:
        """Return what *goal* must be if it is a development this profile declared for *tenant* and *resource*.

        Raises:
            AdmissionError: if it has not the shape of one.
        """
        return declared_goal(goal, self._phases, tenant=tenant, resource=resource)

    def adapters(self) -> tuple[Adapter, ...]:
        """Return the six adapters of this development, for a harness."""
        parts = [self._host_adapter(phase) for phase in HOST_PHASES]
        health = Adapter(
            name=adapter_name(Phase.HEALTH),
            version=PROFILE_VERSION,
            kind=KINDS[Phase.HEALTH],
            call=self._health,
            effects=(effect_of(Phase.HEALTH, self._phases),),
            settings=self._settings(),
        )
        return (*parts, health)

    def _host_adapter(self, phase: Phase) -> Adapter:
        part = self._phases[phase]

        def call(request: Request) -> dict[str, Any]:
            return self._run(phase, part, request)

        return Adapter(
            name=adapter_name(phase),
            version=part.version,
            kind=KINDS[phase],
            call=call,
            effects=(effect_of(phase, self._phases),),
            settings={**self._settings(), "host": dict(part.settings)},
        )

    def _settings(self) -> dict[str, Any]:
        return {
            "candidates": list(self._workspace.paths),
            "max_file_bytes": self._workspace.max_file_bytes,
            "profile": f"develop/{PROFILE_VERSION}",
        }

    def _run(self, phase: Phase, part: HostPhase, request: Request) -> dict[str, Any]:
        number = request.input["round"]
        scope = ArtifactScope(tenant=request.tenant, resource=request.resource)
        if phase is Phase.BUILD and request.attempt > 1:
            # What an unfinished attempt wrote was never accepted; this one starts where that one did.
            research = request.outputs[task_id(number, Phase.RESEARCH)]
            self.continuity.restore_snapshot(scope, research["snapshot"])
        before = self.continuity.require(_expected(request))
        writer = self._workspace.writer(lambda: _renew(request)) if phase is Phase.BUILD else None
        context = PhaseContext(
            phase=phase,
            round=number,
            objective=request.input["objective"],
            goal_digest=request.goal_digest,
            attempt=request.attempt,
            earlier={name: output["result"] for name, output in request.outputs.items()},
            candidate=CandidateView(self._workspace),
            writer=writer,
            checks=self._checks.location if phase is Phase.VERIFY else None,
        )
        try:
            result = part.call(context)
        finally:
            if writer is not None:
                writer.end()
        after = self.continuity.require_allowed_change(before, phase)
        output = {**after.digests().to_record(), "phase": phase.value, "round": number, "result": result}
        if phase is Phase.VERIFY:
            return {**output, **_bound_evidence(result, request.goal_digest)}
        if phase is Phase.RESEARCH:
            return {**output, "snapshot": self.continuity.keep_snapshot(scope)}
        return output

    def _health(self, request: Request) -> dict[str, Any]:
        """Say whether the candidate and the checks are still what DEBUG left and VERIFY judged."""
        number = request.input["round"]
        verify = request.outputs[task_id(number, Phase.VERIFY)]
        debug = request.outputs[task_id(number, Phase.DEBUG)]
        now = self.continuity.trees().digests().to_record()
        agree = {
            "goal": verify["goal"] == request.goal_digest,
            "round": verify["round"] == number,
            **{f"{tree} since DEBUG": debug[tree] == digest for tree, digest in now.items()},
            **{f"{tree} since VERIFY": verify[tree] == digest for tree, digest in now.items()},
        }
        broken = sorted(name for name, holds in agree.items() if not holds)
        verdict = Verdict.FAIL if broken else Verdict.PASS
        return {
            **now,
            "phase": Phase.HEALTH.value,
            "result": {"changed": broken},
            "round": number,
            "verdict": verdict.value,
        }


def _expected(request: Request) -> Baseline:
    """Return the trees the last accepted phase left, or the baseline for the first.

    HEALTH leaves nothing: it says what it found, which need not be what VERIFY left.
    """
    order = list(Phase)
    left = {Phase(output["phase"]): output for output in request.outputs.values()}
    left.pop(Phase.HEALTH, None)
    if not left:
        return Baseline(**request.input["baseline"])
    last = left[max(left, key=order.index)]
    return Baseline(candidate=last["candidate"], checks=last["checks"])


def _renew(request: Request) -> None:
    """Extend the lease before a write; `LeaseLostError` then keeps the write from happening."""
    request.renew()


def _bound_evidence(result: Any, goal_digest: str) -> dict[str, Any]:  # noqa: ANN401 - whatever the host returned
    if not isinstance(result, Evidence):
        raise TrailforgeError(f"VERIFY returned a {type(result).__name__}, expected an Evidence")
    return {"goal": goal_digest, "result": result.details, "verdict": Verdict(result.verdict).value}
