"""The domain pack: what an organization's tool names mean. It holds no control logic, steps or assertions.

A tool plays one role: it looks candidates up, acts, or does neither. One lookup tool may yield several entity
types; an action may take several entities. A tool the pack does not name has no known meaning.
"""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Final, Literal, Self

from pydantic import Field, ValidationInfo, model_validator

from trustrail.objects.nearest import did_you_mean
from trustrail.objects.paths import JsonPath, Pattern
from trustrail.objects.shape import WRITTEN, Identifier, Many, Misplaced, Name, Place, Shape, Version, misplaced
from trustrail.objects.tools import Action, CandidateLookup, EntityArgument, IdentityCheck, ToolBinding, Tools


class DisplayPolicy(StrEnum):
    """How much of an entity's sensitive values may be shown to the customer."""

    FULL = "full_reference"  #: all of it
    MASKED_CARD = "masked_card_reference"  #: last 4 digits, never the full number
    MASKED = "masked_reference"  #: a shortened reference, never the whole value


class EntityType(Shape):
    """A kind of thing an action is done to."""

    display_policy: Annotated[DisplayPolicy, Field(strict=False)]
    id_is_sensitive: bool = False
    """True when the entity's id itself falls under the display policy."""
    sensitive_paths: Many[JsonPath] = ()
    """Where tool results hold values that fall under the display policy."""
    id_pattern: Pattern | None = None
    """Regular expression of an id as it stands in text; a lookup that answers in text yields its matches."""


_SHARED_ROLES: Final = ({"candidate_lookup"}, {"candidate_lookup", "identity_check"})
"""Roles that one tool may play together: a lookup yields several entity types, and may establish the customer."""


class DomainPack(Shape):
    """The meaning of one domain's tool names."""

    schema_version: Literal["trustrail.domain_pack.v0.1"]
    pack_id: Identifier
    version: Version = 1
    locales: Many[str] = ("en",)
    """Languages the customers of this domain write in (ISO 639-1)."""
    entity_types: dict[Name, EntityType] = Field(min_length=1)
    tools: Tools

    @model_validator(mode="after")
    def _says_one_thing(self, info: ValidationInfo) -> Self:
        written = (info.context or {}).get(WRITTEN, {}).get("entity_types")
        known = {*self.entity_types, *(written if isinstance(written, dict) else ())}
        problems = [*self._second_roles(), *self._unknown_entity_types(known)]
        if problems:
            raise misplaced(problems)
        return self

    def _second_roles(self) -> Iterator[Misplaced]:
        roles: dict[str, str] = {}
        for place, name in self._named_tools():
            role = str(place[1])
            before = roles.get(name)
            roles.setdefault(name, role)
            if before is None or {before, role} in _SHARED_ROLES:
                continue
            text = f"tool {name!r} has the roles {before} and {role}; expected one"
            if before == role:
                text = f"tools.{role} names {name!r} twice; one tool has one meaning"
            yield Misplaced(place=place, text=text)

    def _unknown_entity_types(self, known: Collection[str]) -> Iterator[Misplaced]:
        """Yield the entity types that are not *known*: those of the pack, and those of its file that are wrong."""
        for place, name in self._named_entity_types():
            if name is None and len(known) > 1:
                text = "a tool binding has no entity_type, and the pack has more than one"
                yield Misplaced(place=place, text=text, unless=(*place, "entity_type"))
            if name is not None and name not in known:
                text = f"entity_type is {name!r}, which the pack does not define{did_you_mean(name, known)}"
                yield Misplaced(place=(*place, "entity_type"), text=text)

    @cached_property
    def actions(self) -> dict[str, Action]:
        """What each action tool performs, by tool name; consequential writes are actions without entities."""
        found = {name: action for action in self.tools.action for name in action.names}
        return found | {name: Action(names=(name,)) for name in self.tools.consequential_writes}

    @cached_property
    def lookups(self) -> dict[str, tuple[CandidateLookup, ...]]:
        """What each lookup tool yields, by tool name."""
        found: dict[str, tuple[CandidateLookup, ...]] = {}
        for lookup in self.tools.candidate_lookup:
            for name in lookup.names:
                found[name] = (*found.get(name, ()), lookup)
        return found

    @cached_property
    def identity_checks(self) -> dict[str, IdentityCheck]:
        """The identity check each tool performs, by tool name."""
        return {name: check for check in self.tools.identity_check for name in check.names}

    @cached_property
    def tool_names(self) -> frozenset[str]:
        """Every tool the pack gives a meaning to."""
        return frozenset(name for _, name in self._named_tools())

    @cached_property
    def entities(self) -> dict[str, tuple[EntityArgument, ...]]:
        """The entity arguments of each action tool, by tool name; the one in ``entity_id_argument`` first."""
        return {name: self._entities_of(action) for name, action in self.actions.items()}

    def entity_type_of(self, lookup: CandidateLookup) -> str:
        """Return the type of the entities that *lookup* yields."""
        return lookup.entity_type or next(iter(self.entity_types))

    def _entities_of(self, action: Action) -> tuple[EntityArgument, ...]:
        if action.entity_id_argument is None:
            return action.entity_arguments
        entity_type = action.entity_type or next(iter(self.entity_types))
        first = EntityArgument(argument=action.entity_id_argument, entity_type=entity_type)
        return (first, *action.entity_arguments)

    def _named_tools(self) -> list[tuple[Place, str]]:
        """Return every tool name and where the file has it."""
        tools = self.tools
        bindings: tuple[tuple[str, Sequence[ToolBinding]], ...] = (
            ("candidate_lookup", tools.candidate_lookup),
            ("action", tools.action),
            ("identity_check", tools.identity_check),
        )
        bound: list[tuple[Place, str]] = [
            (("tools", role, index, "names"), name)
            for role, found in bindings
            for index, binding in enumerate(found)
            for name in binding.names
        ]
        lists = [("consequential_writes", tools.consequential_writes), ("without_effect", tools.without_effect)]
        return bound + [(("tools", role, index), name) for role, names in lists for index, name in enumerate(names)]

    def _named_entity_types(self) -> list[tuple[Place, str | None]]:
        """Return every entity type a tool binding names, or leaves out, and where."""
        named: list[tuple[Place, str | None]] = [
            (("tools", "candidate_lookup", index), lookup.entity_type)
            for index, lookup in enumerate(self.tools.candidate_lookup)
        ]
        for index, action in enumerate(self.tools.action):
            place = ("tools", "action", index)
            if action.entity_id_argument is not None or action.entity_type is not None:
                named.append((place, action.entity_type))
            named += [
                ((*place, "entity_arguments", at), given.entity_type)
                for at, given in enumerate(action.entity_arguments)
            ]
        return named
