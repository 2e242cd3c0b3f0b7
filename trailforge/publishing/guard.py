"""The live host guard: asked at every step, believed only for the step it was asked about.

A ruling that names another action or another intent, that is not a ruling at all, or that never came, denies.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from trailforge.errors import GuardDeniedError
from trailforge.errors.showing import shown
from trailforge.publishing.intent import AdmittedIntent


class GuardedAction(StrEnum):
    """What the host is asked to allow."""

    APPROVE = "APPROVE"
    EXECUTE = "EXECUTE"
    REVOKE = "REVOKE"
    RECONCILE = "RECONCILE"


_BOUND_TO_PRESENT = frozenset({GuardedAction.APPROVE, GuardedAction.EXECUTE})
"""Actions that need today's policy and revision to be the intent's. A revocation or an inspection must stay
possible after they changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What the host says about one action on one intent now."""

    action: GuardedAction
    intent_digest: str
    allowed: bool
    policy_digest: str
    """Digest of the policy in force now."""
    revision: str
    """Revision the resource has now."""
    reason: str = ""


class HostGuard(Protocol):
    """Where the host decides; it looks up identity, policy and revision anew each time."""

    def rule(self, action: GuardedAction, admitted: AdmittedIntent, actor: str) -> Ruling:
        """Return whether *actor* may do *action* with the *admitted* intent now."""
        ...


def require_permission(guard: HostGuard, action: GuardedAction, admitted: AdmittedIntent, actor: str) -> None:
    """Return if *guard* allows *action* for this very intent, under its policy and at its revision.

    Raises:
        GuardDeniedError: in every other case, an exception of the guard included.
    """
    try:
        ruling = guard.rule(action, admitted, actor)
    except Exception as error:
        raise GuardDeniedError(action, admitted.digest, f"the guard failed: {shown(error, 200)}") from error
    problem = _problem(action, admitted, ruling)
    if problem:
        raise GuardDeniedError(action, admitted.digest, problem)


def _problem(action: GuardedAction, admitted: AdmittedIntent, ruling: object) -> str:
    if not isinstance(ruling, Ruling):
        return f"the guard returned a {type(ruling).__name__}, expected a Ruling"
    for name in ("intent_digest", "policy_digest", "revision", "reason"):
        value = getattr(ruling, name)
        if type(value) is not str:
            return f"the {name} of the ruling is a {type(value).__name__}, expected a text"
    if ruling.action is not action:
        return f"the ruling is about {ruling.action}, expected {action}"
    if ruling.intent_digest != admitted.digest:
        return f"the ruling is about intent {ruling.intent_digest[:12]}…, expected {admitted.digest[:12]}…"
    if ruling.allowed is not True:
        return ruling.reason or "the host said no"
    if action not in _BOUND_TO_PRESENT:
        return ""
    intent = admitted.intent
    if ruling.policy_digest != intent.policy_digest:
        return f"the policy is now {ruling.policy_digest[:12]}…, the intent has {intent.policy_digest[:12]}…"
    if ruling.revision != intent.revision:
        return f"the resource is now at {ruling.revision!r}, the intent is for {intent.revision!r}"
    return ""
