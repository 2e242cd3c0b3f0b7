"""Canonical events ``trustrail.events.v0.1``: the one stream every adapter writes and every control reads."""

from trustrail.events.log import EventLog
from trustrail.events.model import (
    EVENT_TYPES,
    SCHEMA_VERSION,
    AgentHandoff,
    AgentInvocation,
    AgentMessage,
    ConfirmationEvent,
    CustomerMessage,
    EvaluationResult,
    Event,
    ModelCall,
    ToolCall,
    ToolResult,
)

__all__ = [
    "EVENT_TYPES",
    "SCHEMA_VERSION",
    "AgentHandoff",
    "AgentInvocation",
    "AgentMessage",
    "ConfirmationEvent",
    "CustomerMessage",
    "EvaluationResult",
    "Event",
    "EventLog",
    "ModelCall",
    "ToolCall",
    "ToolResult",
]
