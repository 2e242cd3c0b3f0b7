"""Everything a judgement depends on besides the events: the objects, expanded once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from trustrail.objects import (
    Control,
    DomainPack,
    EvidenceProfile,
    Fixture,
    PolicyProfile,
    find_control,
    find_evidence_profile,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """What a run is held to."""

    domain_pack: DomainPack
    policy_profile: PolicyProfile
    evidence_profile: EvidenceProfile
    controls: Mapping[str, Control]
    """The catalog entry of each control of the profile, in the profile's order."""
    fixture: Fixture | None = None

    @classmethod
    def expand(
        cls,
        domain_pack: DomainPack,
        policy_profile: PolicyProfile,
        *,
        evidence_profile: EvidenceProfile | None = None,
        fixture: Fixture | None = None,
        catalog: Sequence[Control] = (),
    ) -> Self:
        """Expand *policy_profile* to its controls.

        Args:
            domain_pack: what the tools mean.
            policy_profile: names the controls and the gate.
            evidence_profile: left out, the policy profile's.
            fixture: the synthetic customer, where there is one.
            catalog: entries that stand before the shipped ones.

        Raises:
            UnknownObjectError: if the profile names a control or evidence profile nobody defines.
        """
        own = {entry.control_id: entry for entry in catalog}
        entries = {}
        for used in policy_profile.controls:
            entry = own.get(used.control_id) or find_control(used.control_id)
            if used.severity is not None:
                entry = entry.model_copy(update={"severity": used.severity})
            entries[used.control_id] = entry
        return cls(
            domain_pack=domain_pack,
            policy_profile=policy_profile,
            evidence_profile=evidence_profile or find_evidence_profile(policy_profile.evidence_profile),
            controls=entries,
            fixture=fixture,
        )

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages in which assent is read."""
        return self.policy_profile.languages or self.domain_pack.locales
