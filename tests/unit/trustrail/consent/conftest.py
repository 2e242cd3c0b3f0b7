"""Small talks, written as lines, turned into canonical events."""

import pytest

from trustrail.consent import read_consent, rules_for
from trustrail.events import AgentMessage, CustomerMessage, Event, ToolCall, ToolResult
from trustrail.objects import find_domain_pack


class Talk:
    """Builds a stream: ``talk.customer(..).agent(..).call(..).result(..)``."""

    def __init__(self, pack="retail-orders", languages=None):
        self.pack = find_domain_pack(pack)
        self.languages = languages
        self.events = []

    def add(self, body, **envelope):
        source = envelope.pop("source", "test")
        self.events.append(Event(seq=len(self.events), test_run_id="talk", source=source, body=body, **envelope))
        return self

    def customer(self, text):
        return self.add(CustomerMessage(text=text))

    def agent(self, text):
        return self.add(AgentMessage(text=text))

    def call(self, tool, call_id=None, **arguments):
        return self.add(ToolCall(call_id=call_id or f"call-{len(self.events)}", tool=tool, arguments=arguments))

    def bare_call(self, tool, call_id="c"):
        return self.add(ToolCall(call_id=call_id, tool=tool, arguments=None))

    def result(self, result, status="ok", error=None):
        call = next(event.body for event in reversed(self.events) if isinstance(event.body, ToolCall))
        return self.add(ToolResult(call_id=call.call_id, tool=call.tool, status=status, result=result, error=error))

    def consents(self):
        return read_consent(self.events, rules_for(self.pack, self.languages))

    def statuses(self):
        return [consent.status.value for consent in self.consents()]


@pytest.fixture
def talk():
    return Talk
