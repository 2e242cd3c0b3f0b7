"""What every generator is: validated parameters that make a world, the same one each time.

Generated claims all relay one charge of one order, published by one source, because a relay repeats its parents
exactly. What differs between worlds is who builds on whom. A new generator is one new file beside this one.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final

from pydantic import Field

from mast.ids import ClaimName, OrganizationName, TaskName
from mast.organizations.messages import Statement
from mast.scenario.entry import Entry, Ticks
from mast.scenario.faults.revoke import Revoke
from mast.scenario.world import ClaimSpec, RegistryEntry, Route, Schedule, TaskSpec, Truth, World
from trustrail.foundation import MAX_SAFE_INTEGER

SOURCE: Final = OrganizationName("source")
AUTHORITY: Final = OrganizationName("authority")
ORDER: Final = "order"
_UNSET: Final = ClaimName("")
_CURRENCY: Final = "CNY"
_CENTS: Final = 100

Seed = Annotated[int, Field(ge=0, le=MAX_SAFE_INTEGER)]
Count = Annotated[int, Field(ge=1, le=2_000_000)]


class Generator(Entry):
    """Parameters of a family of worlds."""

    names: ClassVar[dict[str, type["Generator"]]] = {}
    """Every generator, by name."""

    name: str
    revoke_at: Ticks | None = 10
    """Tick at which a claim in the middle is revoked; None leaves the world without a fault."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: object) -> None:
        """Register the generator under the default of its ``name`` field."""
        super().__pydantic_init_subclass__(**kwargs)
        Generator.names[cls.model_fields["name"].default] = cls

    @abstractmethod
    def sketch(self) -> "Sketch":
        """Return the claims, routes and tasks of the world."""
        ...

    def world(self) -> World:
        """Return the world, ready to run."""
        sketch = self.sketch()
        world = sketch.to_world(self.name)
        return world if self.revoke_at is None else Revoke(claim=sketch.middle, at=self.revoke_at).applied(world)


@dataclass(slots=True)
class Sketch:
    """A world being made: claims with parents first, routes in sending order."""

    middle: ClaimName = _UNSET
    """The claim that a revocation hits."""
    organizations: dict[OrganizationName, None] = field(default_factory=lambda: {SOURCE: None, AUTHORITY: None})
    claims: dict[ClaimName, ClaimSpec] = field(default_factory=dict)
    routes: list[Route] = field(default_factory=list)
    tasks: list[TaskSpec] = field(default_factory=list)

    def issue(self, name: str, issuer: OrganizationName, parents: Iterable[ClaimName] = ()) -> ClaimName:
        """Add a claim and return its name."""
        statement = Statement(
            name=ClaimName(name),
            parents=tuple(parents),
            rule="relay",
            predicate="total_charge",
            value={"order": ORDER, "currency": _CURRENCY, "cents": _CENTS},
        )
        self.organizations[issuer] = None
        self.claims[statement.name] = ClaimSpec(issuer=issuer, statement=statement, order=ORDER)
        return statement.name

    def hand(self, claims: Sequence[ClaimName], recipient: OrganizationName) -> None:
        """Add a route that hands *claims*, all of one issuer, to *recipient*."""
        self.organizations[recipient] = None
        sender = self.claims[claims[0]].issuer
        self.routes.append(Route(sender=sender, recipient=recipient, claims=tuple(claims)))

    def act(self, owner: OrganizationName, claim: ClaimName) -> None:
        """Add a task of *owner* on *claim*."""
        self.tasks.append(
            TaskSpec(
                name=TaskName(f"{owner}/{claim}"),
                owner=owner,
                operation="release",
                claims=(claim,),
                order=ORDER,
                branch=owner,
            )
        )

    def to_world(self, name: str) -> World:
        """Return the world, with nothing wrong in it and without a forward phase."""
        return World(
            topology=name,
            case="active",
            variant="generated",
            organizations=tuple(self.organizations),
            authorities={"total_charge": SOURCE},
            fact_authority=AUTHORITY,
            registry={(ORDER, _CURRENCY): RegistryEntry(cents=_CENTS, version="1")},
            claims=self.claims,
            routes=tuple(self.routes),
            tasks=tuple(self.tasks),
            losses={"forward": 1, "release": 100},
            schedule=Schedule(forward=None, act=20, end=60),
            truth=Truth(expected={ORDER: _CENTS}),
        )
