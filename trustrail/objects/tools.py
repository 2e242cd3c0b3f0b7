"""What tools mean: lookups, identity checks and actions, each bound to the tool names that do it."""

from typing import Any

from pydantic import Field

from trustrail.objects.outcome import Outcome
from trustrail.objects.paths import ArgumentPath, JsonPath, find_values
from trustrail.objects.shape import Many, Name, OneOrMany, Shape


class ToolBinding(Shape):
    """Tools that share one meaning."""

    names: OneOrMany[Name] = Field(min_length=1)


class CandidateLookup(ToolBinding):
    """Tools whose results establish which entities the session may act on."""

    entity_type: str | None = None
    """May be left out when the pack has one entity type."""
    result_entities_path: JsonPath | None = None
    """Where the result lists entities; left out: every object in the result that has an id is one."""
    entity_id_path: JsonPath | None = None
    """The id inside one entity; ``$`` when the listed value is the id itself. Left out: detected."""
    entity_id_argument: Name | None = None
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
    customer_id_argument: Name | None = None
    """An argument that is the customer's id: an object as result then shows that it was the right one."""
    success: Outcome | None = None
    """Left out: a result that names the customer and tells no failure."""
    failure: Outcome | None = None
    """Takes precedence over `success`."""


class EntityArgument(Shape):
    """An argument of an action that names an entity."""

    argument: ArgumentPath
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

    argument: Name
    entity_path: JsonPath
    """The list it replaces, in the entity as last retrieved."""


class Confirmation(Shape):
    """What the customer must have agreed to before the action."""

    required: bool = True
    must_name: Many[Name] = ()
    """Arguments the proposal has to name; left out: the entity."""


class Action(ToolBinding):
    """Tools that change something for the customer and cannot be taken back."""

    entity_type: str | None = None
    """Type of `entity_id_argument`; may be left out when the pack has one entity type."""
    entity_id_argument: ArgumentPath | None = None
    entity_arguments: Many[EntityArgument] = ()
    """Further entities the action takes."""
    reason_argument: Name = "reason"
    allowed_reason_values: Many[str] | None = None
    allowed_values: dict[Name, Many[Any]] = Field(default_factory=dict)
    """Closed sets of values for other arguments."""
    required_arguments: Many[Name] = ()
    stated_by_customer: Many[Name] = ()
    """Arguments whose value has to come from the customer, or from a proposal the customer agreed to."""
    keeps_lists: Many[KeptList] = ()
    idempotency_argument: Name | None = None
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
    consequential_writes: Many[Name] = ()
    """Further tools that change something: no entity of theirs is checked, but they need assent."""
    without_effect: Many[Name] = ()
    """Tools that change nothing and establish nothing (calculators, notes, transfers to a person)."""
