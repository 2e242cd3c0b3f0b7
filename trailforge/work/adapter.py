"""Adapters: the host's callbacks, and the metadata by which a run is bound to them.

An adapter sees a `Request` of detached JSON and returns JSON. It is trusted host code; nothing here isolates it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from trailforge.work.effect import AdapterKind, Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What one attempt is given. Every JSON part is a fresh copy the adapter may change freely."""

    run_id: str
    tenant: str
    resource: str
    goal_digest: str
    """SHA-256 of the canonical goal, 64 hex digits."""
    task_id: str
    attempt: int
    """Number of this attempt of the task, from 1."""
    input: dict[str, Any]
    outputs: dict[str, Any]
    """Accepted output of each task it depends on, by task id."""
    expires_at: int
    """When the lease ends, milliseconds since 1970 on the authority's clock."""
    renew: Callable[[], int]
    """Extend the lease by its full length and return its new end in milliseconds.

    A thread of the callback may call it while the callback waits for something else.
    Raises `trailforge.errors.LeaseLostError` when the lease is no longer this attempt's; stop then.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A registered callback. Change `version` whenever what it does changes: code, model or prompt."""

    name: str
    version: str
    kind: AdapterKind
    call: Callable[[Request], Any]
    """Returns any JSON value; a VERIFY adapter returns an object with ``verdict``: PASS, FAIL or UNKNOWN."""
    effects: tuple[Effect, ...] = (Effect.PURE,)
    """Effects this adapter can be asked for."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """JSON facts that are part of its identity, such as a model name."""


def adapter_to_json(adapter: Adapter) -> dict[str, Any]:
    """Return the metadata of *adapter* that a run is bound to."""
    return {
        "name": adapter.name,
        "version": adapter.version,
        "kind": str(adapter.kind),
        "effects": sorted(str(effect) for effect in adapter.effects),
        "settings": adapter.settings,
    }
