"""What a tool's result says happened, by the domain pack's tests."""

from enum import StrEnum

from trustrail.events import ToolResult
from trustrail.objects import Action, tells_failure


class Outcome(StrEnum):
    """What became of a call."""

    DONE = "done"  #: the result shows success
    FAILED = "failed"  #: the result shows that the tool rejected or failed it
    PAUSED = "paused"  #: the tool stopped before it acted, to ask
    UNKNOWN = "unknown"  #: the record does not tell


def outcome_of(result: ToolResult | None, action: Action) -> Outcome:
    """Return what *result* says about a call of *action*; a failure test beats a success test."""
    if result is None or result.status == "unknown":
        return Outcome.UNKNOWN
    if result.status == "interrupted" or (action.pending is not None and action.pending.holds(result.result)):
        return Outcome.PAUSED
    if result.status == "error" or (action.failure is not None and action.failure.holds(result.result)):
        return Outcome.FAILED
    if result.result is None:
        return Outcome.UNKNOWN
    if action.success is None:
        return Outcome.FAILED if _is_error_shaped(result.result) else Outcome.DONE
    if action.success.holds(result.result):
        return Outcome.DONE
    return Outcome.FAILED if tells_failure(result.result) else Outcome.UNKNOWN


def _is_error_shaped(result: object) -> bool:
    """Say whether a payload states an error by itself: ``{"error": ...}`` or ``{"status": "error"}``."""
    if isinstance(result, dict):
        status = str(result.get("status", "")).lower()
        return bool(result.get("error")) or status in {"error", "failed", "failure"} or result.get("success") is False
    return isinstance(result, str) and result.lstrip().lower().startswith(("error", "exception", "traceback"))
