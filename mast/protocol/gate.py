"""The gate: what is checked, in which order, before an action.

Pure decisions over a local view. The organization runs them: `admit` first; then the questions of `questions`, one
after another; then `decide`. Each returns a `Refusal` with a stable reason, or None to go on. The order follows the
behaviour of the earlier system, section 2.6.
"""

from collections.abc import Sequence

from msgspec import Struct

from mast.ids import ClaimId
from mast.protocol.contracts import CONTRACTS, ContractRefusal, StatedFact
from mast.protocol.facts import is_settlement
from mast.protocol.mechanisms import Checks, Freeze, Mechanisms
from mast.protocol.view import LocalView


class Refusal(Struct, frozen=True):
    """Why an action is not performed.

    Attributes:
        result: ``BLOCKED``, ``REQUEST_EVIDENCE`` or ``ESCALATE``.
        reason: stable word for the cause.
    """

    result: str
    reason: str


class Questions(Struct, frozen=True):
    """What to ask others before the action, parents first.

    Attributes:
        status: claims whose issuers are asked; the first answer that is not ``active`` ends the asking.
        facts: claims the fact authority is asked about, all of them.
    """

    status: tuple[ClaimId, ...]
    facts: tuple[ClaimId, ...]


def admit(view: LocalView, mechanisms: Mechanisms, operation: str, claims: Sequence[ClaimId]) -> Refusal | None:
    """Decide from the local view whether the action is worth asking anybody about.

    Disputes are not looked at here: a disputed claim is asked about again, and only then refused.
    """
    if mechanisms.freeze is Freeze.WORKLOAD and view.graph.anything_withdrawn:
        return Refusal("BLOCKED", "workload_frozen")
    if operation != "forward" and operation not in CONTRACTS:
        return Refusal("BLOCKED", "unknown_operation")
    if not claims or len(set(claims)) != len(claims):
        return Refusal("BLOCKED", "claims_not_distinct")
    for claim in claims:
        if claim not in view.claims:
            return Refusal("REQUEST_EVIDENCE", "missing_dependency")
        if not view.graph.stands(claim) and view.revocations.keys() & view.graph.blockers(claim).keys():
            return Refusal("REQUEST_EVIDENCE", "revoked_dependency")
    return None


def questions(
    view: LocalView, mechanisms: Mechanisms, claims: Sequence[ClaimId], *, loss: int, verify: bool
) -> Questions:
    """Return whom to ask about what, given the loss at stake.

    An agent that answers ``verify`` has the roots and the amounts asked about on every signed layer.
    """
    checks = mechanisms.checks
    if verify and checks is Checks.NONE:
        checks = Checks.ROOTS
    asked = checks is not Checks.NONE and (verify or loss >= mechanisms.risk_threshold)
    about_facts = mechanisms.facts or verify
    if not asked and not about_facts:
        return Questions((), ())
    closure = view.graph.closure(claims)
    status: tuple[ClaimId, ...] = ()
    if asked and checks is Checks.CLOSURE:
        status = tuple(closure)
    elif asked:
        status = tuple([claim for claim in closure if not view.claims[claim].parents])
    facts: tuple[ClaimId, ...] = ()
    if about_facts:
        facts = tuple([claim for claim in closure if is_settlement(view.claims[claim])])
    return Questions(status, facts)


def decide(
    view: LocalView,
    operation: str,
    claims: Sequence[ClaimId],
    order: str | None,
    *,
    statuses: Sequence[str],
    facts: Sequence[str],
) -> Refusal | None:
    """Decide once the answers are in.

    Args:
        view: the local view, with everything learned from the answers applied.
        operation: what is to be done.
        claims: the claims it acts on.
        order: the order it is for.
        statuses: status answers (``active``, ``revoked``, ``unknown``, ``unavailable``).
        facts: fact answers (``CONFIRMED``, ``CONTRADICTED``, ``UNKNOWN``, ``UNAVAILABLE``).
    """
    if "revoked" in statuses or "unknown" in statuses:
        return Refusal("REQUEST_EVIDENCE", "status_revoked" if "revoked" in statuses else "status_unknown")
    if "unavailable" in statuses:
        return Refusal("ESCALATE", "status_unavailable")
    if not set(facts) <= {"CONFIRMED"}:
        return Refusal("REQUEST_EVIDENCE", _fact_reason(facts))
    if not all(map(view.graph.stands, claims)):
        return Refusal("REQUEST_EVIDENCE", "blocked_dependency")
    if operation in CONTRACTS:
        return check_contract(operation, [_stated(view, claim) for claim in claims], order)
    return None


def check_contract(operation: str, facts: Sequence[StatedFact], order: str | None) -> Refusal | None:
    """Decide whether *facts* allow a business *operation*; the same on every layer."""
    try:
        CONTRACTS[operation](facts, order)
    except ContractRefusal as refusal:
        return Refusal("BLOCKED", refusal.reason)
    return None


def _stated(view: LocalView, claim_id: ClaimId) -> StatedFact:
    claim = view.claims[claim_id]
    return StatedFact(claim.predicate, claim.value)


def _fact_reason(facts: Sequence[str]) -> str:
    for status, reason in (("CONTRADICTED", "fact_contradicted"), ("UNKNOWN", "fact_unknown")):
        if status in facts:
            return reason
    return "fact_unavailable"
