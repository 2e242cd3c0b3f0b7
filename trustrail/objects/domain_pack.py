"""The domain pack: what an organization's tool names mean. It holds no control logic, steps or assertions.

A tool plays one role: it looks candidates up, acts, or does neither. One lookup tool may yield several entity
types; an action may take several entities. A tool the pack does not name has no known meaning.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from trustrail.objects.nearest import did_you_mean
from trustrail.objects.paths import JsonPath, Pattern, find_values
from trustrail.objects.shape import Identifier, Many, OneOrMany, Place, Shape, Version, misplaced


class DisplayPolicy(StrEnum):
    """How much of an entity's sensitive values may be shown to the customer."""

    FULL = "full_reference"  #: all of it
    MASKED_CARD = "masked_card_reference"  #: last 4 digits, never the full number
    MASKED = "masked_reference"  #: a shortened reference, never the whole value
    HIDDEN = "hidden"  #: nothing of it


class EntityType(Shape):
    """A kind of thing an action is done to."""

    display_policy: Annotated[DisplayPolicy, Field(strict=False)]
    id_is_sensitive: bool = False
    """True when the entity's id itself falls under the display policy."""
    sensitive_paths: Many[JsonPath] = ()
    """Where tool results hold values that fall under the display policy."""
    id_pattern: Pattern | None = None
    """Regular expression of an id as it stands in text; a lookup that answers in text yields its matches."""


class Condition(Shape):
    """One test on a tool's result; every given part must hold."""

    path: JsonPath
    equals: str | int | float | bool | None = Field(default=None)
    starts_with: str | None = None
    contains: str | None = None
    exists: bool | None = None

    @model_validator(mode="after")
    def _tests_something(self) -> Self:
        if not self.model_fields_set - {"path"}:
            raise ValueError("tests nothing; give one of equals, starts_with, contains, exists")
        return self

    def holds(self, result: Any) -> bool:  # noqa: ANN401 - any JSON value
        """Whether *result* meets the condition."""
        values = find_values(self.path, result)
        if self.exists is not None and bool(values) is not self.exists:
            return False
        if "equals" in self.model_fields_set and not any(_same(value, self.equals) for value in values):
            return False
        texts = [value for value in values if isinstance(value, str)]
        if self.starts_with is not None and not any(text.startswith(self.starts_with) for text in texts):
            return False
        return self.contains is None or any(self.contains in text for text in texts)


class Outcome(Shape):
    """A test on a tool's result: any of these, all of those."""

    any_of: Many[Condition] = ()
    all_of: Many[Condition] = ()

    @model_validator(mode="after")
    def _has_conditions(self) -> Self:
        if not self.any_of and not self.all_of:
            raise ValueError("has no conditions; give any_of or all_of")
        return self

    def holds(self, result: Any) -> bool:  # noqa: ANN401 - any JSON value
        """Whether *result* meets the test."""
        if not all(condition.holds(result) for condition in self.all_of):
            return False
        return not self.any_of or any(condition.holds(result) for condition in self.any_of)


class ToolBinding(Shape):
    """Tools that share one meaning."""

    names: OneOrMany[str] = Field(min_length=1)


class CandidateLookup(ToolBinding):
    """Tools whose results establish which entities the session may act on."""

    entity_type: str | None = None
    """May be left out when the pack has one entity type."""
    result_entities_path: JsonPath | None = None
    """Where the result lists entities; left out: every object in the result that has an id is one."""
    entity_id_path: JsonPath | None = None
    """The id inside one entity; ``$`` when the listed value is the id itself. Left out: detected."""
    entity_id_argument: str | None = None
    """An argument that is the id: a clean result shows that the entity exists."""
    display_ref_paths: Many[JsonPath] = ()
    """What of one entity the customer may be shown, and may choose by."""

    def listed_entities(self, result: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
        """Return the entities `result_entities_path` selects in *result*; a list it selects counts by its items."""
        found: list[Any] = []
        for value in find_values(self.result_entities_path or "$", result):
            found += value if isinstance(value, list) else [value]
        return found


class IdentityCheck(ToolBinding):
    """Tools whose clean result establishes who the customer is."""

    customer_id_path: JsonPath | None = None
    """The customer's id in the result; left out: the whole result, or the argument below."""
    customer_id_argument: str | None = None


class EntityArgument(Shape):
    """An argument of an action that names an entity."""

    argument: str = Field(min_length=1)
    """An argument's name, or a JSONPath into the arguments for nested ones."""
    entity_type: str
    selected_by_customer: bool = True
    """False when the agent may fill it in without the customer choosing (the customer's own id, say)."""
    must_be_retrieved: bool = True
    """False when the customer may bring the value along without any lookup."""

    def values(self, arguments: dict[str, Any]) -> list[Any]:
        """Return the ids that *arguments* hold here."""
        if self.argument.startswith("$"):
            return find_values(self.argument, arguments)
        if self.argument not in arguments:
            return []
        value = arguments[self.argument]
        return list(value) if isinstance(value, list | tuple) else [value]


class KeptList(Shape):
    """A list argument that replaces a whole list of the entity, and so must not lose items unnoticed."""

    argument: str
    entity_path: JsonPath
    """The list it replaces, in the entity as last retrieved."""


class Confirmation(Shape):
    """What the customer must have agreed to before the action."""

    required: bool = True
    must_name: Many[str] = ()
    """Arguments the proposal has to name; left out: the entity."""


class Action(ToolBinding):
    """Tools that change something for the customer and cannot be taken back."""

    entity_type: str | None = None
    """Type of `entity_id_argument`; may be left out when the pack has one entity type."""
    entity_id_argument: str | None = None
    entity_arguments: Many[EntityArgument] = ()
    """Further entities the action takes."""
    reason_argument: str = "reason"
    allowed_reason_values: Many[str] | None = None
    allowed_values: dict[str, Many[Any]] = Field(default_factory=dict)
    """Closed sets of values for other arguments."""
    required_arguments: Many[str] = ()
    stated_by_customer: Many[str] = ()
    """Arguments whose value has to come from the customer, or from a proposal the customer agreed to."""
    keeps_lists: Many[KeptList] = ()
    idempotency_argument: str | None = None
    """An argument that makes a second execution with the same value harmless."""
    confirmation: Confirmation = Confirmation()
    described_by: dict[str, Many[str]] = Field(default_factory=dict)
    """Words that speak of this action, by language; word stems, lower case."""
    success: Outcome | None = None
    """Left out: a result that is not an error."""
    failure: Outcome | None = None
    """Takes precedence over `success`."""
    pending: Outcome | None = None
    """The tool was asked but has not run yet (it waits for an approval)."""


class Tools(Shape):
    """The roles of the domain's tools."""

    candidate_lookup: OneOrMany[CandidateLookup] = ()
    action: OneOrMany[Action] = ()
    identity_check: OneOrMany[IdentityCheck] = ()
    consequential_writes: Many[str] = ()
    """Further tools that change something: no entity of theirs is checked, but they need assent."""
    without_effect: Many[str] = ()
    """Tools that change nothing and establish nothing (calculators, notes, transfers to a person)."""


_SHARED_ROLES: Final = ({"candidate_lookup"}, {"candidate_lookup", "identity_check"})
"""Roles that one tool may play together: a lookup yields several entity types, and may establish the customer."""


class DomainPack(Shape):
    """The meaning of one domain's tool names."""

    schema_version: Literal["trustrail.domain_pack.v0.1"]
    pack_id: Identifier
    version: Version = 1
    locales: Many[str] = ("en",)
    """Languages the customers of this domain write in (ISO 639-1)."""
    entity_types: dict[str, EntityType] = Field(min_length=1)
    tools: Tools

    @model_validator(mode="after")
    def _one_role_a_tool(self) -> Self:
        roles: dict[str, str] = {}
        for place, name in self._named_tools():
            role = str(place[1])
            before = roles.get(name)
            roles.setdefault(name, role)
            if before is None or {before, role} in _SHARED_ROLES:
                continue
            if before == role:
                raise misplaced(place, f"tools.{role} names {name!r} twice; one tool has one meaning")
            raise misplaced(place, f"tool {name!r} has the roles {before} and {role}; expected one")
        return self

    @model_validator(mode="after")
    def _known_entity_types(self) -> Self:
        for place, entity_type in self._named_entity_types():
            if entity_type is None and len(self.entity_types) > 1:
                raise misplaced(place, "a tool binding has no entity_type, and the pack has more than one")
            if entity_type is not None and entity_type not in self.entity_types:
                remedy = did_you_mean(entity_type, self.entity_types)
                raise misplaced(place, f"entity_type is {entity_type!r}, which the pack does not define{remedy}")
        return self

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
            if action.entity_id_argument is not None:
                named.append((place, action.entity_type))
            named += [
                ((*place, "entity_arguments", at), given.entity_type)
                for at, given in enumerate(action.entity_arguments)
            ]
        return named


def _same(value: Any, expected: Any) -> bool:  # noqa: ANN401 - any JSON scalar
    """Whether two JSON scalars are equal; true is not 1."""
    return type(value) is type(expected) and bool(value == expected)
