"""Whether a tool's result says by itself that nothing was found, or that the tool refused or failed.

For tools whose pack states no test on their results. It only recognises; what it does not recognise is not thereby a
success.
"""

import re
from typing import Any, Final

_TELLING_KEYS: Final = ("error", "errors", "exception", "fault")
"""Keys whose value, when there is one, describes a failure."""

_NEGATED_KEYS: Final = (
    "success", "succeeded", "ok", "verified", "is_verified", "authenticated", "authorized", "identified", "valid",
    "is_valid", "matched", "match", "found", "exists", "allowed", "approved",
)  # fmt: skip
"""Keys whose value false, 0 or "false" says that it did not work."""

_STATUS_KEYS: Final = ("status", "state", "result", "outcome", "code", "verification")

_FAILURE: Final = re.compile(
    r"(?:^|[^a-z])(?:"
    r"error|exception|traceback|fail(?:ed|ure|s)?|invalid|unverified|denied|rejected|refused|forbidden|locked|expired|"
    r"unauthori[sz]ed|unauthenticated|wrong|mismatch|none|unknown|timed? ?-?out|timeout|"
    r"not[ _-]?found|no such|no match(?:es)?|not (?:match|valid|verified|allowed|permitted|available)|"
    r"(?:does|do|did|could|can) ?not|(?:does|do|did|could|ca)n't"
    r")(?:$|[^a-z])",
    re.IGNORECASE,
)


def tells_failure(result: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether *result* is empty, false, or says that there is nothing or that it did not work."""
    if isinstance(result, dict):
        lowered = {key.lower(): value for key, value in result.items()}
        return (
            not result
            or any(lowered.get(key) for key in _TELLING_KEYS)
            or any(_is_no(lowered[key]) for key in _NEGATED_KEYS if key in lowered)
            or any(isinstance(lowered.get(key), str) and _FAILURE.search(lowered[key]) for key in _STATUS_KEYS)
        )
    if isinstance(result, str):
        return not result.strip() or _FAILURE.search(result) is not None
    return result is None or result is False or result in ([], 0)


def _is_no(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return value is None or value in (False, 0) or (isinstance(value, str) and value.strip().lower() in _NO)


_NO: Final = frozenset({"", "false", "no", "n", "0", "none", "null"})
