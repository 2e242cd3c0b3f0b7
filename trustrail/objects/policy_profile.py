"""The policy profile: the set of controls a kind of journey expands to, and what blocks its gate."""

from typing import Literal, Self

from pydantic import Field, model_validator

from trustrail.objects.control import Severity, SeverityName
from trustrail.objects.shape import Identifier, Many, Shape, Version


class ProfileControl(Shape):
    """One control as the profile uses it."""

    control_id: Identifier
    severity: SeverityName | None = None
    """Left out: the catalog's."""


class GateRule(Shape):
    """Which verdicts block."""

    block_on_fail: Many[SeverityName] = (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM)
    block_on_inconclusive: Many[SeverityName] = (Severity.CRITICAL, Severity.HIGH)


class PolicyProfile(Shape):
    """What every journey of one kind is held to."""

    schema_version: Literal["trustrail.policy_profile.v0.1"]
    profile_id: Identifier
    version: Version = 1
    title: str
    controls: Many[ProfileControl] = Field(min_length=1)
    languages: Many[str] | None = None
    """Languages in which assent is read (ISO 639-1); left out: the domain pack's locales."""
    evidence_profile: Identifier
    """Evidence profile used when a testcase names no other."""
    customer_quoted_ids: Literal["fail", "inconclusive", "pass"] = "fail"
    """Verdict of TR-ENTITY-001 on an id that only the customer brought, never a lookup."""
    gate: GateRule = GateRule()

    @model_validator(mode="after")
    def _each_control_once(self) -> Self:
        ids = [control.control_id for control in self.controls]
        repeated = sorted({name for name in ids if ids.count(name) > 1})
        if repeated:
            raise ValueError(f"controls lists {repeated[0]!r} more than once")
        return self
