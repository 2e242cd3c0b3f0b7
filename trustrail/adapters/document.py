"""Read a recording from disk: strict JSON or JSON lines, with every limit in one place.

The one rule: a file is read whole or refused by name and position. Unlike `trustrail.foundation.parse_json`
this reader accepts integers of any size, since span times are nanoseconds beyond 2**53.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from trustrail.errors import SourceError
from trustrail.foundation.files import read_at_most

MAX_FILE_BYTES: Final = 512 * 1024 * 1024
"""Largest recording read, in bytes; ours, so that a wrong file cannot fill the memory."""

MAX_TEXT_CHARS: Final = 4 * 1024 * 1024
"""Longest single text accepted, in characters; ours, about a thousand times the longest real message."""

MAX_NESTING: Final = 200
"""Deepest nesting accepted; ours, far above any recording and below the reader's own limit."""

_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""How JSON writes half of a surrogate pair; only a pair stands for a character."""


_WIDE: Final = re.compile(rb"\0{1,3}[\[{]|[\[{]\0")
"""How a recording begins in UTF-16 or UTF-32 without a byte order mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A recording after parsing, before any adapter has looked at it."""

    name: str
    """What to call it in messages: the file name."""
    value: Any
    """The one JSON value of the file; for JSON lines the list of values."""
    is_lines: bool = False
    """Whether the file holds one JSON value a line."""

    def records(self) -> list[Any]:
        """Return the top-level records: the lines, the items of the list, or the one value."""
        return self.value if isinstance(self.value, list) else [self.value]


def load_document(path: Path) -> Document:
    """Read the recording at *path*.

    Raises:
        SourceError: if it is missing, too large, not UTF-8, not JSON, repeats a key or is cut off.
    """
    return parse_document(_read_bytes(path), name=path.name)


def parse_document(data: bytes, *, name: str) -> Document:
    """Parse *data* as one JSON value or as JSON lines.

    Raises:
        SourceError: if it is neither; nothing is kept of a file that is only partly readable.
    """
    text = _decode(data, name)
    if not text.strip():
        raise SourceError(name, "is empty, expected JSON or JSON lines")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    is_lines = len(lines) > 1 and all(_is_whole_object(line) for _, line in lines[:2])
    if is_lines:
        value: Any = [_parse(line, f"{name}:{number}") for number, line in lines]
    else:
        value = _parse(text, name)
    _check_sizes(value, name)
    return Document(name=name, value=value, is_lines=is_lines)


def parse_embedded(text: str, place: str) -> Any:  # noqa: ANN401 - any JSON value
    """Parse JSON that a recording carries inside a string.

    Raises:
        SourceError: if *text* is not strict JSON.
    """
    return _parse(text, place)


def _read_bytes(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise SourceError(path.name, f"is {size} bytes long, expected at most {MAX_FILE_BYTES}")
        data = read_at_most(path, MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SourceError(str(path), f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SourceError(repr(str(path)), f"is no path: {error}") from error
    if len(data) > MAX_FILE_BYTES:
        raise SourceError(path.name, f"is longer than {MAX_FILE_BYTES} bytes")
    return data


def _decode(data: bytes, name: str) -> str:
    if _WIDE.match(data):
        raise SourceError(name, "is not UTF-8 text; it looks like UTF-16 or UTF-32, convert it first")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "; it looks like UTF-16, convert it first" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise SourceError(name, f"is not UTF-8: {error.reason} at byte {error.start}{hint}") from error


def _is_whole_object(line: str) -> bool:
    stripped = line.strip()
    return stripped.startswith("{") and stripped.endswith("}")


def _parse(text: str, place: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
        return without_lone_surrogates(value) if _SURROGATE.search(text) else value
    except json.JSONDecodeError as error:
        position = f"line {error.lineno} column {error.colno}"
        cut_off = "; the file looks cut off" if error.pos >= len(text.rstrip()) - 1 else ""
        raise SourceError(place, f"is not JSON: {error.msg} at {position}{cut_off}") from error
    except RecursionError as error:
        raise SourceError(place, f"is nested deeper than {MAX_NESTING}") from error
    except ValueError as error:
        too_long = "has an integer of more than 4300 digits" if "integer string conversion" in str(error) else None
        raise SourceError(place, too_long or str(error)) from error


def without_lone_surrogates(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return *value* with each lone surrogate, which UTF-8 cannot carry, as U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {without_lone_surrogates(key): without_lone_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_lone_surrogates(item) for item in value]
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"repeats the key {repeated!r} in one object")
    return result


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"has the number {name}, expected a finite number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"has the number {text:.40}, expected one that a double can hold")
    return value


def _check_sizes(value: Any, name: str) -> None:  # noqa: ANN401 - any JSON value
    for text, depth in _texts(value):
        if depth > MAX_NESTING:
            raise SourceError(name, f"is nested deeper than {MAX_NESTING}")
        if len(text) > MAX_TEXT_CHARS:
            raise SourceError(
                name,
                f"has a text of {len(text)} characters, expected at most {MAX_TEXT_CHARS}; split it first",
            )


def _texts(value: Any) -> Iterator[tuple[str, int]]:  # noqa: ANN401 - any JSON value
    stack = [(value, 0)]
    while stack:
        part, depth = stack.pop()
        if isinstance(part, str):
            yield part, depth
        elif isinstance(part, (list, dict)):
            if depth > MAX_NESTING:
                yield "", depth
                continue
            stack.extend((item, depth + 1) for item in (part.values() if isinstance(part, dict) else part))
