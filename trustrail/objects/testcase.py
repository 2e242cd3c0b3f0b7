"""The testcase: one journey to prove. It names what it composes and lists no controls."""

from typing import Literal

from pydantic import Field

from trustrail.objects.shape import Identifier, Many, Shape, Version


class Variant(Shape):
    """One version of the agent under test."""

    name: Identifier
    repetitions: int = Field(ge=1, le=1000)
    """Runs: enough to tell a real pass from a lucky one."""
    expected_gate: Literal["PASS", "BLOCK"]


class Testcase(Shape):
    """A specific journey."""

    __test__ = False

    schema_version: Literal["trustrail.testcase.v0.1"]
    testcase_id: Identifier
    version: Version = 1
    title: str
    fixture: Identifier
    domain_pack: Identifier
    policy_profile: Identifier
    evidence_profile: Identifier | None = None
    """Left out: the policy profile's."""
    targets: Many[Identifier] = Field(min_length=1)
    """Frameworks, by the name of their demo target."""
    variants: Many[Variant] = Field(min_length=1)
    customer_says: Many[str] = Field(min_length=1)
    """The customer's script, one text a turn."""
