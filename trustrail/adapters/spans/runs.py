"""From a recording's spans to its runs: one per conversation.

Traces belong together only if they name the same conversation. A trace that names none stays a run of its own:
joining it to another by the name of an agent would let one customer's login cover another's action.
"""

from typing import Any

from trustrail.adapters.adapter import run_ids
from trustrail.adapters.run import Run, RunWriter
from trustrail.adapters.spans.assemble import Assembler
from trustrail.adapters.spans.executions import with_told_results
from trustrail.adapters.spans.facts import ModelFact, ToolFact
from trustrail.adapters.spans.messages import Answer
from trustrail.adapters.spans.nesting import nest
from trustrail.adapters.spans.reading import Trace, read_traces
from trustrail.adapters.spans.session_events import SessionEvents, enrich, read_session_events
from trustrail.adapters.spans.span import Span
from trustrail.adapters.spans.streams import whole_answers
from trustrail.adapters.spans.ties import in_causal_order
from trustrail.adapters.spans.tree import build_tree, key_of
from trustrail.errors import UnknownShapeError


def read_runs(
    spans: list[Span],
    *,
    file: str,
    source: str,
    test_run_id: str,
    session_events: Any = None,  # noqa: ANN401 - source value
) -> list[Run]:
    """Return the runs recorded in *spans*.

    Raises:
        SourceError: if the spans form no tree.
        UnknownShapeError: if no dialect knows any of them, or a message lists calls in an unknown form.
    """
    tree = build_tree(spans, file)
    try:
        traces, session = read_traces(tree), read_session_events(session_events)
    except UnknownShapeError as error:
        raise UnknownShapeError(file, str(error)) from error
    conversations: dict[str, list[Trace]] = {}
    for trace in traces:
        _complete(trace, session)
        if trace.top or trace.entry is not None:
            conversations.setdefault(trace.conversation_id or f"trace {trace.trace_id}", []).append(trace)
    if not conversations:
        names = ", ".join(sorted({span.name for span in spans})[:5]) or "none"
        raise UnknownShapeError(file, f"has no span of a known agent instrumentation; span names: {names}")
    runs = []
    for run_id, grouped in zip(run_ids(test_run_id, len(conversations)), conversations.values(), strict=True):
        writer = RunWriter(
            test_run_id=run_id,
            source=source,
            file=file,
            conversation_id=grouped[0].conversation_id,
            gaps=list(tree.gaps),
        )
        unknown = sum(trace.unknown_spans for trace in grouped)
        if unknown:
            writer.gap(f"{unknown} spans are of no known agent instrumentation")
        assembler = Assembler(writer=writer, decisions=session.decisions)
        for trace in _with_what_is_told_later(grouped):
            assembler.add(trace)
        runs.append(writer.finish())
    return runs


def _complete(trace: Trace, session: SessionEvents) -> None:
    """Fill in what the session tells of *trace*, and put its facts inside one another and in order."""
    enrich(trace, session)
    nest(trace)
    trace.top = in_causal_order(trace.top)
    trace.inside = {key: in_causal_order(facts) for key, facts in trace.inside.items()}


def _with_what_is_told_later(traces: list[Trace]) -> list[Trace]:
    """Return *traces* with what a span lost and a later history of the same conversation tells."""
    groups = [facts for trace in traces for facts in (trace.top, *trace.inside.values())]
    tools = [fact for facts in groups for fact in facts if isinstance(fact, ToolFact)]
    models = [fact for facts in groups for fact in facts if isinstance(fact, ModelFact)]
    answers: list[Answer] = [answer for fact in models for message in fact.given or () for answer in message.answers]
    told: list[ModelFact | ToolFact] = [*with_told_results(tools, answers), *whole_answers(traces)]
    filled = {key_of(fact.span): fact for fact in told}
    for trace in traces:
        trace.top = [filled.get(key_of(fact.span), fact) for fact in trace.top]
        trace.inside = {
            key: [filled.get(key_of(fact.span), fact) for fact in facts] for key, facts in trace.inside.items()
        }
    return traces
