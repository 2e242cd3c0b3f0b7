"""Which entities the session's own lookups returned, read with the domain pack's paths."""

from typing import Any

from trustrail.consent import Execution
from trustrail.controls.view import RunView
from trustrail.objects import CandidateLookup, find_values, tells_failure


def retrieved_before(run: RunView, entity_type: str, value: Any, seq: int) -> int | None:  # noqa: ANN401
    """Return the ``seq`` of the first result before *seq* that yields the entity *value*, or None."""
    return next((found for found in _retrievals(run, entity_type, value) if found < seq), None)


def retrieved_after(run: RunView, entity_type: str, value: Any, seq: int) -> Execution | None:  # noqa: ANN401
    """Return the first lookup that yields *value* only after *seq*."""
    for found in _retrievals(run, entity_type, value):
        if found > seq:
            return run.by_result[found]
    return None


def candidates(run: RunView, entity_type: str) -> list[tuple[int, int]]:
    """Return, per lookup that yields *entity_type*, its result's ``seq`` and how many different ones came so far."""
    known = run.candidates_by_type
    if entity_type not in known:
        ids: set[str] = set()
        found: list[tuple[int, int]] = []
        for execution in run.executions:
            if execution.call.tool in run.pack.lookups and execution.result_seq is not None and len(ids) < 2:
                new = entities_of(run, execution, entity_type)
                if new:
                    ids |= new
                    found.append((execution.result_seq, len(ids)))
        known[entity_type] = found
    return known[entity_type]


def _retrievals(run: RunView, entity_type: str, value: Any) -> list[int]:  # noqa: ANN401
    """Return the results that yield *value* as an entity of *entity_type*, oldest first."""
    key = (entity_type, str(value))
    known = run.retrievals.get(key)
    if known is None:
        seqs = {
            *run.records.places(value),
            *run.sighted_in_text.get(entity_type, {}).get(str(value), ()),
            *run.sighted_as_argument.get(entity_type, {}).get(str(value), ()),
        }
        known = run.retrievals[key] = [seq for seq in sorted(seqs) if _yields(run, seq, entity_type, value)]
    return known


def _yields(run: RunView, seq: int, entity_type: str, value: Any) -> bool:  # noqa: ANN401
    execution = run.by_result.get(seq)
    return execution is not None and (
        str(value) in entities_of(run, execution, entity_type) or _is_made_by(run, execution, entity_type, value)
    )


def _is_made_by(run: RunView, execution: Execution, entity_type: str, value: Any) -> bool:  # noqa: ANN401
    """Say whether an action of this session returned *value* under the name of an id of *entity_type*."""
    if execution.call.tool not in run.pack.actions or execution.result is None:
        return False
    return str(value) in _detected(execution.result.result, _names_of_ids(run, entity_type), None)


def entities_of(run: RunView, execution: Execution, entity_type: str) -> frozenset[str]:
    """Return the ids of *entity_type* that the lookup *execution* yields."""
    found: set[str] = set()
    for lookup in run.pack.lookups.get(execution.call.tool, ()):
        if run.pack.entity_type_of(lookup) == entity_type:
            found |= _ids(run, lookup, execution, entity_type)
    return frozenset(found)


def _ids(run: RunView, lookup: CandidateLookup, execution: Execution, entity_type: str) -> set[str]:
    result = execution.result.result if execution.result is not None else None
    if result is None or (execution.result is not None and execution.result.status != "ok"):
        return set()
    found: set[str] = set()
    if lookup.entity_id_argument is not None:
        given = (execution.call.arguments or {}).get(lookup.entity_id_argument)
        if given is not None and not tells_failure(result):
            found.add(str(given))
    pattern = run.pack.entity_types[entity_type].id_pattern
    if isinstance(result, str) and pattern is not None:
        found |= set(run.patterns[pattern].findall(result))
    if lookup.result_entities_path is None:
        if lookup.entity_id_argument is None:
            found |= _detected(result, _id_keys(run, lookup, entity_type), lookup.entity_id_path)
        return found
    for entity in lookup.listed_entities(result):
        for value in find_values(lookup.entity_id_path or "$", entity):
            if isinstance(value, str | int):
                found.add(str(value))
            elif isinstance(value, dict | list) and lookup.entity_id_path is None:
                found |= _detected(value, _id_keys(run, lookup, entity_type), None)
    return found


def _id_keys(run: RunView, lookup: CandidateLookup, entity_type: str) -> frozenset[str]:
    """Return the names under which an object may carry its id, when the pack does not say."""
    named = set(_names_of_ids(run, entity_type))
    if lookup.entity_id_path is not None:
        named = {lookup.entity_id_path.rsplit(".", 1)[-1]}
    return frozenset(named | {f"{entity_type}_id", f"{entity_type}Id"})


def _names_of_ids(run: RunView, entity_type: str) -> frozenset[str]:
    """Return the names of the actions' arguments that hold an id of *entity_type*."""
    return frozenset(
        entity.argument
        for entities in run.pack.entities.values()
        for entity in entities
        if entity.entity_type == entity_type and not entity.argument.startswith("$")
    )


def _detected(result: Any, keys: frozenset[str], path: str | None) -> set[str]:  # noqa: ANN401 - any JSON value
    """Return the ids of all objects in *result* that have one."""
    found: set[str] = set()
    stack = [result]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if path is not None:
                found |= {str(value) for value in find_values(path, node) if isinstance(value, str | int)}
            found |= {str(node[key]) for key in keys if isinstance(node.get(key), str | int)}
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return found
