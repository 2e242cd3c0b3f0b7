"""Turn what a source calls arguments or a result into canonical values, without guessing.

The one rule: a payload is kept exactly or is None with the reason noted; nothing is filled in. Integers
beyond 2**53 - 1, which the event form cannot carry, are kept as their digits.
"""

import ast
import json
import math
import re
from typing import Any, Final

from trustrail.adapters.document import parse_embedded, without_lone_surrogates
from trustrail.errors import SourceError, UnreadablePayloadError
from trustrail.foundation import MAX_DEPTH, MAX_SAFE_INTEGER

CUT_OFF: Final = "the result is JSON that is cut off"
"""Why the outcome cannot be told from a payload that an exporter or a logger shortened."""

MAX_LITERAL_CHARS: Final = 1 << 20
"""Longest Python literal read, in characters; ours, since the literal parser is not linear in memory."""

_VARIABLE_ECHO: Final = re.compile(r"^# \w+ = (?=[\"\[{])")
"""Some harnesses prefix a tool's output with the name of the variable that holds it."""

_CUT_TAIL: Final = re.compile(
    r"(?:-|[.eE][+-]?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|\\?u?[0-9a-fA-F]{0,4})?(?:(?:\.{2,}|…).*)?", re.DOTALL
)
"""What may stand after the last whole token of JSON that ends too early, an ellipsis of the cutter's included."""


def read_arguments(raw: Any, place: str) -> dict[str, Any] | None:  # noqa: ANN401 - what the source holds
    """Return call arguments given as an object, as JSON text or as a Python dict's repr.

    None and the empty string stand for arguments that were not recorded and give None.

    Raises:
        UnreadablePayloadError: if *raw* is neither.
    """
    if raw is None or raw == "":
        return None
    value = _read_text(raw, place) if isinstance(raw, str) else raw
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise UnreadablePayloadError(place, f"is {kind_of(value)}, expected an object with named arguments")
    arguments: dict[str, Any] = canonical_value(value)
    return arguments


def read_result(raw: Any) -> Any:  # noqa: ANN401 - what the source holds
    """Return a tool's result: JSON objects and arrays inside a text are parsed, any other text is kept."""
    if not isinstance(raw, str):
        return canonical_value(raw)
    text = _VARIABLE_ECHO.sub("", raw)
    if text.lstrip()[:1] in ("{", "[") or text != raw:
        try:
            return canonical_value(parse_embedded(text, "result"))
        except SourceError:
            return canonical_value(raw)
    return canonical_value(raw)


def lost_result(result: Any, *, is_recorded: bool = True) -> str | None:  # noqa: ANN401 - any JSON value
    """Return why the outcome cannot be told from *result* as `read_result` gave it; None when nothing is lost.

    A text that begins as JSON and ends before it is complete says less than the tool did (exporters and loggers cut
    long values), and one that repeats a key or holds no finite number says nothing for sure.
    """
    if not is_recorded:
        return "the content was not recorded"
    text = _VARIABLE_ECHO.sub("", result).strip() if isinstance(result, str) else ""
    if text[:1] not in ("{", "["):
        return None
    try:
        parse_embedded(text, "result")
    except SourceError as error:
        if not isinstance(error.__cause__, json.JSONDecodeError):
            return f"the result {error.problem}"
        return CUT_OFF if _is_cut_off(text, error.__cause__) else None
    return None


def _is_cut_off(text: str, error: json.JSONDecodeError) -> bool:
    return error.msg.startswith("Unterminated string") or _CUT_TAIL.fullmatch(text, error.pos) is not None


def error_text(result: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """Return *result* if it is a text in the form harnesses give a raised tool error (``Error: …``)."""
    return result if isinstance(result, str) and result.startswith("Error:") else None


def canonical_value(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON-like value
    """Return *value* in the form events can carry."""
    if depth >= MAX_DEPTH // 2:
        return json.dumps(value, ensure_ascii=True, default=str, sort_keys=True)
    if isinstance(value, dict):
        return {canonical_text(str(key)): canonical_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [canonical_value(item, depth + 1) for item in value]
    if isinstance(value, str):
        return canonical_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, float) and math.isfinite(value):
        return value
    return str(value)


def canonical_text(text: str) -> str:
    """Return *text* with each lone surrogate, which UTF-8 cannot carry, as U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return str(without_lone_surrogates(text))
    return text


def _read_text(text: str, place: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return parse_embedded(text, place)
    except SourceError as error:
        value = _read_literal(text)
        if value is None:
            raise UnreadablePayloadError(place, error.problem) from error
        return value


def _read_literal(text: str) -> Any:  # noqa: ANN401 - any literal, None if it is none
    if len(text) > MAX_LITERAL_CHARS:
        return None
    try:
        tree = ast.parse(text, mode="eval")
        if any(_has_no_exact_form(node) for node in ast.walk(tree)):
            return None
        return ast.literal_eval(tree)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


def _has_no_exact_form(node: ast.AST) -> bool:
    """Whether a literal holds what JSON cannot: a repeated key, a set, bytes, a complex number, an ellipsis."""
    if isinstance(node, ast.Dict):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        return len(set(keys)) != len(keys)
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, (str, int, float, type(None)))
    return isinstance(node, ast.Set)


def kind_of(value: Any) -> str:  # noqa: ANN401 - any value
    """Return what to call *value* in a message."""
    number = "a number"
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", int: number, float: number}
    return names.get(type(value), f"a {type(value).__name__}")
