"""What the four kinds of scenario files hold: topology, business, case and scenario.

These models are the format, and the published JSON Schema is made from them. They check shapes; whether names
refer to anything is checked by `mast.scenario.references`, and `mast.scenario.assembly` makes the world.
"""

from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from pydantic import Discriminator, Field, Tag

from mast.organizations.messages import ParcelKind
from mast.scenario.entry import Cents, Entry, Name, ParcelKindName, Ticks, Values
from mast.scenario.faults import AnyFault
from mast.scenario.generators import AnyGenerator
from mast.scenario.world import Schedule

SCHEMA_VERSION: Final = "mast.scenario.v0.1"

MAX_PARENTS: Final = 16
"""Most parents a claim may have; the protocol refuses more."""

EdgeText = Annotated[str, Field(pattern=r"^\s*\S+\s*->\s*\S+\s*$")]
"""``sender -> recipient``."""

ParameterName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]

Names = Annotated[tuple[Name, ...], Field(strict=False)]


class ClaimEntry(Entry):
    """A claim; what is left out comes from the business."""

    issuer: Name
    parents: Annotated[tuple[Name, ...], Field(strict=False, max_length=MAX_PARENTS)] = ()
    order: Name | None = None
    """The order it is about."""
    predicate: Name | None = None
    rule: Name | None = None
    value: Values | None = None


class RouteEntry(Entry):
    """A handoff that seeds the world."""

    sender: Name
    recipient: Name
    claims: Annotated[tuple[Name, ...], Field(strict=False, min_length=1)]
    forwarded: bool = True
    """Whether each claim is forwarded again, alone, in the forward phase."""


class TaskEntry(Entry):
    """An action its owner will try to perform on a claim."""

    owner: Name
    claim: Name
    branch: Name
    supporting: Names = ()
    """Further claims the action rests on, before an authorization."""


class Topology(Entry):
    """Who issues what for whom."""

    organizations: Annotated[tuple[Name, ...], Field(strict=False, min_length=1)]
    claims: dict[Name, ClaimEntry]
    """By name, in any order."""
    routes: Annotated[tuple[RouteEntry, ...], Field(strict=False)]
    """In the order in which they are sent."""
    tasks: dict[Name, TaskEntry]
    critical_edges: dict[Name, EdgeText] = Field(default_factory=dict)
    """Edges a study may want to slow down."""


class ClaimTemplate(Entry):
    """What a claim says unless the topology says otherwise.

    Text ``$name`` stands for a parameter, ``$order`` for the claim's order, ``$currency`` and ``$operation`` for
    those of the business.
    """

    predicate: Name
    rule: Name = "relay"
    value: Values


class AuthorizationTemplate(Entry):
    """A claim that one organization issues per order and hands to every task owner."""

    issuer: Name
    predicate: Name
    value: Values


class ScheduleEntry(Entry):
    """When each phase starts, in ticks; phases left out stay as they were."""

    seed: Ticks = 0
    forward: Ticks | None = 12
    act: Ticks = 12
    end: Ticks = 30

    def moved(self, schedule: Schedule) -> Schedule:
        """Return *schedule* with the phases that were written down here moved."""
        return replace(schedule, **{name: getattr(self, name) for name in self.model_fields_set})


def _reference_latency() -> dict[ParcelKind, int]:
    """Return the latencies of the reference network: news takes a tick, all else none."""
    return {ParcelKind.NOTICE: 1, ParcelKind.REVOCATION: 1}


class NetworkEntry(Entry):
    """How long parcels take, in ticks; kinds not named take 0."""

    latency: dict[ParcelKindName, Ticks] = Field(default_factory=_reference_latency)
    retransmit_after: Annotated[Ticks, Field(ge=1)] = 32
    retransmit_limit: Annotated[int, Field(ge=0, le=64)] = 5
    query_timeout: Annotated[Ticks, Field(ge=1)] = 16


class AgentEntry(Entry):
    """Which agent decides for the organizations."""

    kind: Name = "always_proceed"
    settings: dict[str, Any] = Field(default_factory=dict)
    budget: Annotated[int, Field(ge=0)] | None = None


class Business(Entry):
    """What the claims say, what tasks do with them, and what must hold."""

    parameters: dict[ParameterName, Cents] = Field(default_factory=dict)
    """Numbers that templates and faults refer to as ``$name``."""
    currency: Name
    claim: ClaimTemplate
    operation: Name
    authorization: AuthorizationTemplate | None = None
    authorities: dict[Name, Name]
    """Predicate to the organization whose roots of it count."""
    fact_authority: Name | None = None
    """Who is asked about amounts, and keeps the registry."""
    registry_version: Name = "1"
    losses: dict[Name, Annotated[int, Field(ge=0)]]
    """Loss at stake per operation."""
    schedule: ScheduleEntry = ScheduleEntry()


class Header(Entry):
    """What every file starts with."""

    schema_version: Literal["mast.scenario.v0.1"]
    description: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\n]*$")]
    """One line."""


class TopologyFile(Header, Topology):
    """A file under ``scenarios/topologies``."""

    kind: Literal["topology"]


class BusinessFile(Header, Business):
    """A file under ``scenarios/business``."""

    kind: Literal["business"]


class CaseFile(Header):
    """A file under ``scenarios/cases``: what goes wrong, in whatever topology has the claims."""

    kind: Literal["case"]
    faults: Annotated[tuple[AnyFault, ...], Field(strict=False)]


def _name_or_inline(value: object) -> str:
    return "name" if isinstance(value, str) else "inline"


class ScenarioFile(Header):
    """A whole scenario in one file: a topology or a generator, a business, and all the rest."""

    kind: Literal["scenario"]
    topology: (
        Annotated[Annotated[Name, Tag("name")] | Annotated[Topology, Tag("inline")], Discriminator(_name_or_inline)]
        | None
    ) = None
    """Name of a shipped topology, or one written out here."""
    generator: AnyGenerator | None = None
    """Makes the topology instead; the business is then its own."""
    business: Annotated[
        Annotated[Name, Tag("name")] | Annotated[Business, Tag("inline")], Discriminator(_name_or_inline)
    ] = "default"
    """Name of a shipped business, or one written out here."""
    faults: Annotated[tuple[AnyFault, ...], Field(strict=False)] = ()
    schedule: ScheduleEntry | None = None
    """When left out, the schedule of the business."""
    network: NetworkEntry = NetworkEntry()
    agents: AgentEntry = AgentEntry()


AnyFile = Annotated[
    TopologyFile | BusinessFile | CaseFile | ScenarioFile,
    Field(discriminator="kind"),
]
