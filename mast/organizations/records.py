"""How what happens in an organization reads as canonical events. The scorer reads these same shapes.

Every record carries the stage of work it belongs to as its turn. Refusals, verdicts and effects are told apart by
``control_id`` and ``tool``; the names are fixed here.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from mast.errors import Rejection
from mast.organizations.messages import Decision, Parcel, Question, Record

GATE: Final = "mast.gate"
"""Control id of the verdict on a proposed action."""

BOUNDARY: Final = "mast.boundary"
"""Control id of a packet's refusal."""

STATUS_QUERY: Final = "status_query"
FACT_QUERY: Final = "fact_query"
NOTICE: Final = "notice"
ISSUE: Final = "issue_claim"
REVOKE: Final = "revoke_claim"

CAUSES: Final = ("decision", "program", "transport", "budget", "unknown")
"""Why an action did not complete; the five are never merged."""


def decided(question: Question, decision: Decision, model: str) -> Record:
    """An agent answered a question."""
    detail: dict[str, Any] = {
        "action": decision.action,
        "operation": question.operation,
        "origin": decision.origin,
        "round": question.round,
    }
    if decision.reason:
        detail["reason"] = decision.reason
    return Record("model_call", {"model": model, "detail": detail}, question.stage)


def asked(tool: str, subject: str, to: str, turn: str, packet: bytes | None = None) -> Record:
    """A question was sent to another organization."""
    return Record("tool_call", {"call_id": None, "tool": tool, "arguments": {"claim": subject, "to": to}}, turn, packet)


def answered(tool: str, subject: str, by: str, status: str, turn: str, packet: bytes | None = None) -> Record:
    """An answer was accepted, or none came (``unavailable``); *by* is empty where there was nobody to ask."""
    body = {
        "call_id": None,
        "tool": tool,
        "status": "ok" if status.lower() != "unavailable" else "unknown",
        "result": {"by": by, "claim": subject, "status": status},
    }
    return Record("tool_result", body, turn, packet)


def issued(name: str, revision: int, claim: Mapping[str, Any], turn: str, packet: bytes | None = None) -> Record:
    """A claim was issued."""
    arguments = {"claim": name, "predicate": claim["predicate"], "revision": revision, "value": claim["value"]}
    body = {"call_id": None, "tool": ISSUE, "arguments": arguments}
    return Record("tool_call", body, turn, packet, (claim["value"],))


def revoked(name: str, turn: str, packet: bytes | None = None) -> Record:
    """An organization took its own claim back."""
    return Record("tool_call", {"call_id": None, "tool": REVOKE, "arguments": {"claim": name}}, turn, packet)


def noticed(about: str, subject: str, parcel: Parcel, attempt: int, turn: str, packet: bytes) -> Record:
    """A notice was given to the network."""
    arguments = {"about": about, "attempt": attempt, "bytes": parcel.size(), "claim": subject, "to": parcel.recipient}
    return Record("tool_call", {"call_id": None, "tool": NOTICE, "arguments": arguments}, turn, packet)


def learned(about: str, subject: str, by: str, turn: str, packet: bytes) -> Record:
    """A notice or a broadcast revocation was applied."""
    body = {
        "call_id": None,
        "tool": NOTICE,
        "status": "ok",
        "result": {"about": about, "by": by, "claim": subject},
    }
    return Record("tool_result", body, turn, packet)


def handed_on(
    parcel: Parcel, claims: Iterable[Mapping[str, Any]], status: str, turn: str, packet: bytes | None = None
) -> Record:
    """A handoff reached its recipient and was accepted or found blocked; recorded by the recipient."""
    shown = list(claims)
    body = {
        "to_agent_id": parcel.recipient,
        "lineage": [claim["name"] for claim in shown],
        "detail": {"claims": shown, "from": parcel.sender, "status": status},
    }
    return Record("agent_handoff", body, turn, packet, _values_of(shown))


def refused(subject: str, rejection: Rejection, turn: str, packet: bytes | None = None) -> Record:
    """Something was refused at the boundary; nothing changed."""
    body = {
        "control_id": BOUNDARY,
        "verdict": "FAIL",
        "reason": str(rejection),
        "detail": {"cause": rejection.reason, "subject": subject},
    }
    return Record("evaluation_result", body, turn, packet)


def verdict(result: str, reason: str, turn: str) -> Record:
    """The gate decided on a proposed action: a block fails it, missing evidence leaves it inconclusive."""
    body = {"control_id": GATE, "verdict": _VERDICTS.get(result, "INCONCLUSIVE"), "reason": reason}
    return Record("evaluation_result", {**body, "detail": {"result": result}}, turn)


def ended(tool: str, result: str, detail: Mapping[str, Any], turn: str, packet: bytes | None = None) -> Record:
    """An action on the claims of *detail* ended; exactly one such record per action."""
    status = _STATUS.get(result, "error")
    body = {"call_id": turn, "tool": tool, "status": status, "result": {"result": result, **detail}}
    return Record("tool_result", body, turn, packet, _values_of(detail["claims"]))


def _values_of(shown: Iterable[Mapping[str, Any]]) -> tuple[Any, ...]:
    """Return the values of claims as `Record` wants to know them."""
    return tuple([claim["value"] for claim in shown])


_STATUS: Final = {"COMPLETED": "ok", "VERIFIED": "ok", "HELD": "interrupted", "EFFECT_UNKNOWN": "unknown"}

_VERDICTS: Final = {"PASS": "PASS", "VERIFIED": "PASS", "BLOCKED": "FAIL"}
