"""What an organization carries from one message to the next, and how its steps speak.

A state belongs to one actor and is updated in place: a step that raises a `mast.errors.Rejection` has changed
nothing, because every protocol function checks before it changes (``docs/decisions/0001-owned-state.md``).
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from mast.ids import ClaimName, OrganizationName
from mast.organizations.messages import Effect, Instruction, Message, Parcel, PlainClaim
from mast.protocol.facts import Entry
from mast.protocol.mechanisms import Mechanisms
from mast.protocol.view import LocalView
from trustrail.foundation import SignedEnvelope


class Settings(Struct, frozen=True, kw_only=True):
    """What an organization is told once, before it starts."""

    name: OrganizationName
    mechanisms: Mechanisms
    losses: Mapping[str, int]
    """Loss at stake per operation."""
    fact_authority: OrganizationName | None
    registry: Mapping[tuple[str, str], Entry] = msgspec.field(default_factory=dict)
    """The organization's own records of amounts, by (order, currency); empty for most."""
    everyone: tuple[OrganizationName, ...] = ()
    """Every organization, for broadcasts."""
    serves: frozenset[str] = frozenset()
    """Receivers whose recovery envelopes are served."""
    budget: int | None = None
    """Decisions before further ones are refused as a budget stop."""
    retransmit_after: int = 32
    retransmit_limit: int = 5
    query_timeout: int = 16
    seed: int = 0
    """Seed of the run: challenges are drawn from it."""


S_contra = TypeVar("S_contra", bound="OrganizationState", contravariant=True)


class Activity(Protocol[S_contra]):
    """One piece of work an organization is busy with, from its start until it finishes."""

    stage: str

    def start(self, state: S_contra, out: list[Effect]) -> None:
        """Begin; may finish at once."""
        ...

    def receive(self, state: S_contra, message: Message, out: list[Effect]) -> None:
        """Go on with what the organization was waiting for; ignore what it was not."""
        ...


@dataclass(slots=True, kw_only=True)
class OrganizationState:
    """State that organizations have whether they sign or not."""

    settings: Settings
    now: int = 0
    """Tick of the message being handled."""
    turn: str = ""
    """Stage of work the message belongs to."""
    waiting: deque[Instruction | Parcel] = field(default_factory=deque)
    current: Activity[Any] | None = None
    asked_at: int = 0
    """Tick at which the current activity last sent something that wants an answer."""
    watched: bool = False
    """Whether the clock is set to ring for what is not answered."""
    decisions: int = 0
    """Decisions asked for so far."""
    challenges: int = 0
    """Challenges drawn so far."""


@dataclass(slots=True, kw_only=True)
class SignedState(OrganizationState):
    """State of an organization that signs."""

    view: LocalView
    outcomes: dict[str, SignedEnvelope] = field(default_factory=dict)
    """First outcome of each task, for recovery."""
    attempts: dict[bytes, int] = field(default_factory=dict)
    """How often each notice was sent."""
    given_up: set[bytes] = field(default_factory=set)
    """Questions counted as unanswered; their answers, should they come, mean nothing any more."""


@dataclass(slots=True, kw_only=True)
class PlainState(OrganizationState):
    """State of an organization that signs nothing: the newest message about each claim, and its own retractions."""

    facts: dict[ClaimName, PlainClaim] = field(default_factory=dict)
    retracted: set[ClaimName] = field(default_factory=set)


def challenge(state: OrganizationState) -> bytes:
    """Return 32 fresh bytes: BLAKE2b of (seed, organization, counter), never drawn twice in a run."""
    settings = state.settings
    state.challenges += 1
    key = settings.seed.to_bytes(8, "big", signed=True)
    return blake2b(b"%s\x00%d" % (settings.name.encode(), state.challenges), key=key, digest_size=32).digest()
