"""The digest of a world: what makes two worlds the same world, whatever files they came from."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import msgspec

from mast.scenario import World
from trustrail.foundation import canonical_json, digest_hex


def world_digest(world: World) -> str:
    """Return the SHA-256 of the canonical JSON of everything in *world*, 64 hex digits."""
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
    return digest_hex(canonical_json(_plain(key.world)))


def _plain(value: Any) -> Any:  # noqa: ANN401 - any part of a world, one kind after another
    """Return *value* as JSON values; classes keep their names, sets are sorted, mappings keep their order."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if is_dataclass(value):
        return [type(value).__name__, *([field.name, _plain(getattr(value, field.name))] for field in fields(value))]
    if isinstance(value, msgspec.Struct):
        return [type(value).__name__, *([name, _plain(getattr(value, name))] for name in value.__struct_fields__)]
    if isinstance(value, Mapping):
        return [[_plain(key), _plain(item)] for key, item in value.items()]
    if isinstance(value, AbstractSet):
        return sorted(_plain(item) for item in value)
    return [_plain(item) for item in value]
