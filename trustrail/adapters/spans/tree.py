"""Order spans into trees without trusting time alone.

A parent that is not in the recording makes its child a root and is noted as a gap; a cycle is refused, since no
order of its spans would be more right than another. Spans that start together stand as the tree has them: a parent,
everything inside it, then its next sibling, siblings in order of the recording.
"""

from dataclasses import dataclass, replace

from trustrail.adapters.spans.span import Span
from trustrail.errors import SourceError


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanTree:
    """Spans with their parents resolved."""

    spans: tuple[Span, ...]
    """In order: by trace start, then start, then place in the tree; a parent before its children."""
    parents: dict[str, Span]
    """Parent of a span, by the span's key."""
    gaps: tuple[str, ...]


def key_of(span: Span) -> str:
    """Return what names *span* in a recording: its trace and span id."""
    return f"{span.trace_id}/{span.span_id}"


def build_tree(spans: list[Span], file: str) -> SpanTree:
    """Return *spans* as trees.

    Raises:
        SourceError: if two different spans share an id, or spans are each other's ancestors.
    """
    by_key = _by_key(spans, file)
    parents: dict[str, Span] = {}
    missing = 0
    for key, span in list(by_key.items()):
        if span.parent_id is None:
            continue
        parent = by_key.get(f"{span.trace_id}/{span.parent_id}")
        if parent is None:
            missing += 1
            by_key[key] = replace(span, parent_id=None)
        else:
            parents[key] = parent
    parents = {key: by_key[key_of(parent)] for key, parent in parents.items()}
    depths = _depths(by_key, parents, file)
    began = _began(by_key, parents, depths)
    starts: dict[str, int] = {}
    for span in by_key.values():
        starts[span.trace_id] = min(span.start, starts.get(span.trace_id, span.start))
    trace_order = {trace: number for number, trace in enumerate(sorted(starts, key=lambda trace: starts[trace]))}
    ranks = _ranks(by_key, parents, began)
    ordered = sorted(
        by_key.values(),
        key=lambda span: (trace_order[span.trace_id], began[key_of(span)], ranks[key_of(span)]),
    )
    gaps = (f"{missing} spans name a parent that is not in the recording",) if missing else ()
    return SpanTree(spans=tuple(ordered), parents=parents, gaps=gaps)


def _began(by_key: dict[str, Span], parents: dict[str, Span], depths: dict[str, int]) -> dict[str, int]:
    """Return when each span began, never before its parent: clocks of two machines differ."""
    began: dict[str, int] = {}
    for key in sorted(by_key, key=lambda key: depths[key]):
        own = by_key[key].start
        began[key] = max(own, began[key_of(parents[key])]) if key in parents else own
    return began


def _ranks(by_key: dict[str, Span], parents: dict[str, Span], began: dict[str, int]) -> dict[str, int]:
    """Return each span's place when every span is followed by all that is inside it.

    Exporters write a span when it ends, so siblings that did not overlap are recorded in the order they ran in,
    whatever a coarse clock says; a parent is recorded behind its children.
    """
    children: dict[str | None, list[str]] = {}
    for key in by_key:
        children.setdefault(key_of(parents[key]) if key in parents else None, []).append(key)
    for siblings in children.values():
        siblings.sort(key=lambda key: (began[key], by_key[key].position), reverse=True)
    ranks: dict[str, int] = {}
    pending = list(children.get(None, ()))
    while pending:
        key = pending.pop()
        ranks[key] = len(ranks)
        pending.extend(children.get(key, ()))
    return ranks


def _by_key(spans: list[Span], file: str) -> dict[str, Span]:
    by_key: dict[str, Span] = {}
    for span in spans:
        known = by_key.setdefault(key_of(span), span)
        if known is not span and (known.name, known.start, known.attributes) != (
            span.name,
            span.start,
            span.attributes,
        ):
            raise SourceError(file, f"spans {known.position} and {span.position} share the id {span.span_id}")
    return by_key


def _depths(by_key: dict[str, Span], parents: dict[str, Span], file: str) -> dict[str, int]:
    depths: dict[str, int] = {}
    for key in by_key:
        path = []
        current = key
        while current not in depths and current in parents:
            path.append(current)
            current = key_of(parents[current])
            if len(path) > len(by_key):
                span = by_key[key]
                raise SourceError(file, f"span {span.span_id} ({span.name}) is its own ancestor")
        depth = depths.setdefault(current, 0)
        for step in reversed(path):
            depth += 1
            depths[step] = depth
    return depths
