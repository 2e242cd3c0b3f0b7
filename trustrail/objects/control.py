"""The catalog entry of a control: what it asks, of what evidence, and how grave its failure is.

The rule itself is code (``trustrail.controls``); an entry says what the rule's verdict means.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from trustrail.objects.shape import Identifier, Many, Shape, Version


class Severity(StrEnum):
    """How grave a failure is."""

    CRITICAL = "CRITICAL"
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


SeverityName = Annotated[Severity, Field(strict=False)]
"""A severity by its word, as files write it."""

Evidence = Literal[
    "transcript",
    "trustrail_login_event",
    "otel_tool_spans",
    "tool_call_logs",
    "tool_result_logs",
    "backend_state_snapshot",
    "agent_source_code",
    "gateway_logs",
    "full_ownership_fixture",
    "oauth_propagation_proof",
]
"""The kinds of evidence a run can carry."""


class Control(Shape):
    """One control of the catalog."""

    schema_version: Literal["trustrail.control.v0.1"]
    control_id: Identifier
    version: Version = 1
    title: str
    question: str
    """What a PASS answers with yes."""
    severity: SeverityName
    needs: Many[Evidence] = ()
    """Evidence it relies on; where the evidence profile requires one of these and the run lacks it, the verdict is
    INCONCLUSIVE."""
    limited_by: Literal["auth", "entity_ownership_max_tier"] | None = None
    """The claim limit of the evidence profile that caps what its PASS says."""
    does_not_show: str
    """What a PASS leaves open."""
