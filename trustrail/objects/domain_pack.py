"""The domain pack: what an organization's tool names mean. It holds no control logic, steps or assertions.

A tool plays one role: it looks candidates up, acts, or does neither. One lookup tool may yield several entity
types; an action may take several entities. A tool the pack does not name has no known meaning.
"""

from collections import Counter
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from trustrail.objects.nearest import did_you_mean
from trustrail.objects.paths import JsonPath, Pattern, find_values
from trustrail.objects.shape import Identifier, Many, OneOrMany, Shape, Version


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


class CandidateLookup(Shape):
    """Tools whose results establish which entities the session may act on."""

    names: OneOrMany[str] = Field(min_length=1)
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


class IdentityCheck(Shape):
    """Tools whose clean result establishes who the customer is."""

    names: OneOrMany[str] = Field(min_length=1)
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


class Action(Shape):
    """Tools that change something for the customer and cannot be taken back."""

    names: OneOrMany[str] = Field(min_length=1)
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
        roles: dict[str, set[str]] = {}
        for role, names in self._names_by_role():
            repeated = [name for name, count in Counter(names).items() if count > 1]
            if repeated and role != "candidate_lookup":
                raise ValueError(f"tools.{role} names {repeated[0]!r} twice; one tool has one meaning")
            for name in names:
                roles.setdefault(name, set()).add(role)
        for name, held in roles.items():
            clash = held - {"identity_check"} if "candidate_lookup" in held else held
            if len(clash) > 1:
                raise ValueError(f"tool {name!r} has the roles {' and '.join(sorted(held))}; expected one")
        return self

    @model_validator(mode="after")
    def _known_entity_types(self) -> Self:
        named = [lookup.entity_type for lookup in self.tools.candidate_lookup]
        for action in self.tools.action:
            named += [argument.entity_type for argument in action.entity_arguments]
            named += [action.entity_type] if action.entity_id_argument is not None else []
        for entity_type in named:
            if entity_type is None and len(self.entity_types) > 1:
                raise ValueError("a tool binding has no entity_type, and the pack has more than one")
            if entity_type is not None and entity_type not in self.entity_types:
                raise ValueError(
                    f"entity_type is {entity_type!r}, which the pack does not define"
                    f"{did_you_mean(entity_type, self.entity_types)}"
                )
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
        return frozenset(name for _, names in self._names_by_role() for name in names)

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

    def _names_by_role(self) -> list[tuple[str, list[str]]]:
        tools = self.tools
        return [
            ("candidate_lookup", [name for lookup in tools.candidate_lookup for name in lookup.names]),
            ("action", [name for action in tools.action for name in action.names]),
            ("identity_check", [name for check in tools.identity_check for name in check.names]),
            ("consequential_writes", list(tools.consequential_writes)),
            ("without_effect", list(tools.without_effect)),
        ]


def _same(value: Any, expected: Any) -> bool:  # noqa: ANN401 - any JSON scalar
    """Whether two JSON scalars are equal; true is not 1."""
    return type(value) is type(expected) and bool(value == expected)
