"""What can happen to a run: the closed set of events, and the canonical text of a journal entry.

One transition writes one entry, with one event or two. Every event carries the time it was recorded (milliseconds
since 1970 on the authority's clock). An event is written before what it announces (`AttemptBegan`) or after what it
reports (`AttemptSucceeded`), never in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from trustrail.foundation import canonical_json, parse_json


class Decision(StrEnum):
    """What a trusted host says about an UNKNOWN attempt."""

    RETRY = "RETRY"  #: begin another attempt, charged anew
    CANCEL = "CANCEL"  #: end the run; nothing of it is committed any more


class Doubt(StrEnum):
    """Why the outcome of an attempt is UNKNOWN."""

    ADAPTER_RAISED = "ADAPTER_RAISED"  #: the callback ended with an exception
    INTERRUPTED = "INTERRUPTED"  #: the process was told to stop during the callback
    OUTPUT_INVALID = "OUTPUT_INVALID"  #: the callback returned something without a canonical form or verdict
    OUTPUT_OVERSIZED = "OUTPUT_OVERSIZED"  #: the callback returned more bytes than the goal allows
    VERDICT_UNKNOWN = "VERDICT_UNKNOWN"  #: a required check could not tell
    LEASE_EXPIRED = "LEASE_EXPIRED"  #: the lease ended before a result was recorded
    FENCED = "FENCED"  #: a host stated that the holder's process is dead
    RECEIPT_NOT_STORED = "RECEIPT_NOT_STORED"  #: the callback returned, but its receipt could not be written


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAdmitted:
    """The goal was admitted and bound."""

    at: int
    binding: str
    """Binding digest, 64 hex digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptBegan:
    """Units are reserved and the lease is taken; the callback may now be called."""

    at: int
    task: str
    attempt: int
    epoch: int
    holder: str
    units: int
    expires_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRenewed:
    """The attempt asked for more time while it still held its lease."""

    at: int
    task: str
    epoch: int
    expires_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptSucceeded:
    """The callback's output was accepted."""

    at: int
    task: str
    attempt: int
    epoch: int
    receipt: str
    """Digest of the receipt, 64 hex digits."""
    verdict: str = ""
    """Verdict of a VERIFY adapter, empty for other kinds."""
    pause: bool = False
    """Whether the run stops here until it is resumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptDoubted:
    """Whether the attempt's effect happened cannot be told; the run holds."""

    at: int
    task: str
    attempt: int
    epoch: int
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptAbandoned:
    """A crash left a PURE or SCOPED_READ attempt in doubt and the goal's policy begins another one."""

    at: int
    task: str
    attempt: int
    epoch: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldResolved:
    """A trusted host decided about an UNKNOWN attempt."""

    at: int
    task: str
    decision: str
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitsDenied:
    """A cap of the tenant or of the store does not cover the next attempt."""

    at: int
    task: str
    scope: str
    limit: str
    needed: int
    available: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunExhausted:
    """A limit of the goal leaves no further attempt."""

    at: int
    task: str
    limit: str
    used: int
    maximum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCancelled:
    """A trusted host ended the run; a result that arrives later is refused."""

    at: int
    by: str
    note: str = ""


Event = (
    RunAdmitted
    | AttemptBegan
    | LeaseRenewed
    | AttemptSucceeded
    | AttemptDoubted
    | AttemptAbandoned
    | HoldResolved
    | UnitsDenied
    | RunExhausted
    | RunCancelled
)

_KINDS: Final[tuple[type[Event], ...]] = (
    RunAdmitted,
    AttemptBegan,
    LeaseRenewed,
    AttemptSucceeded,
    AttemptDoubted,
    AttemptAbandoned,
    HoldResolved,
    UnitsDenied,
    RunExhausted,
    RunCancelled,
)
_BY_NAME: Final = {kind.__name__: kind for kind in _KINDS}
_FIELDS: Final = {kind: tuple(kind.__dataclass_fields__) for kind in _KINDS}
_DEFAULTS: Final = {kind: {name: field.default for name, field in kind.__dataclass_fields__.items()} for kind in _KINDS}


def journal_text(events: Sequence[Event]) -> str:
    """Return the canonical JSON of the *events* of one transition; fields at their default are left out."""
    return canonical_json([_to_json(event) for event in events]).decode()


def events_from_text(text: str) -> list[Event]:
    """Return the events that `journal_text` wrote as *text*.

    Raises:
        CanonicalizationError, KeyError, TypeError, ValueError: if they are none.
    """
    return [_from_json(dict(value)) for value in parse_json(text)]


def _to_json(event: Event) -> dict[str, Any]:
    kind = type(event)
    defaults = _DEFAULTS[kind]
    value: dict[str, Any] = {"event": kind.__name__}
    for name in _FIELDS[kind]:
        item = getattr(event, name)
        if item != defaults[name]:
            value[name] = item
    return value


def _from_json(fields: dict[str, Any]) -> Event:
    return _BY_NAME[fields.pop("event")](**fields)
