"""Judging what a callback returned: an accepted receipt, or the reason its outcome is UNKNOWN. Pure."""

from dataclasses import dataclass
from typing import Any, Final

from trailforge.errors.showing import shown
from trailforge.harness.events import Doubt
from trailforge.harness.state import RunState
from trailforge.harness.transitions import required_checks
from trailforge.work import Adapter, AdapterKind, Verdict
from trailforge.work.values import stored_json
from trustrail.errors import CanonicalizationError

_DETAIL_CHARACTERS: Final = 300
"""Longest detail kept with a doubt; ours, enough for a line of an operator's table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """An output that may become a receipt."""

    output: str
    """Canonical JSON of it."""
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubted:
    """An outcome that cannot be told."""

    reason: Doubt
    detail: str


def judge_output(state: RunState, adapter: Adapter, output: Any) -> Accepted | Doubted:  # noqa: ANN401
    """Return whether *output*, whatever it is, is what the current task may have returned."""
    try:
        encoded = stored_json(output)
    except CanonicalizationError as error:
        return Doubted(reason=Doubt.OUTPUT_INVALID, detail=shortened(f"output{error.path[1:]}: {error.problem}"))
    limit = state.goal.limits.max_output_bytes
    if len(encoded) > limit:
        detail = f"output is {len(encoded)} bytes in canonical form, expected at most {limit}"
        return Doubted(reason=Doubt.OUTPUT_OVERSIZED, detail=detail)
    verdict: object = ""
    if adapter.kind is AdapterKind.VERIFY:
        verdict = output.get("verdict") if type(output) is dict else None
        if verdict not in list(Verdict):
            detail = f"verdict is {shown(verdict)}, expected one of {', '.join(Verdict)}"
            return Doubted(reason=Doubt.OUTPUT_INVALID, detail=shortened(detail))
        if verdict == Verdict.UNKNOWN and required_checks(state):
            detail = f"required check {required_checks(state)[0]!r} could not tell"
            return Doubted(reason=Doubt.VERDICT_UNKNOWN, detail=detail)
    return Accepted(output=encoded.decode(), verdict=str(verdict))


def raised(error: BaseException) -> Doubted:
    """Return the doubt left by a callback that ended with *error*."""
    reason = Doubt.ADAPTER_RAISED if isinstance(error, Exception) else Doubt.INTERRUPTED
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the callback's exception class is not ours to trust
        text = "(no text)"
    return Doubted(reason=reason, detail=shortened(f"{type(error).__name__}: {text}"))


def shortened(text: str) -> str:
    """Return *text* as it may stand in any store: short, without lone surrogates, and without NUL."""
    safe = text.encode("utf-8", "backslashreplace").decode().replace("\x00", r"\x00")
    return safe if len(safe) <= _DETAIL_CHARACTERS else f"{safe[: _DETAIL_CHARACTERS - 1]}…"
