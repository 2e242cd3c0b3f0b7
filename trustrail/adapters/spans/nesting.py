"""Put what ran during a tool execution inside it, where an instrumentation hung it beside it.

Parents decide first; some bridges give an agent that a tool calls the parent of the tool. What another agent asked
or did while the tool ran, and nobody else asked for, is then part of the execution: its result came before the tool's.
"""

from trustrail.adapters.spans.executions import is_execution_of
from trustrail.adapters.spans.facts import ModelFact, ToolFact
from trustrail.adapters.spans.reading import Trace
from trustrail.adapters.spans.tree import key_of


def nest(trace: Trace) -> None:
    """Move facts of *trace* that ran during a tool execution beside them into it, the innermost first."""
    for facts in (trace.top, *list(trace.inside.values())):
        executions = [fact for fact in facts if isinstance(fact, ToolFact) and fact.agent is not None]
        for tool in sorted(executions, key=lambda fact: fact.span.start, reverse=True):
            found = [fact for fact in facts if _is_during(fact, tool) and _is_another_s(fact, tool, facts)]
            if found:
                trace.inside.setdefault(key_of(tool.span), []).extend(found)
                facts[:] = [fact for fact in facts if all(fact is not moved for moved in found)]


def _is_during(fact: ModelFact | ToolFact, tool: ToolFact) -> bool:
    if fact is tool or fact.span.end is None or tool.span.end is None:
        return False
    begins = tool.span.start < fact.span.start
    return begins and fact.span.end <= tool.span.end


def _is_another_s(fact: ModelFact | ToolFact, tool: ToolFact, facts: list[ModelFact | ToolFact]) -> bool:
    """Whether another agent did *fact*, and no model of the agent that called *tool* asked for it."""
    if fact.agent is None or fact.agent == tool.agent:
        return False
    if isinstance(fact, ModelFact):
        return True
    own = [other for other in facts if isinstance(other, ModelFact) and other.agent == tool.agent]
    asked = [request for model in own for message in model.said or () for request in message.requests]
    return not any(is_execution_of(fact, request) for request in asked)
