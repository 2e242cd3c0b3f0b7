"""The digest of a world: what makes two worlds the same world, whatever files they came from."""

from dataclasses import fields
from functools import lru_cache
from typing import Any

import msgspec

from mast.scenario import World
from trustrail.foundation import digest_hex


def world_digest(world: World) -> str:
    """Return the SHA-256 of everything in *world*, written as JSON, 64 hex digits.

    Claims keep their order, since a run follows it; sets and other mappings are sorted.
    """
    return _digest_of(_ByIdentity(world))


class _ByIdentity:
    """A world as a key of the cache: it holds mappings, so it cannot be hashed by value."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __hash__(self) -> int:
        return id(self.world)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and other.world is self.world


@lru_cache(maxsize=256)
def _digest_of(key: _ByIdentity) -> str:
    world = key.world
    parts: dict[str, Any] = {field.name: getattr(world, field.name) for field in fields(world)}
    # Keys of pairs have no place in JSON, and taps and instructions of different classes may hold the same values.
    parts["claims"] = list(world.claims.items())
    parts["registry"] = sorted(world.registry.items(), key=lambda item: item[0])
    parts["taps"] = [(type(tap).__name__, tap) for tap in world.taps]
    parts["injections"] = [(type(injection.instruction).__name__, injection) for injection in world.injections]
    return digest_hex(msgspec.json.encode(parts, order="deterministic"))
