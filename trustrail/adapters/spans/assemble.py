"""From facts to canonical events: one conversation, trace by trace.

Rules, in this order of strength:

1. Calls that one model response asked for stand before the results of any of them: none could use another's.
2. An execution span is one execution. A request that no execution answers stays visible as a call.
3. Histories repeat in every model call; only what was not yet seen becomes an event.
4. What an agent says inside a tool execution, or to another agent, is no message to the customer.
"""

from dataclasses import dataclass, field, replace

from trustrail.adapters.payload import lost_result
from trustrail.adapters.run import RunWriter
from trustrail.adapters.spans.approvals import Decision, confirmation
from trustrail.adapters.spans.executions import Call, is_execution_of
from trustrail.adapters.spans.facts import EntryFact, ModelFact, ToolFact
from trustrail.adapters.spans.history import History
from trustrail.adapters.spans.messages import Answer, Message, Request
from trustrail.adapters.spans.reading import Trace
from trustrail.adapters.spans.span import Span
from trustrail.adapters.spans.tree import key_of
from trustrail.events import (
    AgentHandoff,
    AgentInvocation,
    AgentMessage,
    CustomerMessage,
    ModelCall,
    ToolCall,
    ToolResult,
)


@dataclass(slots=True, kw_only=True)
class _Scope:
    """Facts that stand side by side: at the top of a trace, or inside one tool execution."""

    facts: list[ModelFact | ToolFact]
    caller: str | None = None
    """The agent whose tool execution this is inside."""
    is_inside: bool = False
    agent: str | None = None
    """The agent at work."""
    guest: str | None = None
    """The agent at work on behalf of it, if one is."""
    lineage: tuple[str, ...] = ()
    """Agents that worked before it in this turn, oldest first."""
    next_model: int = 0
    """Place among the facts of the model call after the one being written."""
    free: list[tuple[int, ToolFact]] = field(init=False)
    """Executions that no request has been matched with, each behind its place among the facts."""

    def __post_init__(self) -> None:
        self.free = [(place, fact) for place, fact in enumerate(self.facts) if isinstance(fact, ToolFact)]

    def take(self, request: Request) -> ToolFact | None:
        """Return the first free execution that *request* led to; it is free no longer.

        Beyond the next model call only the same id tells: that model may have asked for the same again.
        """
        for position, (place, fact) in enumerate(self.free):
            has_same_id = fact.call_id is not None and fact.call_id == request.call_id
            if (place < self.next_model or has_same_id) and is_execution_of(fact, request):
                return self.free.pop(position)[1]
        return None


@dataclass(slots=True, kw_only=True)
class Assembler:
    """Writes the events of one conversation."""

    writer: RunWriter
    decisions: dict[str, Decision] = field(default_factory=dict)
    """Recorded answers to a framework's requests for approval, by call id."""
    _history: History = field(default_factory=History)
    _inside: dict[str, list[ModelFact | ToolFact]] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)
    _asked: list[Request] = field(default_factory=list)
    """Every call asked for so far."""
    _awaited: list[Request] = field(default_factory=list)
    """Calls asked for that neither an execution nor an answer has met."""

    def add(self, trace: Trace) -> None:
        """Write the events of *trace*."""
        self._inside = trace.inside
        scope = _Scope(facts=trace.top)
        self._open_turn(trace.entry, scope)
        self._walk(scope)

    def _open_turn(self, entry: EntryFact | None, scope: _Scope) -> None:
        """Write what the first model call shows of the time before it, and what the customer said."""
        first = next((fact for fact in scope.facts if isinstance(fact, ModelFact)), None)
        earlier = self._history.unseen(first.given) if first is not None else []
        users = [number for number, message in enumerate(earlier) if message.role == "user"]
        if first is not None and users:
            for message in earlier[: users[-1] + 1]:
                self._write_past(message, first.span)
        elif entry is not None and entry.message is not None:
            self._write_past(entry.message, entry.span)
        elif entry is not None:
            missing = f"the span {entry.span.name} does not carry the customer's words"
            self.writer.add(CustomerMessage(text=None, missing=missing), provenance=_place(entry.span))
            self._write_decision(scope)

    def _write_past(self, message: Message, span: Span) -> None:
        self._history.note(message)
        if message.role == "user":
            self.writer.add(CustomerMessage(text=message.text), provenance=_place(span))
        elif message.role == "assistant":
            response = self.writer.next_response()
            if message.text:
                body = AgentMessage(text=message.text, model_turn=response)
                self.writer.add(body, provenance=_place(span))
            for request in message.requests:
                self._write_call(Call(tool=request.tool, request=request, execution=None), response, _place(span), None)
        for answer in message.answers:
            self._write_answer(answer, span)

    def _write_decision(self, scope: _Scope) -> None:
        first = next((fact for fact in scope.facts if isinstance(fact, ToolFact)), None)
        decision = self.decisions.get(first.call_id or "") if first is not None else None
        if decision is not None:
            body = confirmation(decision, answer_seq=self.writer.next_seq - 1)
            self.writer.add(body, provenance=decision.record)

    def _walk(self, scope: _Scope) -> None:
        batch: list[ToolFact] = []
        for number, fact in enumerate(scope.facts):
            if isinstance(fact, ToolFact):
                batch.append(fact)
                continue
            self._write_unasked(batch, scope)
            batch = []
            scope.next_model = _next_model(scope.facts, number)
            self._write_model(fact, scope, calls_follow=scope.next_model > number + 1)
        self._write_unasked(batch, scope)

    def _write_unasked(self, batch: list[ToolFact], scope: _Scope) -> None:
        """Write executions that no recorded request led to, such as retries and resumptions."""
        free = [fact for fact in batch if key_of(fact.span) not in self._used]
        calls = [Call(tool=fact.tool, request=self._earlier_request(fact), execution=fact) for fact in free]
        self._write_calls(calls, scope, None, None)

    def _earlier_request(self, fact: ToolFact) -> Request | None:
        """Return the request that a retried or resumed execution repeats."""
        return next((asked for asked in reversed(self._asked) if is_execution_of(fact, asked)), None)

    def _write_model(self, fact: ModelFact, scope: _Scope, *, calls_follow: bool) -> None:
        is_guest = scope.is_inside or (
            scope.agent is not None and fact.agent != scope.agent and not self._history.begins_with_known(fact.given)
        )
        self._enter(fact.agent, fact.span, scope, is_guest=is_guest)
        if not is_guest:
            for message in self._history.unseen(fact.given):
                self._write_unseen(message, fact, scope)
        if fact.said is None:
            self._write_silence(fact, is_heard=not (is_guest or calls_follow))
        for message in fact.said or ():
            if not is_guest:
                self._history.note(message)
            self._write_response(fact, message, scope, is_heard=not is_guest)

    def _write_unseen(self, message: Message, fact: ModelFact, scope: _Scope) -> None:
        """Write what only a later history tells: a model call or a result that left no span of its own."""
        if message.role == "assistant":
            self._history.note(message)
            collapsed = replace(fact, partials=(), span=replace(fact.span, end=None))
            self._write_response(collapsed, message, scope, is_heard=True)
        else:
            self._write_past(message, fact.span)

    def _write_silence(self, fact: ModelFact, *, is_heard: bool) -> None:
        """Write a model call whose answer was not recorded."""
        place = _place(fact.span)
        body = ModelCall(model=fact.model, latency=fact.span.latency)
        self.writer.add(body, provenance=place, agent_id=fact.agent)
        if is_heard:
            reply = AgentMessage(text=None, missing=fact.missing)
            self.writer.add(reply, provenance=place, agent_id=fact.agent)
        else:
            self.writer.gap(f"{place}: {fact.missing}")

    def _write_response(self, fact: ModelFact, message: Message, scope: _Scope, *, is_heard: bool) -> None:
        """Write one answer of a model: that it was asked, what it said, what was executed for it."""
        place = _place(fact.span)
        response = self.writer.next_response()
        asked = ModelCall(model=fact.model, latency=fact.span.latency)
        self.writer.add(asked, provenance=place, agent_id=fact.agent)
        if message.text and is_heard:
            for piece in fact.partials:
                part = AgentMessage(text=piece, partial=True, model_turn=response)
                self.writer.add(part, provenance=place, agent_id=fact.agent)
            whole = AgentMessage(text=message.text, model_turn=response)
            self.writer.add(whole, provenance=place, agent_id=fact.agent)
        self._asked.extend(message.requests)
        calls = [
            Call(tool=request.tool, request=request, execution=scope.take(request)) for request in message.requests
        ]
        for call in calls:
            if call.execution is not None:
                self._used.add(key_of(call.execution.span))
        self._write_calls(calls, scope, response, fact)

    def _write_calls(self, calls: list[Call], scope: _Scope, response: str | None, asked_by: ModelFact | None) -> None:
        for call in calls:
            span = call.execution.span if call.execution is not None else asked_by.span if asked_by else None
            agent = call.execution.agent if call.execution is not None else asked_by.agent if asked_by else None
            if call.execution is not None and asked_by is None:
                self._enter(agent, call.execution.span, scope, is_guest=False)
            self._write_call(call, response, _place(span), agent or scope.agent)
        for call in calls:
            if call.execution is not None:
                self._write_execution(call, call.execution, scope)

    def _write_call(self, call: Call, response: str | None, place: str | None, agent: str | None) -> None:
        missing = None
        if call.arguments is None:
            told = call.execution.missing_arguments if call.execution is not None else None
            missing = told or "the arguments were not recorded, or cannot be read"
        if call.execution is None and call.request is not None:
            self._awaited.append(call.request)
        body = ToolCall(
            call_id=call.call_id,
            tool=call.tool,
            arguments=call.arguments,
            model_turn=response,
            missing=missing,
        )
        self.writer.add(body, provenance=place, agent_id=agent)

    def _write_execution(self, call: Call, fact: ToolFact, scope: _Scope) -> None:
        place = _place(fact.span)
        agent = fact.agent or scope.agent
        self._used.add(key_of(fact.span))
        inside = self._inside.get(key_of(fact.span))
        if inside:
            self._walk(_Scope(facts=inside, caller=agent, is_inside=True))
        body = ToolResult(
            call_id=call.call_id,
            tool=fact.tool,
            status=fact.status,
            result=fact.result,
            error=fact.error,
            missing=(fact.missing_result or lost_result(fact.result)) if fact.status == "unknown" else None,
        )
        self.writer.add(body, provenance=place, agent_id=agent)
        if not scope.is_inside:
            self._history.note_result(fact.result)
        if fact.asked is not None:
            self.writer.add(AgentMessage(text=fact.asked), provenance=place, agent_id=agent)

    def _write_answer(self, answer: Answer, span: Span) -> None:
        """Write the result of a call that has no execution span; other answers are already written."""
        same_id = [request for request in self._awaited if request.call_id == answer.call_id]
        by_name = [request for request in self._awaited if answer.tool in (None, request.tool)]
        waiting = same_id if answer.call_id is not None else by_name
        if not waiting:
            return
        self._awaited.remove(waiting[0])
        lost = None if answer.is_error else lost_result(answer.result)
        body = ToolResult(
            call_id=answer.call_id,
            tool=answer.tool or waiting[0].tool,
            status="error" if answer.is_error else "unknown" if lost else "ok",
            result=answer.result,
            error=answer.result if answer.is_error and isinstance(answer.result, str) else None,
            missing=lost,
        )
        self.writer.add(body, provenance=_place(span))

    def _enter(self, agent: str | None, span: Span, scope: _Scope, *, is_guest: bool) -> None:
        """Write that another agent began to work: called by one, handed over to, or first in its turn."""
        if agent is None or agent in (scope.agent, scope.guest):
            scope.guest = None if agent == scope.agent else scope.guest
            return
        place = _place(span)
        parent = scope.caller if scope.is_inside else scope.agent
        if scope.agent is not None and not is_guest:
            scope.lineage = (*scope.lineage, scope.agent)
            body = AgentHandoff(to_agent_id=agent, lineage=(*scope.lineage, agent))
            self.writer.add(body, provenance=place, agent_id=scope.agent)
        self.writer.add(AgentInvocation(name=agent), provenance=place, agent_id=agent, parent_agent_id=parent)
        if not is_guest or scope.is_inside:
            scope.agent = agent
        else:
            scope.guest = agent


def _next_model(facts: list[ModelFact | ToolFact], number: int) -> int:
    """Return the place of the first model call after *number*, or the end."""
    following = range(number + 1, len(facts))
    return next((place for place in following if isinstance(facts[place], ModelFact)), len(facts))


def _place(span: Span | None) -> str | None:
    return None if span is None else f"span {span.span_id}"
