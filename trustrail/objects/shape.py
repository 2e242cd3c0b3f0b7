"""What all versioned objects share: they are frozen, closed, and say which schema and version they follow."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_Item = TypeVar("_Item")


class Shape(BaseModel):
    """A frozen part of an object file; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _one_or_more(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(value)
    return (value,)


def _as_tuple(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    return tuple(value) if isinstance(value, list) else value


Many = Annotated[tuple[_Item, ...], BeforeValidator(_as_tuple)]
"""A list in the file, a tuple in the object."""

OneOrMany = Annotated[tuple[_Item, ...], BeforeValidator(_one_or_more)]
"""One value or a list of them in the file, a tuple in the object."""

Identifier = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
"""A name usable in paths and on the command line."""

Version = Annotated[int, Field(ge=1)]
"""Version of one object, counted by its author from 1."""
