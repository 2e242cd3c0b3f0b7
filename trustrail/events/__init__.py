"""Canonical events ``trustrail.events.v0.1``: the one stream every adapter writes and every control reads."""

from trustrail.events.codec import (
    FIELDS,
    from_line,
    from_lines,
    stream_digest,
    to_line,
    to_lines,
    to_wire,
)
from trustrail.events.log import EventLog
from trustrail.events.login import LOGIN_NAME, LOGIN_SOURCE, is_login
from trustrail.events.model import (
    EVENT_TYPES,
    SCHEMA_VERSION,
    AgentHandoff,
    AgentInvocation,
    AgentMessage,
    Body,
    ConfirmationEvent,
    CustomerMessage,
    EvaluationResult,
    Event,
    ModelCall,
    ToolCall,
    ToolResult,
)
from trustrail.events.provenance import message_index

__all__ = [
    "EVENT_TYPES",
    "FIELDS",
    "LOGIN_NAME",
    "LOGIN_SOURCE",
    "SCHEMA_VERSION",
    "AgentHandoff",
    "AgentInvocation",
    "AgentMessage",
    "Body",
    "ConfirmationEvent",
    "CustomerMessage",
    "EvaluationResult",
    "Event",
    "EventLog",
    "ModelCall",
    "ToolCall",
    "ToolResult",
    "from_line",
    "from_lines",
    "is_login",
    "message_index",
    "stream_digest",
    "to_line",
    "to_lines",
    "to_wire",
]
