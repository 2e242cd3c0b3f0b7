"""What all versioned objects share: they are frozen, closed, and say which schema and version they follow."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_before_validator_function

_Item = TypeVar("_Item")

Place = tuple[str | int, ...]
"""The keys and positions that lead from the top of a file to a value."""


WRITTEN = "written"
"""Name, in the context of a validation, of the whole value that the file holds, wrong parts included."""


class Shape(BaseModel):
    """A frozen part of an object file; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _OneOrMany:
    """Reads a single value as a list of one, and says so in the JSON Schema."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401
        return no_info_before_validator_function(self._as_tuple, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        array = handler(schema)
        return {"anyOf": [array.get("items", {}), array]}

    @staticmethod
    def _as_tuple(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
        return tuple(value) if isinstance(value, list | tuple) else (value,)


def _as_tuple(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Misplaced:
    """A problem that stands below the object that noticed it."""

    place: Place
    text: str
    unless: Place | None = None
    """What would make it right: where that stands, wrong in itself, it is no second problem."""


def misplaced(problems: Sequence[Misplaced]) -> PydanticCustomError:
    """Return the error that carries *problems*."""
    return PydanticCustomError("misplaced", "{text}", {"text": problems[0].text, "misplaced": list(problems)})


Many = Annotated[tuple[_Item, ...], BeforeValidator(_as_tuple)]
"""A list in the file, a tuple in the object."""

OneOrMany = Annotated[tuple[_Item, ...], _OneOrMany()]
"""One value or a list of them in the file, a tuple in the object."""

Identifier = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
"""A name usable in paths and on the command line."""

Name = Annotated[str, Field(min_length=1)]
"""The name of a tool, an argument or a type, as the system under test has it."""

Version = Annotated[int, Field(ge=1)]
"""Version of one object, counted by its author from 1."""
