"""What consent needs to know of a domain pack: which calls need a yes, and how they are spoken of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from trustrail.consent.actions import ActionWords, describe_tools
from trustrail.consent.language import available_languages
from trustrail.consent.outcome import Outcome, outcome_of
from trustrail.events import ToolResult
from trustrail.objects import DomainPack


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRule:
    """How one consequential tool is agreed to."""

    words: ActionWords
    outcome: Callable[[ToolResult | None], Outcome]
    """What a result of the tool says happened."""
    is_required: bool = True
    """False when the pack lets the agent act without asking."""
    must_name: tuple[str, ...] = ()
    """Arguments the proposal has to name."""
    choices: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Closed sets of values, by argument."""
    kept_lists: frozenset[str] = frozenset()
    """Arguments that replace a whole list, and so repeat what nobody talks about."""
    entity_arguments: tuple[str, ...] = ()
    siblings: frozenset[str] = frozenset()
    """Other tools that do the same, as far as the pack says."""
    ignored: frozenset[str] = frozenset()
    """Arguments that are not for the customer to agree to (an idempotency key)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentRules:
    """The languages that are read, and the rule of each consequential tool."""

    languages: tuple[str, ...]
    actions: Mapping[str, ActionRule]

    @property
    def readable(self) -> tuple[str, ...]:
        """The languages of the profile that have rules."""
        return tuple(code for code in self.languages if code in available_languages())


def rules_for(pack: DomainPack, languages: tuple[str, ...] | None = None) -> ConsentRules:
    """Return the rules *pack* gives, read in *languages* (default: the pack's locales).

    A locale such as ``en-GB`` is read by the rules of ``en``.
    """
    locales = languages or pack.locales
    codes = tuple(dict.fromkeys(locale.replace("_", "-").split("-")[0].lower() for locale in locales))
    arguments = {tool: _arguments(pack, tool) for tool in pack.actions}
    described = describe_tools(
        {tool: (arguments[tool], dict(action.described_by)) for tool, action in pack.actions.items()}
    )
    return ConsentRules(
        languages=codes,
        actions={tool: _rule(pack, tool, described[tool]) for tool in sorted(pack.actions)},
    )


def _arguments(pack: DomainPack, tool: str) -> tuple[str, ...]:
    action = pack.actions[tool]
    entities = [entity.argument for entity in pack.entities.get(tool, ()) if not entity.argument.startswith("$")]
    return tuple(dict.fromkeys([*entities, *action.required_arguments, *action.allowed_values]))


def _rule(pack: DomainPack, tool: str, words: ActionWords) -> ActionRule:
    action = pack.actions[tool]
    choices = {name: tuple(values) for name, values in action.allowed_values.items()}
    if action.allowed_reason_values is not None:
        choices.setdefault(action.reason_argument, tuple(action.allowed_reason_values))
    ignored = {action.idempotency_argument} if action.idempotency_argument else set()
    entities = [entity for entity in pack.entities.get(tool, ()) if entity.selected_by_customer]
    ignored |= {entity.argument for entity in pack.entities.get(tool, ()) if not entity.selected_by_customer}
    return ActionRule(
        words=words,
        is_required=action.confirmation.required,
        must_name=tuple(action.confirmation.must_name),
        choices=choices,
        kept_lists=frozenset(kept.argument for kept in action.keeps_lists),
        entity_arguments=tuple(entity.argument for entity in entities),
        siblings=frozenset(action.names) - {tool},
        ignored=frozenset(ignored),
        outcome=partial(outcome_of, action=action),
    )
