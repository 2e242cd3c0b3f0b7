"""From spans to facts: each span is read by the dialect that knows it most closely, and placed in its tree."""

import functools
import importlib
import pkgutil
from dataclasses import dataclass, field, replace
from typing import Final

from trustrail.adapters.spans import dialects
from trustrail.adapters.spans.facts import AgentFact, Dialect, EntryFact, Fact, ModelFact, ToolFact
from trustrail.adapters.spans.span import Span, parsed
from trustrail.adapters.spans.tree import SpanTree, key_of
from trustrail.errors import UnknownShapeError

_CONVERSATION_KEYS: Final = (
    "gen_ai.conversation.id",
    "session.id",
    "gcp.vertex.agent.session_id",
    "langfuse.session.id",
)


@dataclass(slots=True, kw_only=True)
class Trace:
    """What happened in one trace."""

    trace_id: str
    conversation_id: str | None = None
    entry: EntryFact | None = None
    top: list[ModelFact | ToolFact] = field(default_factory=list)
    """Facts that are not inside a tool execution, in order."""
    inside: dict[str, list[ModelFact | ToolFact]] = field(default_factory=dict)
    """Facts inside a tool execution, by the execution's span key, in order."""
    unknown_spans: int = 0
    """How many spans no dialect knows."""


@functools.cache
def all_dialects() -> tuple[Dialect, ...]:
    """Return every dialect, the most specific first. A new one is one new file in ``dialects/``."""
    found = [
        importlib.import_module(f"{dialects.__name__}.{module.name}").DIALECT
        for module in pkgutil.iter_modules(dialects.__path__)
    ]
    return tuple(sorted(found, key=lambda dialect: dialect.priority))


@dataclass(frozen=True, slots=True)
class _Around:
    """What encloses a span."""

    owner: str | None = None
    """Span key of the nearest tool execution."""
    owner_tool: ToolFact | None = None
    """That execution, while no model call stands between."""
    model: str | None = None
    """Span key of the nearest model call, while no tool execution and no agent stands between."""
    agent: str | None = None
    """The nearest agent."""


def read_traces(tree: SpanTree) -> list[Trace]:
    """Return the facts of each trace, traces in order of their start.

    Raises:
        UnknownShapeError: if a span holds messages whose calls have a form that is not known; names the span.
    """
    traces: dict[str, Trace] = {}
    inside: dict[str, _Around] = {}
    for span in tree.spans:
        trace = traces.setdefault(span.trace_id, Trace(trace_id=span.trace_id))
        parent = tree.parents.get(key_of(span))
        around = inside[key_of(parent)] if parent is not None else _Around()
        if around.owner is None and trace.conversation_id is None:
            trace.conversation_id = _conversation_id(span)
        inside[key_of(span)] = _read_span(span, around, trace)
    return list(traces.values())


def _read_span(span: Span, around: _Around, trace: Trace) -> _Around:
    """Put the facts on *span* into *trace* and return what encloses the spans inside it."""
    dialect = next((known for known in all_dialects() if known.matches(span)), None)
    if dialect is None:
        trace.unknown_spans += 1
        return around
    within = around
    for fact in _facts(dialect, span):
        if isinstance(fact, AgentFact):
            within = replace(within, agent=fact.name, model=None)
        elif isinstance(fact, EntryFact):
            if trace.entry is None or (trace.entry.message is None and fact.message is not None):
                trace.entry = fact
        elif not _repeats(fact, around):
            placed = trace.top if around.owner is None else trace.inside.setdefault(around.owner, [])
            placed.append(fact if fact.agent is not None else replace(fact, agent=within.agent))
            if isinstance(fact, ModelFact):
                within = replace(within, model=key_of(span), owner_tool=None)
            else:
                within = replace(within, owner=key_of(span), owner_tool=fact, model=None)
    return within


def _facts(dialect: Dialect, span: Span) -> list[Fact]:
    try:
        return dialect.read(span)
    except UnknownShapeError as error:
        raise UnknownShapeError(f"span {span.span_id}", str(error)) from error


def _repeats(fact: ModelFact | ToolFact, around: _Around) -> bool:
    """Whether *fact* is another instrumentation's record of the span that encloses it."""
    if isinstance(fact, ModelFact):
        return around.model is not None
    return around.owner_tool is not None and _is_same_execution(fact, around.owner_tool)


def _is_same_execution(fact: ToolFact, other: ToolFact) -> bool:
    """Whether two spans, one inside the other, may tell of one execution: nothing that both tell differs."""
    if fact.tool != other.tool or (None not in (fact.call_id, other.call_id) and fact.call_id != other.call_id):
        return False
    return None in (fact.arguments, other.arguments) or fact.arguments == other.arguments


def _conversation_id(span: Span) -> str | None:
    stated = span.text(*_CONVERSATION_KEYS)
    if stated is not None:
        return stated
    for key in ("metadata", "langsmith.metadata"):
        metadata = parsed(span.attributes.get(key))
        if isinstance(metadata, dict) and isinstance(metadata.get("thread_id"), str):
            return str(metadata["thread_id"])
    return span.text("langsmith.metadata.thread_id")
