"""How an execution ended, as far as its span says.

Status ERROR is no proof of failure (an interrupt and a handoff are reported so), and OK none of success (an
exception event outweighs it). A payload that speaks of an error is passed on as a payload.
"""

import ast
import json
import re
from dataclasses import dataclass
from typing import Any, Final

from trustrail.adapters.payload import canonical_text, error_text, lost_result
from trustrail.adapters.spans.facts import Status
from trustrail.adapters.spans.span import Span

_PENDING: Final = "requires confirmation, please approve or reject"
"""ADK answers a call that waits for approval with this error (google-adk 2.13, tools with confirmation)."""

_INTERRUPT_VALUE: Final = re.compile(r"Interrupt\(value=(.*?), (?:id|resumable|ns|when)=", re.DOTALL)

_WRAPPED: Final = re.compile(r"^(\w+)\((.*)\)Traceback \(most recent call last\)", re.DOTALL)
"""LangSmith tells a failure as the repr of the exception with its traceback behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an execution ended."""

    status: Status
    error: str | None = None
    asked: str | None = None


def outcome_of(span: Span, result: Any, *, has_result: bool, is_error: bool = False) -> Outcome:  # noqa: ANN401
    """Return how the execution on *span* ended, given the *result* it recorded."""
    kind, message = _failure(span)
    if kind in ("GraphInterrupt", "NodeInterrupt") or message.startswith("(Interrupt("):
        return Outcome(status="interrupted", asked=_asked(message))
    if _is_pending(result):
        return Outcome(status="interrupted")
    if kind == "ParentCommand":
        return Outcome(status="ok" if has_result else "unknown")
    if span.exception is not None or span.status == "ERROR":
        words = ": ".join(part for part in (kind, message) if part)
        return Outcome(status="error", error=canonical_text(words) or None)
    if not has_result:
        return Outcome(status="unknown")
    return status_of_payload(result, is_error=is_error)


def status_of_payload(result: Any, *, is_error: bool = False) -> Outcome:  # noqa: ANN401 - any JSON value
    """Return how an execution ended of which only the *result* is known."""
    if _is_pending(result):
        return Outcome(status="interrupted")
    told = error_text(result)
    if is_error or told:
        return Outcome(status="error", error=told)
    return Outcome(status="unknown" if lost_result(result) else "ok")


def _failure(span: Span) -> tuple[str, str]:
    """Return the kind and words of what ended the execution, both empty if nothing did."""
    kind, message = span.exception or (str(span.attributes.get("error.type", "")), span.status_text or "")
    wrapped = _WRAPPED.match(message)
    if wrapped is not None:
        return wrapped.group(1), wrapped.group(2).strip("'\"")
    return kind.rpartition(".")[2], message


def _is_pending(result: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(result, dict) and _PENDING in str(result.get("error", ""))


def _asked(message: str) -> str | None:
    found = _INTERRUPT_VALUE.search(message)
    if found is None:
        return None
    try:
        value = ast.literal_eval(found.group(1))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return canonical_text(found.group(1))
    return spoken(value)


def spoken(value: Any) -> str:  # noqa: ANN401 - any value shown to, or given by, a person
    """Return *value* as words: a text, an object's only text, or its JSON."""
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return canonical_text(value if isinstance(value, str) else json.dumps(value, default=str, sort_keys=True))
