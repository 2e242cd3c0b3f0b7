"""Events of an ADK session: a list of them, a session with ``events``, or a dump with ``adk_events`` and no spans.

Partial events repeat the id of the final one. The request to approve a call and its answer are functions of
their own; the call itself is answered with a pause until then.
"""

from typing import Any, Final

from trustrail.adapters.adapter import Adapter
from trustrail.adapters.chat import text_or_none
from trustrail.adapters.document import Document
from trustrail.adapters.payload import lost_result
from trustrail.adapters.run import Run, RunWriter
from trustrail.adapters.spans.approvals import confirmation
from trustrail.adapters.spans.messages import Message, read_message
from trustrail.adapters.spans.outcome import status_of_payload
from trustrail.adapters.spans.session_events import APPROVAL_TOOL, is_session_event, read_session_events
from trustrail.errors import UnknownShapeError
from trustrail.events import (
    AgentHandoff,
    AgentInvocation,
    AgentMessage,
    CustomerMessage,
    ToolCall,
    ToolResult,
)

NAME: Final = "adk-session"


def recognises(document: Document) -> bool:
    """Whether *document* holds session events and no spans."""
    events = _events(document.value)
    return bool(events) and all(is_session_event(event) for event in events)


def read(document: Document, test_run_id: str) -> list[Run]:
    """Return the one run of the file.

    Raises:
        UnknownShapeError: if a record is no session event, or tells of a call in an unknown form.
    """
    events = _events(document.value)
    if not events:
        raise UnknownShapeError(document.name, "holds no ADK session events")
    for index, event in enumerate(events):
        if not is_session_event(event):
            raise UnknownShapeError(document.name, f"events[{index}] is no ADK session event")
    conversation = document.value.get("id") if isinstance(document.value, dict) else None
    writer = RunWriter(
        test_run_id=test_run_id,
        source=NAME,
        file=document.name,
        conversation_id=text_or_none(conversation),
    )
    try:
        reader = _Reader(writer, events)
        for event in events:
            reader.add(event)
    except UnknownShapeError as error:
        raise UnknownShapeError(document.name, str(error)) from error
    return [writer.finish()]


class _Reader:
    """Writes session events in order, and who handed over to whom."""

    def __init__(self, writer: RunWriter, events: list[Any]) -> None:
        self.writer = writer
        self.decisions = read_session_events(events).decisions
        self.agent: str | None = None
        self.invocation: str | None = None

    def add(self, event: dict[str, Any]) -> None:
        """Write what *event* says."""
        message = read_message(event.get("content"))
        place = f"event {event.get('id')}"
        self._enter(event, place)
        if message is None:
            return
        author = text_or_none(event.get("author"))
        if author == "user":
            self._write_customer(message, place)
            return
        response = self.writer.next_response() if message.role == "assistant" else None
        if message.text:
            body = AgentMessage(text=message.text, partial=bool(event.get("partial")), model_turn=response)
            self.writer.add(body, provenance=place, agent_id=author)
        for request in message.requests:
            if request.tool != APPROVAL_TOOL:
                call = ToolCall(
                    call_id=request.call_id,
                    tool=request.tool,
                    arguments=request.arguments,
                    model_turn=response,
                )
                self.writer.add(call, provenance=place, agent_id=author)
        self._write_results(message, place, author)

    def _enter(self, event: dict[str, Any], place: str) -> None:
        """Write that a turn whose customer words are lost began, or that another agent began to work."""
        author = text_or_none(event.get("author"))
        invocation = text_or_none(event.get("invocation_id", event.get("invocationId")))
        if author == "user":
            self.agent, self.invocation = None, invocation
            return
        if invocation != self.invocation:
            self.agent, self.invocation = None, invocation
            missing = "the session events hold no message of the customer for this turn"
            self.writer.add(CustomerMessage(text=None, missing=missing), provenance=place)
        if author is None or author == self.agent:
            return
        if self.agent is not None:
            body = AgentHandoff(to_agent_id=author, lineage=(self.agent, author))
            self.writer.add(body, provenance=place, agent_id=self.agent)
        invoked = AgentInvocation(name=author)
        self.writer.add(invoked, provenance=place, agent_id=author, parent_agent_id=self.agent)
        self.agent = author

    def _write_customer(self, message: Message, place: str) -> None:
        decided = [self.decisions[call_id] for call_id in self.decisions if self.decisions[call_id].record == place]
        if message.text or decided:
            self.writer.add(CustomerMessage(text=message.text), provenance=place)
        for decision in decided:
            body = confirmation(decision, answer_seq=self.writer.next_seq - 1)
            self.writer.add(body, provenance=place)

    def _write_results(self, message: Message, place: str, author: str | None) -> None:
        for answer in message.answers:
            outcome = status_of_payload(answer.result, is_error=answer.is_error)
            body = ToolResult(
                call_id=answer.call_id,
                tool=answer.tool,
                status=outcome.status,
                result=answer.result,
                error=outcome.error,
                missing=lost_result(answer.result) if outcome.status == "unknown" else None,
            )
            self.writer.add(body, provenance=place, agent_id=author)


def _events(value: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        value = None if value.get("spans") else value.get("adk_events", value.get("events"))
    return value if isinstance(value, list) else []


ADAPTER = Adapter(
    name=NAME,
    summary="events of a Google ADK session",
    recognises=recognises,
    read=read,
)
