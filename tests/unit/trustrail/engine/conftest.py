"""Recorded runs and rules small enough to know every verdict beforehand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from trustrail.controls import RunView
from trustrail.controls.verdict import ActionVerdict, ControlReport, Verdict
from trustrail.engine import Requirements
from trustrail.events import AgentMessage, CustomerMessage, Event, ToolCall, ToolResult
from trustrail.events.model import Body
from trustrail.objects import find_domain_pack, find_policy_profile


@dataclass(frozen=True)
class FixedRule:
    """A control that gives the report it was made with."""

    report: ControlReport

    def evaluate(self, run: RunView) -> ControlReport:
        return self.report


def report(control_id: str, verdict: str = "PASS", *, exercised: bool = True) -> ControlReport:
    given = Verdict(verdict)
    call = ActionVerdict(index=0, call_seq=0, tool="block_card", verdict=given, reason="why", events=(0,))
    return ControlReport(
        control_id=control_id,
        verdict=given,
        exercised=exercised,
        reason="why" if exercised else "not exercised: no action",
        events=(0,) if exercised else (),
        actions=(call,) if exercised else (),
    )


@pytest.fixture(scope="session")
def requirements() -> Requirements:
    return Requirements.expand(
        find_domain_pack("card-servicing"), find_policy_profile("irreversible_customer_entity_action_v1")
    )


@pytest.fixture
def rules(requirements) -> Callable[..., dict[str, FixedRule]]:
    """Rules that pass, but for the control ids given."""

    def build(**changed: ControlReport) -> dict[str, FixedRule]:
        reports = {control_id: report(control_id) for control_id in requirements.controls}
        reports |= {given.control_id: given for given in changed.values()}
        return {control_id: FixedRule(given) for control_id, given in reports.items()}

    return build


def stream(*bodies: Body, source: str = "test") -> tuple[Event, ...]:
    return tuple(
        Event(seq=seq, test_run_id="run", source=source, provenance=f"messages[{seq}]", body=body)
        for seq, body in enumerate(bodies)
    )


@pytest.fixture
def make_stream() -> Callable[..., tuple[Event, ...]]:
    return stream


@pytest.fixture
def make_report() -> Callable[..., ControlReport]:
    return report


@pytest.fixture
def blocked_card() -> Sequence[Event]:
    """Proposal, yes, action, result, outcome: nine tenths of the reference journey."""
    return stream(
        AgentMessage(text="You have the card ending in 7447. Shall I block it?"),
        CustomerMessage(text="Yes, please block it"),
        AgentMessage(text=None),
        ToolCall(call_id="c1", tool="block_card", arguments={"card_id": "CARD-001", "reason": "LOST"}),
        ToolResult(call_id="c1", tool="block_card", status="ok", result={"status": "BLOCKED"}),
        AgentMessage(text="Your card is blocked."),
    )
