"""What the session has looked up so far: every object and listed value in the results, findable by value.

Results are indexed only when somebody asks, and each result once, so that a run without a call to judge costs
nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_LONGEST_KEY: Final = 200
"""Characters above which a text is prose, not a reference or a name; ours."""

FIRST_SIGHTINGS: Final = 7
"""Places kept for one value, besides the newest; ours."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a value stood in a result."""

    seq: int
    holder: dict[str, Any] | None
    """The object whose field, or whose key, the value is."""
    siblings: tuple[Any, ...]
    """The other members of the list or map that holds it, as far as there are any."""


class Records:
    """All results seen, indexed by the values in them."""

    __slots__ = ("_index", "_places", "_waiting", "noted")

    def __init__(self) -> None:
        self._waiting: list[tuple[int, Any]] = []
        self._index: dict[str, list[Sighting]] = {}
        self._places: dict[str, list[int]] = {}
        self.noted: dict[tuple[object, ...], frozenset[str]] = {}
        """What readers worked out about the objects held here; objects stay alive as long as this does."""

    def add(self, seq: int, result: Any) -> None:  # noqa: ANN401 - any JSON value
        """Take in the result of the event *seq*; it is not looked into yet."""
        if result is not None:
            self._waiting.append((seq, result))

    def sightings(self, value: Any) -> tuple[Sighting, ...]:  # noqa: ANN401 - any JSON value
        """Return where *value* stood, oldest first: the first seven places, and the newest."""
        self._look_into_waiting()
        return tuple(self._index.get(str(value), ()))

    def places(self, value: Any) -> tuple[int, ...]:  # noqa: ANN401 - any JSON value
        """Return the ``seq`` of every result that *value* stood in, oldest first."""
        self._look_into_waiting()
        return tuple(self._places.get(str(value), ()))

    def _look_into_waiting(self) -> None:
        for seq, result in self._waiting:
            self._walk(seq, result)
        self._waiting.clear()

    def _walk(self, seq: int, result: Any) -> None:  # noqa: ANN401 - any JSON value
        stack: list[tuple[Any, dict[str, Any] | None, tuple[Any, ...]]] = [(result, None, ())]
        while stack:
            node, holder, siblings = stack.pop()
            if isinstance(node, dict):
                self._enter_object(seq, node, siblings, stack)
            elif isinstance(node, list):
                group = tuple(node) if len(node) > 1 else ()
                stack.extend((child, holder if not isinstance(child, dict) else None, group) for child in node)
            elif node is not None and node is not True and node is not False:
                self._note(seq, str(node), holder, siblings)

    def _enter_object(
        self,
        seq: int,
        node: dict[str, Any],
        siblings: tuple[Any, ...],
        stack: list[tuple[Any, dict[str, Any] | None, tuple[Any, ...]]],
    ) -> None:
        members = [value for value in node.values() if isinstance(value, dict)]
        is_map = len(members) == len(node) and len(node) > 0
        group = tuple({"": key, **value} for key, value in sorted(node.items())) if is_map else ()
        for key, value in sorted(node.items()):
            if isinstance(value, dict) and is_map:
                self._note(seq, key, value, group)
                stack.append((value, None, group))
            elif isinstance(value, dict | list):
                stack.append((value, None, ()))
            elif value is not None and value is not True and value is not False:
                self._note(seq, str(value), node, siblings)

    def _note(self, seq: int, text: str, holder: dict[str, Any] | None, siblings: tuple[Any, ...]) -> None:
        if len(text) > _LONGEST_KEY:
            return
        seen = self._index.setdefault(text, [])
        if len(seen) > FIRST_SIGHTINGS:
            seen.pop()
        seen.append(Sighting(seq, holder, siblings))
        places = self._places.setdefault(text, [])
        if not places or places[-1] != seq:
            places.append(seq)


def scalars_of(value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any JSON value
    """Yield ``(last key, value)`` for every scalar inside *value*, depth first."""
    stack: list[tuple[str, Any]] = [("", value)]
    while stack:
        key, node = stack.pop()
        if isinstance(node, dict):
            stack.extend((str(name), child) for name, child in sorted(node.items(), reverse=True))
        elif isinstance(node, list | tuple):
            stack.extend((key, child) for child in reversed(node))
        elif node is not None:
            yield key, node
