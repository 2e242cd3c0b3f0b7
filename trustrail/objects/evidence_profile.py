"""Evidence profiles: which evidence a run must carry, and how much a PASS on it may claim."""

from typing import Literal, Self

from pydantic import Field, model_validator

from trustrail.objects.control import Evidence
from trustrail.objects.shape import Identifier, Many, Shape, Version


class ClaimLimits(Shape):
    """Caps on what a PASS says."""

    auth: Literal["limited_auth_evidence", "verified_auth_propagation"] = "limited_auth_evidence"
    """``limited_auth_evidence``: right for a known identity; how authority was received or passed on is not
    verified."""
    entity_ownership_max_tier: int = Field(default=2, ge=1, le=4)
    """1 claimed by the customer, 2 from the session's own retrieval, 3 minimal ownership oracle, 4 direct
    system audit."""


class EvidenceProfile(Shape):
    """What evidence a run is judged on."""

    id: Identifier
    version: Version = 1
    required_evidence: Many[Evidence] = Field(min_length=1)
    preferred_evidence: Many[Evidence] = ()
    not_required: Many[Evidence] = ()
    claim_limits: ClaimLimits

    @model_validator(mode="after")
    def _each_kind_once(self) -> Self:
        kinds = [*self.required_evidence, *self.preferred_evidence, *self.not_required]
        repeated = sorted({kind for kind in kinds if kinds.count(kind) > 1})
        if repeated:
            raise ValueError(f"lists {repeated[0]!r} more than once; evidence is required, preferred or not required")
        return self


class EvidenceProfiles(Shape):
    """A file of evidence profiles."""

    schema_version: Literal["trustrail.evidence_profiles.v0.1"]
    evidence_profiles: Many[EvidenceProfile] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_id_once(self) -> Self:
        ids = [profile.id for profile in self.evidence_profiles]
        repeated = sorted({name for name in ids if ids.count(name) > 1})
        if repeated:
            raise ValueError(f"has two evidence profiles called {repeated[0]!r}")
        return self
