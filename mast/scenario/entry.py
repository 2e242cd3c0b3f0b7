"""What every part of a scenario file is: a strict, frozen pydantic model.

Nothing is coerced, unknown keys are refused, and the keys that would have been right are noted while a file is
read, so that a message can suggest one.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, WithJsonSchema, model_validator

from mast.organizations.messages import ParcelKind
from trustrail.foundation import MAX_SAFE_INTEGER

MAX_TICKS: Final = 1_000_000
"""Longest time that can be asked for, in ticks; a longer one is a typing mistake."""

_PARAMETER: Final = {"type": "string", "pattern": r"^\$[a-z][a-z0-9_]*$"}

Ticks = Annotated[
    int,
    Field(ge=0, le=MAX_TICKS),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0, "maximum": MAX_TICKS}, _PARAMETER]}),
]
"""Virtual time; in a file also ``$name``, a parameter of the business."""

Cents = Annotated[
    int,
    Field(ge=0, le=MAX_SAFE_INTEGER),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0, "maximum": MAX_SAFE_INTEGER}, _PARAMETER]}),
]
"""An amount of money; in a file also ``$name``, a parameter of the business."""

ParcelKindName = Annotated[ParcelKind, Field(strict=False)]
"""A parcel kind by its value: ``notice``, ``handoff``, …"""

Name = Annotated[str, Field(min_length=1, max_length=200)]
"""Name of a claim, organization, task, order, …"""


Steps = tuple[str | int, ...]
"""The way from the top of a file to a value: keys of mappings and numbers of items."""

MAX_PROBLEMS: Final = 100
"""Most problems of one kind of check that are looked for in a file, so that a hopeless file costs little."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a scenario."""

    path: Steps
    """Where, from the top of the file: ``("claims", "shared_A", "parents", 0)``."""
    text: str
    """What is wrong there, to follow the place: ``is 'chian_1'; did you mean 'chain_1'?``."""
    line: int | None = None
    """Line of the file, counted from 1, when it is not the line on which the value at *path* starts."""


class Entry(BaseModel):
    """One mapping of a scenario file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _note_known_keys(cls, data: object, info: ValidationInfo) -> object:
        if isinstance(info.context, dict):
            info.context[id(data)] = tuple(cls.model_fields)
        return data


def _plain_values(value: dict[str, Any]) -> dict[str, Any]:
    for key, item in value.items():
        for part in item if isinstance(item, list) else [item]:
            if not isinstance(part, str | int):
                kind = "null" if part is None else type(part).__name__
                raise ValueError(  # noqa: TRY004 - pydantic turns only a ValueError into a finding
                    f"value {key!r} is or holds a {kind}, expected text, whole numbers, true or false"
                )
    return value


Values = Annotated[dict[str, Any], AfterValidator(_plain_values)]
"""Content of a fact: text, whole numbers, truth values and lists of them."""
