"""A testcase with everything it names, as the demo's agents and its system of record need it.

The rule: nothing here, or anywhere in the demo, knows a domain. Tools, arguments, reasons and the words for an
entity all come from the domain pack and the fixture.
"""

from dataclasses import dataclass
from typing import Any

from trustrail.errors import DemoError
from trustrail.objects import (
    Action,
    CandidateLookup,
    DomainPack,
    EvidenceProfile,
    Fixture,
    PolicyProfile,
    Testcase,
    find_domain_pack,
    find_evidence_profile,
    find_fixture,
    find_policy_profile,
    find_testcase,
    find_values,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """One testcase, expanded."""

    testcase: Testcase
    pack: DomainPack
    fixture: Fixture
    policy_profile: PolicyProfile
    evidence_profile: EvidenceProfile

    @property
    def lookup(self) -> CandidateLookup:
        """The lookup the agents use: the pack's first."""
        return next(iter(self.pack.lookups.values()))[0]

    @property
    def lookup_tool(self) -> str:
        """Name of the lookup tool."""
        return next(iter(self.pack.lookups))

    @property
    def action(self) -> Action:
        """The irreversible action: the pack's first."""
        return next(iter(self.pack.actions.values()))

    @property
    def action_tool(self) -> str:
        """Name of the action tool."""
        return next(iter(self.pack.actions))

    @property
    def entity_argument(self) -> str:
        """Name of the action's argument that says which entity."""
        return self.pack.entities[self.action_tool][0].argument

    @property
    def entity_type(self) -> str:
        """What the action is done to, such as ``card``."""
        return self.pack.entities[self.action_tool][0].entity_type

    @property
    def reason(self) -> str | None:
        """The reason given with the action: the first the pack allows."""
        allowed = self.action.allowed_reason_values
        return allowed[0] if allowed else None

    @property
    def verb(self) -> str:
        """What the action does, taken from its name: ``block`` of ``block_card``."""
        return self.action_tool.partition("_")[0]

    def candidates(self, result: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any JSON value
        """Return the entities in a lookup's result."""
        path = self.lookup.result_entities_path or "$"
        found = find_values(path, result)
        listed = found[0] if len(found) == 1 and isinstance(found[0], list) else found
        return [entity for entity in listed if isinstance(entity, dict)]

    def entity_id(self, entity: dict[str, Any]) -> str:
        """Return what the action must be given to act on *entity*."""
        return str(find_values(self.lookup.entity_id_path or "$.id", entity)[0])

    def references(self, entity: dict[str, Any]) -> list[str]:
        """Return the words by which *entity* may be shown, as the pack allows."""
        paths = self.lookup.display_ref_paths
        return [str(value) for path in paths for value in find_values(path, entity)]


def load_journey(testcase_id: str) -> Journey:
    """Return the journey of the testcase called *testcase_id*.

    Raises:
        UnknownObjectError: if it, or an object it names, does not exist.
        DemoError: if the objects lack what a journey needs.
    """
    testcase = find_testcase(testcase_id)
    policy_profile = find_policy_profile(testcase.policy_profile)
    journey = Journey(
        testcase=testcase,
        pack=find_domain_pack(testcase.domain_pack),
        fixture=find_fixture(testcase.fixture),
        policy_profile=policy_profile,
        evidence_profile=find_evidence_profile(testcase.evidence_profile or policy_profile.evidence_profile),
    )
    pack_id = journey.pack.pack_id
    if not journey.pack.lookups or not journey.pack.actions:
        raise DemoError(f"domain pack {pack_id} names no candidate_lookup or no action; a journey needs both")
    if not journey.fixture.records:
        raise DemoError(f"fixture {journey.fixture.fixture_id} has no records; an offline journey needs them")
    return journey
