"""Attributes as OTLP/JSON writes them: a list of keys, each with a value that names its own type.

What is there in another form than OTLP gives it is refused: an attribute that was passed over could have held a call.

References:
    https://github.com/open-telemetry/opentelemetry-proto/blob/v1.5.0/opentelemetry/proto/common/v1/common.proto
"""

import re
from typing import Any, Final

from trustrail.adapters.payload import kind_of
from trustrail.errors import UnknownShapeError

_SCALARS: Final[dict[str, tuple[type, ...]]] = {
    "stringValue": (str,),
    "boolValue": (bool,),
    "intValue": (int, str),
    "doubleValue": (float, int, str),
    "bytesValue": (str,),
}
_INTEGER: Final = re.compile(r"-?[0-9]{1,31}")
_LISTS: Final = ("arrayValue", "kvlistValue")
_SNAKE: Final = {name: "".join(f"_{c.lower()}" if c.isupper() else c for c in name) for name in (*_SCALARS, *_LISTS)}


def first(raw: Any, *keys: str) -> Any:  # noqa: ANN401 - source value
    """Return what the first of *keys* that *raw* has stands for; None when it has none."""
    return next((raw[key] for key in keys if key in raw), None) if isinstance(raw, dict) else None


def items(raw: Any, *keys: str) -> list[Any]:  # noqa: ANN401 - source value
    """Return the objects that *raw* lists under the first of *keys* it has; none where it has none.

    Raises:
        UnknownShapeError: if something else stands there.
    """
    value = first(raw, *keys)
    if value is None:
        return []
    if not isinstance(value, list):
        raise UnknownShapeError(keys[0], f"is {kind_of(value)}, expected a list")
    for number, item in enumerate(value):
        if not isinstance(item, dict):
            raise UnknownShapeError(f"{keys[0]}[{number}]", f"is {kind_of(item)}, expected an object")
    return value


def otlp_attributes(raw: Any, key: str = "attributes") -> dict[str, Any]:  # noqa: ANN401 - source value
    """Return the attributes that *raw* lists under *key*.

    Raises:
        UnknownShapeError: if one has no name, or a value of another form; names it.
    """
    found = {}
    for number, pair in enumerate(items(raw, key)):
        name = pair.get("key")
        if not isinstance(name, str):
            raise UnknownShapeError(f"{key}[{number}]", "has no key")
        try:
            found[name] = any_value(pair.get("value"))
        except UnknownShapeError as error:
            raise UnknownShapeError(f"attribute {name!r:.80}", str(error)) from error
    return found


def any_value(value: Any) -> Any:  # noqa: ANN401 - OTLP AnyValue
    """Return what an ``AnyValue`` holds; a plain scalar, as some exporters write it, is what it is.

    Raises:
        UnknownShapeError: if it names no type, or holds another one.
    """
    if isinstance(value, list):
        raise UnknownShapeError("value", "is a list, expected an object that names a type")
    if not isinstance(value, dict) or not value:
        return None if value == {} else value
    for name, snake in _SNAKE.items():
        held = value.get(name, value.get(snake))
        if held is not None:
            return _scalar(name, held) if name in _SCALARS else _several(name, held)
    if all(held is None for held in value.values()):
        return None
    raise UnknownShapeError("value", f"has {', '.join(sorted(value))[:80]}, expected one of {', '.join(_SNAKE)}")


def _scalar(name: str, held: Any) -> Any:  # noqa: ANN401 - source value
    if not isinstance(held, _SCALARS[name]) or (isinstance(held, bool) and name != "boolValue"):
        expected = " or ".join(kind_of(kind()) for kind in _SCALARS[name])
        raise UnknownShapeError(name, f"is {kind_of(held)}, expected {expected}")
    if name == "intValue":
        if not _INTEGER.fullmatch(str(held)):
            raise UnknownShapeError(name, f"is {str(held)!r:.40}, expected a whole number")
        return int(str(held))
    return held


def _several(name: str, held: Any) -> Any:  # noqa: ANN401 - source value
    if not isinstance(held, dict):
        raise UnknownShapeError(name, f"is {kind_of(held)}, expected an object with values")
    if name == "kvlistValue":
        return otlp_attributes(held, "values")
    values = held.get("values")
    if values is not None and not isinstance(values, list):
        raise UnknownShapeError(f"{name}.values", f"is {kind_of(values)}, expected a list")
    return [any_value(item) for item in values or []]
