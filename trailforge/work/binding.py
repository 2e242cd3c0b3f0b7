"""The binding of a run: the one canonical plan it was admitted with, and how a later offer differs from it.

A plan is the goal, the metadata of the adapters it uses and the store it lives in. It is encoded and hashed once;
key order never matters, since the encoding is canonical.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trailforge.errors import BindingChangedError
from trailforge.work.adapter import Adapter, adapter_to_json
from trailforge.work.goal import Goal, goal_to_json
from trustrail.foundation import canonical_json, digest, digest_hex, parse_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The plan of a run as it is stored."""

    plan: str
    """Canonical JSON of goal, adapters and store."""
    digest: bytes
    """SHA-256 of the plan, 32 bytes."""


def bind(goal: Goal, adapters: Mapping[str, Adapter], store_id: str) -> Binding:
    """Return the binding of an admitted *goal* in the store *store_id*."""
    used = sorted({task.adapter for task in goal.tasks})
    plan = canonical_json(
        {
            "goal": goal_to_json(goal),
            "adapters": {name: adapter_to_json(adapters[name]) for name in used},
            "store": store_id,
        }
    )
    return Binding(plan=plan.decode(), digest=digest(plan))


def goal_digest(goal: Goal) -> str:
    """Return the SHA-256 of the canonical *goal* as 64 hex digits."""
    return digest_hex(canonical_json(goal_to_json(goal)))


def default_run_id(goal: Goal) -> str:
    """Return the run id a goal gets when the host names none: the same goal is the same run."""
    return f"run-{goal_digest(goal)[:24]}"


def require_same_binding(run_id: str, admitted: Binding, offered: Binding) -> None:
    """Return when *offered* is what the run was admitted with.

    Raises:
        BindingChangedError: naming the first field that differs.
    """
    if admitted.digest == offered.digest:
        return
    field, before, after = next(_differences("", parse_json(admitted.plan), parse_json(offered.plan)))
    raise BindingChangedError(run_id, field, before, after)


_ABSENT = object()


def _differences(path: str, before: Any, after: Any) -> Iterator[tuple[str, str, str]]:  # noqa: ANN401 - JSON
    if type(before) is dict and type(after) is dict:
        for key in sorted(before.keys() | after.keys()):
            place = f"{path}.{key}" if path else key
            yield from _differences(place, before.get(key, _ABSENT), after.get(key, _ABSENT))
    elif type(before) is list and type(after) is list and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _differences(f"{path}[{index}]", old, new)
    elif type(before) is not type(after) or before != after:
        yield path, _short(before), _short(after)


def _short(value: Any) -> str:  # noqa: ANN401 - any JSON value, or absent
    if value is _ABSENT:
        return "(absent)"
    text = canonical_json(value).decode()
    return text if len(text) <= 60 else f"{text[:57]}…"
