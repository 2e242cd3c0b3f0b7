"""A small outside world for publisher tests: an external system that can lose either direction, and a host guard."""

from collections.abc import Callable
from dataclasses import replace

from trailforge.publishing import (
    Acknowledgement,
    Dispatch,
    ExecutionMode,
    Finding,
    GuardedAction,
    Inspection,
    Intent,
    Ruling,
)
from trailforge.publishing.intent import AdmittedIntent

POLICY = "2" * 64

INTENT = Intent(
    tenant="acme",
    resource="site",
    goal_digest="1" * 64,
    policy_digest=POLICY,
    revision="r7",
    action="deploy",
    payload={"version": "1.2.3"},
    adapter="site/1",
    mode=ExecutionMode.LIVE,
)


class ExternalSystem:
    """Keeps what it was sent, by operation id; `answer` decides what the sender hears."""

    name = "site/1"
    mode = ExecutionMode.LIVE

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.sends = 0
        self.inspections = 0
        self.lose_request = False
        self.answer: Callable[[Acknowledgement], object] = lambda acknowledgement: acknowledgement
        self.inspected: Callable[[Inspection], object] = lambda inspection: inspection

    def send(self, dispatch: Dispatch) -> Acknowledgement:
        self.sends += 1
        if self.lose_request:
            raise TimeoutError("no answer")
        self.kept[dispatch.operation_id] = dispatch.payload_digest
        acknowledgement = Acknowledgement(
            operation_id=dispatch.operation_id, intent_digest=dispatch.intent_digest, receipt={"number": 17}
        )
        return self.answer(acknowledgement)

    def inspect(self, dispatch: Dispatch) -> Inspection:
        self.inspections += 1
        found = self.kept.get(dispatch.operation_id, "")
        inspection = Inspection(
            operation_id=dispatch.operation_id,
            finding=Finding.FOUND if found else Finding.NOT_FOUND,
            payload_digest=found,
            evidence={"looked": True},
        )
        return self.inspected(inspection)


class Guard:
    """Allows what it is asked, under the policy and at the revision it is set to."""

    def __init__(self) -> None:
        self.denied: set[GuardedAction] = set()
        self.policy = POLICY
        self.revision = "r7"
        self.asked: list[GuardedAction] = []
        self.change: dict[str, object] = {}

    def rule(self, action: GuardedAction, admitted: AdmittedIntent, actor: str) -> Ruling:
        self.asked.append(action)
        ruling = Ruling(
            action=action,
            intent_digest=admitted.digest,
            allowed=action not in self.denied,
            policy_digest=self.policy,
            revision=self.revision,
        )
        return replace(ruling, **self.change)


def time_out(_acknowledgement: Acknowledgement) -> object:
    raise TimeoutError("the answer was lost")
