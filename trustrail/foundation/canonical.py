"""Canonical bytes: one value, one encoding.

JSON follows RFC 8785 (JCS) through the ``rfc8785`` library. A value made only of strings, safe integers,
booleans, nulls, arrays and objects with ASCII keys takes a compiled encoder instead, which writes the same
bytes about ten times faster (``tests/conformance/foundation`` holds the two against each other).

MessagePack maps are written with their keys in code point order; the rest of the format is already
deterministic once integers use their shortest form, which ``msgpack`` does.

Both forms accept the same values: null, booleans, integers within +-(2**53 - 1) (RFC 8785 section 3.2.2.3 and
RFC 7493 section 2.2), finite doubles, strings without lone surrogates, arrays and string-keyed objects,
nested at most `MAX_DEPTH` deep. MessagePack also accepts ``bytes``.
"""

import json
import math
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import msgpack
import msgspec
import rfc8785

from trustrail.errors import CanonicalizationError

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""Largest integer every JSON reader keeps exact (RFC 7493 section 2.2)."""

MAX_DEPTH: Final = 64
"""Deepest nesting accepted; ours, chosen far above any message and far below any stack limit."""

_SIMPLE: Final = frozenset({str, bool, type(None)})
"""Types whose values have a canonical form as they are, but for lone surrogates, which the encoders refuse."""

_encode_plain = msgspec.json.Encoder(order="sorted").encode
_encode_lines = msgspec.json.Encoder(order="sorted").encode_lines
_encode_struct = msgspec.msgpack.Encoder(order="sorted").encode


def canonical_json(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return the RFC 8785 bytes of *value*.

    Raises:
        CanonicalizationError: if *value* holds anything without a canonical form; names the place.
    """
    try:
        if _is_plain(value, MAX_DEPTH):
            encoded = _encode_plain(value)
            if encoded.isascii() or _has_ascii_keys(value):
                return encoded
    except UnicodeEncodeError:
        _refuse_first_problem(value, allow_bytes=False)
    check_value(value)
    return rfc8785.dumps(value)


def canonical_json_lines(records: Sequence[msgspec.Struct], free: Sequence[Any]) -> list[bytes]:
    """Return the RFC 8785 bytes of each of *records* as an object.

    Args:
        records: structs whose fields are named in ASCII.
        free: the parts of them that may hold any value at all, at whatever place; the caller vouches that the rest
            are strings, integers within +-(2**53 - 1), booleans, nulls, lists and string-keyed dicts, and that no
            record is nested deeper than `MAX_DEPTH`.

    Raises:
        CanonicalizationError: if a part has no canonical form; names the place.
    """
    if _is_plain(list(free), MAX_DEPTH):
        try:
            encoded = _encode_lines(records)
        except UnicodeEncodeError:
            _refuse_first_problem([msgspec.to_builtins(record) for record in records], allow_bytes=False)
        # A line end inside a string is written as an escape, so every line end here ends a record.
        lines = encoded[:-1].split(b"\n") if records else []
        if encoded.isascii():
            return lines
        return [
            line if line.isascii() else canonical_json(msgspec.to_builtins(record))
            for line, record in zip(lines, records, strict=True)
        ]
    for part in free:
        check_value(part)
    return [canonical_json(msgspec.to_builtins(record)) for record in records]


def canonical_msgpack(value: Any) -> bytes:  # noqa: ANN401 - any JSON value or bytes
    """Return the canonical MessagePack bytes of *value*.

    Raises:
        CanonicalizationError: if *value* holds anything without a canonical form; names the place.
    """
    check_value(value, allow_bytes=True)
    packed: bytes = msgpack.packb(_with_sorted_keys(value))
    return packed


def canonical_struct(value: msgspec.Struct) -> bytes:
    """Return the canonical MessagePack bytes of an array-like struct: ``[tag, field, …]``.

    The compiled encoder writes what `canonical_msgpack` writes for the same fields, dozens of times faster, but does
    not look for numbers without a canonical form: free-form fields must have passed `require_canonical`.

    Raises:
        CanonicalizationError: if a string has a lone surrogate.
    """
    try:
        return _encode_struct(value)
    except UnicodeEncodeError:
        _refuse_first_problem(msgspec.structs.astuple(value), allow_bytes=True)


def parse_json(data: bytes | str) -> Any:  # noqa: ANN401 - any JSON value
    """Read strict JSON: UTF-8, no duplicate keys, only values that have a canonical form.

    Raises:
        CanonicalizationError: if *data* is not such JSON.
    """
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer)
    except UnicodeDecodeError as error:
        raise CanonicalizationError("$", f"is not UTF-8: {error.reason} at byte {error.start}") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise CanonicalizationError("$", f"is not JSON: {error.msg} at {place}") from error
    except RecursionError as error:
        raise CanonicalizationError("$", f"is nested deeper than {MAX_DEPTH}") from error
    check_value(value)
    return value


def parse_msgpack(data: bytes, *, max_bytes: int = 1 << 20) -> Any:  # noqa: ANN401 - any JSON value or bytes
    """Read one MessagePack value of at most *max_bytes* bytes; arrays become tuples.

    Raises:
        CanonicalizationError: if *data* is longer, truncated, has trailing bytes or repeats a map key.
    """
    if len(data) > max_bytes:
        raise CanonicalizationError("$", f"is {len(data)} bytes long, expected at most {max_bytes}")
    try:
        return msgpack.unpackb(data, use_list=False, object_pairs_hook=_object, strict_map_key=True)
    except CanonicalizationError:
        raise
    except (ValueError, msgpack.UnpackException) as error:
        raise CanonicalizationError("$", f"is not MessagePack: {error or type(error).__name__}") from error


def check_value(
    value: Any,  # noqa: ANN401 - any value at all
    *,
    allow_bytes: bool = False,
    max_depth: int = MAX_DEPTH,
) -> None:
    """Refuse *value* unless every part of it has a canonical form and none is nested deeper than *max_depth*.

    Raises:
        CanonicalizationError: naming the first part that has none.
    """
    stack: list[tuple[Any, str, int]] = [(value, "$", 0)]
    while stack:
        part, path, depth = stack.pop()
        kind = type(part)
        if kind is str:
            _check_text(part, path)
        elif kind is bool or part is None:
            continue
        elif kind is int:
            if not -MAX_SAFE_INTEGER <= part <= MAX_SAFE_INTEGER:
                raise CanonicalizationError(path, f"is {_shown(part)}, expected an integer within +-(2**53 - 1)")
        elif kind is float:
            if not math.isfinite(part):
                raise CanonicalizationError(path, f"is {part}, expected a finite number")
        elif kind in (list, tuple):
            _check_depth(depth, path, max_depth)
            stack.extend((item, f"{path}[{index}]", depth + 1) for index, item in enumerate(part))
        elif kind is dict:
            _check_depth(depth, path, max_depth)
            for key, item in part.items():
                if type(key) is not str:
                    raise CanonicalizationError(path, f"has the key {key!r}, expected a string")
                _check_text(key, path)
                stack.append((item, f"{path}.{key}", depth + 1))
        elif not (allow_bytes and kind is bytes):
            raise CanonicalizationError(path, f"is a {kind.__name__}, which has no canonical form")


def require_canonical(value: Any, *, max_depth: int = MAX_DEPTH) -> None:  # noqa: ANN401 - any value at all
    """Refuse *value* unless it is JSON with a canonical form; quick where it is made of strings and safe integers.

    For values whose strings a strict decoder has read already, or a strict encoder will write.

    Raises:
        CanonicalizationError: naming the first part that has no canonical form, or is nested deeper than *max_depth*.
    """
    if not _is_plain(value, max_depth):
        check_value(value, max_depth=max_depth)


def _is_plain(value: Any, depth: int) -> bool:  # noqa: ANN401 - any value at all, one test after another
    """Whether the compiled encoder writes the RFC 8785 bytes of *value*, provided that its keys are ASCII.

    Keys outside ASCII may sort differently (by UTF-16 code units).
    """
    kind = type(value)
    if kind in _SIMPLE:
        return True
    if kind is int:
        return bool(-MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER)
    if depth == 0:
        return False
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                return False
            # NOTE: strings and counts are most of what is hashed; a call for each of them would double the cost.
            kind = type(item)
            if kind is int:
                if not -MAX_SAFE_INTEGER <= item <= MAX_SAFE_INTEGER:
                    return False
            elif kind not in _SIMPLE and not _is_plain(item, depth - 1):
                return False
        return True
    if kind is list or kind is tuple:
        for item in value:
            kind = type(item)
            if kind not in _SIMPLE and not _is_plain(item, depth - 1):
                return False
        return True
    return False


def _has_ascii_keys(value: Any) -> bool:  # noqa: ANN401 - any plain value
    if type(value) is dict:
        return all(key.isascii() and _has_ascii_keys(item) for key, item in value.items())
    if type(value) in (list, tuple):
        return all(map(_has_ascii_keys, value))
    return True


def _check_depth(depth: int, path: str, max_depth: int) -> None:
    if depth >= max_depth:
        shown = path if len(path) <= 40 else f"{path[:40]}…"
        raise CanonicalizationError(shown, f"is nested deeper than {max_depth}")


def _check_text(text: str, path: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        surrogate = f"U+{ord(text[error.start]):04X}"
        raise CanonicalizationError(path, f"has the lone surrogate {surrogate} at index {error.start}") from error


def _refuse_first_problem(value: Any, *, allow_bytes: bool) -> NoReturn:  # noqa: ANN401 - any value at all
    check_value(value, allow_bytes=allow_bytes)
    raise CanonicalizationError("$", "cannot be written as UTF-8")


def _with_sorted_keys(value: Any) -> Any:  # noqa: ANN401 - any JSON value or bytes
    if type(value) is dict:
        return {key: _with_sorted_keys(value[key]) for key in sorted(value)}
    if type(value) in (list, tuple):
        return [_with_sorted_keys(item) for item in value]
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise CanonicalizationError("$", f"repeats the key {repeated!r}")
    return result


def _constant(name: str) -> NoReturn:
    raise CanonicalizationError("$", f"has the number {name}, expected a finite number")


def _integer(text: str) -> int:
    if len(text) > 17:
        raise CanonicalizationError("$", f"has the integer {text[:20]}…, expected one within +-(2**53 - 1)")
    return int(text)


def _shown(number: int) -> str:
    return str(number) if number.bit_length() <= 128 else f"an integer of {number.bit_length()} bits"
