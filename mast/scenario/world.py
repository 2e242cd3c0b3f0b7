"""The compiled form of a scenario: plain frozen values, complete, checked, ready to run.

Loaders and generators make worlds; the runtime and the scorer read them. `Truth` is what only the scorer may
know: organizations cannot import this module (it stands above them).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from mast.ids import ClaimName, OrganizationName, TaskName
from mast.organizations.messages import Instruction, Parcel, Provide, Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSpec:
    """A claim of the initial graph: who issues what, derived from which claims."""

    issuer: OrganizationName
    statement: Statement
    order: str | None = None
    """The order the claim is about, when its value names one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A handoff of the initial graph, sent once when seeding."""

    sender: OrganizationName
    recipient: OrganizationName
    claims: tuple[ClaimName, ...]
    forwarded: bool = True
    """Whether each claim is forwarded again, alone, in the forward phase."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A direction between two organizations, along which parcels travel."""

    sender: OrganizationName
    recipient: OrganizationName

    def __str__(self) -> str:
        return f"{self.sender} -> {self.recipient}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """One action somebody will try to perform."""

    name: TaskName
    owner: OrganizationName
    operation: str
    claims: tuple[ClaimName, ...]
    """The task's claim first, then supporting ones (an authorization)."""
    order: str
    branch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryEntry:
    """What the fact authority has on record for one (order, currency)."""

    cents: int
    version: str
    confirmed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When each phase starts, in ticks; phases of equal tick run in this order."""

    seed: int = 0
    forward: int | None = 12
    """None leaves the forward phase out."""
    act: int = 12
    end: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """How long parcels take, in ticks, by kind; kinds not named take 0."""

    latency: Mapping[str, int] = field(default_factory=lambda: {"notice": 1, "revocation": 1})
    retransmit_after: int = 32
    """Ticks after which an unanswered notice is sent again; doubles each time."""
    retransmit_limit: int = 5
    """How many times at most."""
    query_timeout: int = 16
    """Ticks after which an unanswered query counts as unavailable."""


class Tap(Protocol):
    """What a fault does to parcels on the wire. Taps are asked in order."""

    def transit(self, parcel: Parcel) -> Parcel | None:
        """Return the parcel as it arrives, or None when it is lost."""
        ...

    def delay(self, parcel: Parcel, latency: int) -> int:
        """Return the latency of *parcel* in ticks, given the one so far."""
        ...

    def fresh(self) -> "Tap":
        """Return the tap to use in one run: itself, or a new one when it counts what it has seen."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """An instruction that comes to an organization at a tick, from outside the workload."""

    at: int
    organization: OrganizationName
    instruction: Instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A corrected fact becomes known to a claim's issuer at a tick, and repair begins."""

    at: int
    claim: ClaimName
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What only the scorer knows."""

    expected: Mapping[str, int]
    """Correct amount of each order, in cents."""
    invalid: frozenset[ClaimName] = frozenset()
    """Claims that should not be relied on: retracted ones and all that derives from them."""
    affected: frozenset[TaskName] = frozenset()
    """Tasks that a fault reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """Which agent decides for the organizations, with its settings."""

    kind: str = "always_proceed"
    settings: Mapping[str, Any] = field(default_factory=dict)
    budget: int | None = None
    """Decisions per organization before further ones are refused as a budget stop; None sets no bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything a run is a function of, besides the mechanisms and the seed."""

    topology: str
    case: str
    variant: str = "default"
    organizations: tuple[OrganizationName, ...]
    authorities: Mapping[str, OrganizationName]
    """Who may issue root claims of a predicate."""
    fact_authority: OrganizationName | None
    """Who is asked about amounts."""
    registry: Mapping[tuple[str, str], RegistryEntry]
    """The fact authority's private record, by (order, currency)."""
    claims: Mapping[ClaimName, ClaimSpec]
    """In an order in which parents precede children."""
    routes: tuple[Route, ...]
    extra_seeds: tuple[tuple[OrganizationName, Provide], ...] = ()
    """Handed out after the routes when seeding: a conflicting source, for example."""
    tasks: tuple[TaskSpec, ...]
    losses: Mapping[str, int] = field(default_factory=lambda: {"forward": 1, "approve_invoice": 100})
    """Loss at stake per operation, compared with `Mechanisms.risk_threshold`."""
    schedule: Schedule = field(default_factory=Schedule)
    network: Network = field(default_factory=Network)
    injections: tuple[Injection, ...] = ()
    revisions: tuple[Revision, ...] = ()
    taps: tuple[Tap, ...] = ()
    """Every run asks each tap for a `Tap.fresh` one, so that runs of one world do not touch each other."""
    critical_edges: Mapping[str, Edge] = field(default_factory=dict)
    """Edges a study may want to slow down, by name (``shared_upstream/routed``)."""
    agents: AgentSpec = field(default_factory=AgentSpec)
    truth: Truth
