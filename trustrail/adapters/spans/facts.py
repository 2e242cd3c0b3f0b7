"""What a span says about an agent run, in one vocabulary for all dialects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from trustrail.adapters.spans.messages import Message
from trustrail.adapters.spans.span import Span

Status = Literal["ok", "error", "interrupted", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFact:
    """A run of the whole agent system began, normally because the customer said something."""

    span: Span
    message: Message | None = None
    """What the customer said; None when the span does not carry it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFact:
    """An agent worked while this span was open."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFact:
    """A model was asked."""

    span: Span
    model: str | None
    given: tuple[Message, ...] | None
    """Messages it was given, oldest first; None when not recorded."""
    said: tuple[Message, ...] | None
    """Messages it answered with; None when not recorded."""
    partials: tuple[str, ...] = ()
    """Pieces in which the answer was streamed."""
    agent: str | None = None
    missing: str | None = None
    """Which attribute would have held the answer, and how to record it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFact:
    """A tool was executed, or an execution was begun."""

    span: Span
    tool: str
    call_id: str | None
    arguments: dict[str, Any] | None
    bare_input: str | None = None
    """The only argument's value, where the bridge drops its name."""
    result: Any = None
    status: Status
    error: str | None = None
    asked: str | None = None
    """What an interrupted execution asked a person."""
    agent: str | None = None
    missing_arguments: str | None = None
    missing_result: str | None = None


Fact = EntryFact | AgentFact | ModelFact | ToolFact


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one instrumentation writes agent runs. Each file below ``dialects/`` defines one as ``DIALECT``."""

    name: str
    priority: int
    """Dialects that know a span more closely come first; lower is earlier."""
    matches: Callable[[Span], bool]
    read: Callable[[Span], list[Fact]]
    """Return the facts on a span that matches, none for plumbing."""
