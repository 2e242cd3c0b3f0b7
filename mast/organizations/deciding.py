"""Putting a question to the agent, and reading its answer, the same for organizations that sign and that do not."""

from collections.abc import Sequence

from mast.organizations.messages import Consult, Decision, Effect, Question
from mast.organizations.state import OrganizationState

ACTIONS = ("proceed", "verify", "hold")
"""What an agent may answer about an action."""


def consult(state: OrganizationState, question: Question, out: list[Effect]) -> Decision | None:
    """Ask the agent, unless the budget is used up: then a budget stop is returned in its place."""
    budget = state.settings.budget
    if budget is not None and state.decisions >= budget:
        return Decision(
            stage=question.stage,
            action="hold",
            origin="budget",
            reason=f"{state.decisions} of {budget} decisions are used up",
        )
    state.decisions += 1
    out.append(Consult(question))
    return None


def read_action(decision: Decision, allowed: Sequence[str]) -> tuple[str, str]:
    """Return ``(action, cause)``: an unknown action holds, with a program's and not a decision's cause."""
    if decision.action not in allowed:
        return "hold", "program"
    return decision.action, _CAUSES.get(decision.origin, "decision")


def refs_match(decision: Decision, claims: Sequence[bytes]) -> bool:
    """Whether the claims an agent names are exactly those at hand, in order, as hex ids or as ``task[i]``.

    Naming none stands for all of them.
    """
    if decision.claim_refs is None:
        return True
    if len(decision.claim_refs) != len(claims):
        return False
    return all(
        reference in (claim.hex(), f"task[{index}]")
        for index, (reference, claim) in enumerate(zip(decision.claim_refs, claims, strict=True))
    )


_CAUSES = {"budget": "budget", "provider": "transport", "invalid": "program"}
"""A stop made for an agent is not a decision it made."""
