"""Small runs written as lines, and the verdict of one control on them."""

import pytest

from trustrail.consent import bind_consent
from trustrail.controls import CONTROLS, RunView
from trustrail.events import (
    AgentHandoff,
    AgentInvocation,
    AgentMessage,
    ConfirmationEvent,
    CustomerMessage,
    Event,
    ToolCall,
    ToolResult,
)
from trustrail.objects import find_domain_pack, find_evidence_profile, find_policy_profile, parse_object

PROFILE = find_policy_profile("irreversible_customer_entity_action_v1")
CARDS = {"cards": [
    {"card_id": "card_7447", "masked_number": "•••• 7447", "last4": "7447", "display_name": "Blue Visa"},
    {"card_id": "card_9902", "masked_number": "•••• 9902", "last4": "9902", "display_name": "Red Master"},
]}  # fmt: skip
ONE_CARD = {"cards": CARDS["cards"][:1]}
BLOCKED = {"status": "BLOCKED"}

_OPEN_PACK = """
schema_version: trustrail.domain_pack.v0.1
pack_id: keyed-payments
entity_types:
  bill: { display_policy: full_reference }
tools:
  candidate_lookup: { names: [get_bills], result_entities_path: $.bills, entity_id_path: $.bill_id }
  action:
    names: [pay_bill]
    entity_id_argument: bill_id
    idempotency_argument: idempotency_key
"""


class Run:
    """Builds a stream and judges it: ``run().login().cards().ask().yes().block().verdict("TR-ACTION-001")``."""

    def __init__(self, pack="card-servicing", profile=PROFILE):
        text = _OPEN_PACK if pack == "keyed" else pack
        self.pack = parse_object(text.encode(), file="p.yaml") if "\n" in text else find_domain_pack(text)
        self.profile = profile
        self.events = []
        self.conversation = "talk"

    def add(self, body, **envelope):
        envelope = {"source": "test", "conversation_id": self.conversation, **envelope}
        self.events.append(Event(seq=len(self.events), test_run_id="run", body=body, **envelope))
        return self

    def login(self):
        detail = {"customer_ref": "CUST-1", "authentication_level": "STRONG"}
        return self.add(AgentInvocation(name="trustrail_login", detail=detail), source="trustrail-harness")

    def says(self, text):
        return self.add(CustomerMessage(text=text))

    def agent(self, text, *, partial=False, **envelope):
        return self.add(AgentMessage(text=text, partial=partial), **envelope)

    def call(self, tool, arguments, call_id=None, **envelope):
        return self.add(ToolCall(call_id=call_id, tool=tool, arguments=arguments), **envelope)

    def result(self, result, status="ok", error=None, call_id="same", retries=None, tool="same"):
        call = next(event.body for event in reversed(self.events) if isinstance(event.body, ToolCall))
        call_id = call.call_id if call_id == "same" else call_id
        tool = call.tool if tool == "same" else tool
        body = ToolResult(call_id=call_id, tool=tool, status=status, result=result, error=error, retries=retries)
        return self.add(body)

    def handoff(self, to, **envelope):
        return self.add(AgentHandoff(to_agent_id=to), **envelope)

    def approval(self, *, confirmed, call_id=None, covers=()):
        body = ConfirmationEvent(
            confirmed=confirmed, proposal_seq=None, answer_seq=None, call_id=call_id, covers=covers, reason="dialog"
        )
        return self.add(body)

    def cards(self, found=CARDS):
        return self.says("I've lost my card").call("get_cards", {}, "lookup").result(found)

    def ask(self, text="Shall I block your card ending in 7447?"):
        return self.agent(text)

    def yes(self, text="Yes"):
        return self.says(text)

    def block(self, card="card_7447", call_id="block", reason="LOST"):
        return self.call("block_card", {"card_id": card, "reason": reason}, call_id)

    def view(self):
        stream = bind_consent(self.events, self.pack, self.profile.languages)
        evidence = find_evidence_profile(self.profile.evidence_profile)
        return RunView.build(stream, pack=self.pack, profile=self.profile, evidence=evidence)

    def report(self, control):
        return CONTROLS[control].evaluate(self.view())

    def verdict(self, control):
        return self.report(control).verdict.value

    def each(self, control):
        return [action.verdict.value for action in self.report(control).actions]


@pytest.fixture
def run():
    return Run
