"""From spans to facts: each span is read by the dialect that knows it most closely, and placed in its tree."""

import functools
import importlib
import pkgutil
from dataclasses import dataclass, replace
from typing import Final

from trustrail.adapters.spans import dialects
from trustrail.adapters.spans.facts import AgentFact, Dialect, EntryFact, ModelFact, ToolFact
from trustrail.adapters.spans.span import Span, parsed
from trustrail.adapters.spans.tree import SpanTree, key_of

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
    conversation_id: str | None
    entry: EntryFact | None
    top: list[ModelFact | ToolFact]
    """Facts that are not inside a tool execution, in order."""
    inside: dict[str, list[ModelFact | ToolFact]]
    """Facts inside a tool execution, by the execution's span key, in order."""
    cannot_read: int
    """Spans no dialect knows."""


@functools.cache
def all_dialects() -> tuple[Dialect, ...]:
    """Return every dialect, the most specific first. A new one is one new file in ``dialects/``."""
    found = [
        importlib.import_module(f"{dialects.__name__}.{module.name}").DIALECT
        for module in pkgutil.iter_modules(dialects.__path__)
    ]
    return tuple(sorted(found, key=lambda dialect: dialect.priority))


def read_traces(tree: SpanTree) -> list[Trace]:
    """Return the facts of each trace, traces in order of their start."""
    traces: dict[str, Trace] = {}
    agents: dict[str, str] = {}
    models: set[str] = set()
    tools: dict[str, str] = {}
    for span in tree.spans:
        trace = traces.setdefault(
            span.trace_id,
            Trace(trace_id=span.trace_id, conversation_id=None, entry=None, top=[], inside={}, cannot_read=0),
        )
        above = tree.ancestors(span)
        owner = next((key_of(step) for step in above if key_of(step) in tools), None)
        if owner is None and trace.conversation_id is None:
            trace.conversation_id = _conversation_id(span)
        dialect = next((known for known in all_dialects() if known.matches(span)), None)
        if dialect is None:
            trace.cannot_read += 1
            continue
        for fact in dialect.read(span):
            if isinstance(fact, AgentFact):
                agents[key_of(span)] = fact.name
            elif isinstance(fact, EntryFact):
                if trace.entry is None or trace.entry.message is None:
                    trace.entry = fact if fact.message is not None else trace.entry or fact
            elif not _repeats(fact, above, owner, models, tools, agents):
                if isinstance(fact, ModelFact):
                    models.add(key_of(span))
                else:
                    tools[key_of(span)] = fact.tool
                placed = trace.top if owner is None else trace.inside.setdefault(owner, [])
                placed.append(_with_agent(fact, above, agents))
    return list(traces.values())


def _repeats(
    fact: ModelFact | ToolFact,
    above: list[Span],
    owner: str | None,
    models: set[str],
    tools: dict[str, str],
    agents: dict[str, str],
) -> bool:
    """Whether *fact* is another instrumentation's record of the span that encloses it."""
    if isinstance(fact, ToolFact):
        nearest = next((key_of(step) for step in above if key_of(step) in tools or key_of(step) in models), None)
        return nearest is not None and nearest == owner and tools.get(nearest) == fact.tool
    nearest_model = next((key_of(step) for step in above if key_of(step) in models), None)
    if nearest_model is None:
        return False
    enclosed = above[: [key_of(step) for step in above].index(nearest_model)]
    return not any(key_of(step) in tools or key_of(step) in agents for step in enclosed)


def _with_agent(fact: ModelFact | ToolFact, above: list[Span], agents: dict[str, str]) -> ModelFact | ToolFact:
    if fact.agent is not None:
        return fact
    return replace(fact, agent=next((agents[key_of(step)] for step in above if key_of(step) in agents), None))


def _conversation_id(span: Span) -> str | None:
    stated = span.text(*_CONVERSATION_KEYS)
    if stated is not None:
        return stated
    for key in ("metadata", "langsmith.metadata"):
        metadata = parsed(span.attributes.get(key))
        if isinstance(metadata, dict) and isinstance(metadata.get("thread_id"), str):
            return str(metadata["thread_id"])
    return span.text("langsmith.metadata.thread_id")
