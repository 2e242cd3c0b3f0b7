"""The ids a call gives for the entities it acts on, and the entities it should name and does not."""

from typing import Any

from trustrail.consent.matching import list_in_text
from trustrail.controls.action_call import ActionCall
from trustrail.controls.view import RunView
from trustrail.objects import EntityArgument


def entity_values(entity: EntityArgument, arguments: dict[str, Any]) -> list[str]:
    """Return the ids that *arguments* give for *entity*, as text."""
    return [str(value) for value in _given(entity, arguments) if _is_id(value)]


def unnamed_entity(run: RunView, action: ActionCall, *, only_main: bool = False) -> str | None:
    """Return why the entities of *action* cannot be told: the first entity argument without an id, or None.

    With *only_main*, the entity acted on alone counts, not what is used or paid with beside it.
    """
    arguments = action.arguments or {}
    entities = run.pack.entities.get(action.tool, ())
    for entity in entities[:1] if only_main else entities:
        given = _given(entity, arguments)
        if not given:
            return f"{entity.argument}: the call names no {entity.entity_type}"
        if not all(map(_is_id, given)):
            return f"{entity.argument}: what the call gives is no id of a {entity.entity_type}"
    return None


def _given(entity: EntityArgument, arguments: dict[str, Any]) -> list[Any]:
    return entity.values({name: list_in_text(value) for name, value in arguments.items()})


def _is_id(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else type(value) is int
