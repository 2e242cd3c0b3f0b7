"""The nine event types and the fields that tie an event to where it came from.

Each event is one envelope (`Event`) around a body whose shape its ``type`` decides. A field that the
source did not carry is None ("not recorded"), which is different from an empty value ("recorded as empty").
"""

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from trustrail.foundation import MAX_SAFE_INTEGER

SCHEMA_VERSION: Final = "trustrail.events.v0.1"


def _plain_numbers(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return *value* with whole doubles as integers, which is how RFC 8785 writes them.

    So a payload reads the same before it is stored and after: 500.0 and 500 are one number on the wire.
    """
    kind = type(value)
    if kind is dict:
        return {key: _plain_numbers(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_plain_numbers(item) for item in value]
    if kind is float and value.is_integer() and abs(value) <= MAX_SAFE_INTEGER:
        return int(value)
    return value


Payload = Annotated[Any, AfterValidator(_plain_numbers)]
"""Any JSON value, its numbers in their canonical form."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CustomerMessage(_Frozen):
    """What the user said."""

    type: Literal["customer_message"] = "customer_message"
    text: str | None
    """The words; None when the source dropped them."""
    missing: str | None = None
    """What the source lacks, and the setting that records it; None when it lacks nothing."""


class AgentMessage(_Frozen):
    """What the agent replied."""

    type: Literal["agent_message"] = "agent_message"
    text: str | None
    partial: bool = False
    """True for one piece of a streamed reply."""
    model_turn: str | None = None
    """The model response it came in, where the source tells; a call of the same response has the same one."""
    missing: str | None = None
    """What the source lacks, and the setting that records it; None when it lacks nothing."""


class AgentInvocation(_Frozen):
    """An agent started working."""

    type: Literal["agent_invocation"] = "agent_invocation"
    name: str
    detail: dict[str, Any] = Field(default_factory=dict)


class AgentHandoff(_Frozen):
    """Work passed from one agent to another, with its lineage."""

    type: Literal["agent_handoff"] = "agent_handoff"
    to_agent_id: str
    lineage: tuple[str, ...] = Field(default=(), strict=False)
    """What was handed on, oldest first: agent ids, or claim ids in a simulated run."""
    detail: dict[str, Any] = Field(default_factory=dict)


class ModelCall(_Frozen):
    """A model, or another decision maker, was asked."""

    type: Literal["model_call"] = "model_call"
    model: str | None
    prompt_ref: str | None = None
    """Digest or name of the prompt; never the prompt."""
    cost: float | None = None
    """US dollars."""
    latency: float | None = None
    """Seconds."""
    detail: dict[str, Any] = Field(default_factory=dict)


class ToolCall(_Frozen):
    """A tool was called."""

    type: Literal["tool_call"] = "tool_call"
    call_id: str | None
    tool: str
    arguments: Annotated[dict[str, Any] | None, AfterValidator(_plain_numbers)]
    """Full arguments; None when the source dropped them."""
    model_turn: str | None = None
    """The model response that asked for it, where the source tells; parallel calls share one."""
    missing: str | None = None
    """What the source lacks, and the setting that records it; None when it lacks nothing."""


class ToolResult(_Frozen):
    """A tool answered, failed, or stopped."""

    type: Literal["tool_result"] = "tool_result"
    call_id: str | None
    tool: str | None
    status: Literal["ok", "error", "interrupted", "unknown"]
    result: Payload = None
    """Payload; None together with status ``unknown`` when the source dropped it."""
    error: str | None = None
    retries: int | None = None
    missing: str | None = None
    """What the source lacks, and the setting that records it; None when it lacks nothing."""


class ConfirmationEvent(_Frozen):
    """The user's explicit answer to a proposal, bound to what was proposed."""

    type: Literal["confirmation_event"] = "confirmation_event"
    confirmed: bool = True
    """False for an explicit refusal that was recorded as such."""
    proposal_seq: int | None
    """``seq`` of the agent message that proposed; None when the framework asked outside the conversation."""
    answer_seq: int | None
    """``seq`` of the customer message that answered; None when the framework recorded the answer itself."""
    call_id: str | None = None
    """The one call it speaks of, where the framework names it."""
    covers: tuple[dict[str, Any], ...] = Field(strict=False)
    """The calls agreed to, each ``{"tool", "arguments"}`` as far as the proposal named them."""
    reason: str


class EvaluationResult(_Frozen):
    """A control's verdict, written back into the stream."""

    type: Literal["evaluation_result"] = "evaluation_result"
    control_id: str
    verdict: Literal["PASS", "FAIL", "INCONCLUSIVE"]
    reason: str
    events: tuple[int, ...] = Field(default=(), strict=False)
    """``seq`` of the events relied on."""
    detail: dict[str, Any] = Field(default_factory=dict)


Body = Annotated[
    CustomerMessage
    | AgentMessage
    | AgentInvocation
    | AgentHandoff
    | ModelCall
    | ToolCall
    | ToolResult
    | ConfirmationEvent
    | EvaluationResult,
    Field(discriminator="type"),
]

EVENT_TYPES: Final = (
    "customer_message",
    "agent_message",
    "agent_invocation",
    "agent_handoff",
    "model_call",
    "tool_call",
    "tool_result",
    "confirmation_event",
    "evaluation_result",
)


class Event(_Frozen):
    """One record of the canonical stream.

    On the wire the type stands beside the envelope's fields, not in the body (`trustrail.events.codec`).
    """

    schema_version: Literal["trustrail.events.v0.1"] = SCHEMA_VERSION
    seq: int = Field(ge=0)
    """Position in the run's stream, from 0, without gaps."""
    test_run_id: str
    conversation_id: str | None = None
    turn_id: str | None = None
    agent_id: str | None = None
    parent_agent_id: str | None = None
    source: str
    """Who wrote the event: adapter name, or ``mast``."""
    provenance: str | None = None
    """The record it was made from: message index, span id, packet digest."""
    body: Body
