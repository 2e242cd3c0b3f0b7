"""An intent: exactly what is to be published, bound by one digest.

Whoever approves, approves this digest; a change of any field, the payload's bytes included, is another intent.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from trailforge.errors import IntentRefusedError, Problem
from trailforge.errors.showing import shown
from trustrail.errors import CanonicalizationError
from trustrail.foundation import canonical_json, digest_hex

MAX_PAYLOAD_BYTES: Final = 256 * 1024
"""Canonical bytes of one payload; ours. Larger ones belong in an artifact store, by digest."""

MAX_NAME: Final = 256
"""Characters of one name; ours."""

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class ExecutionMode(StrEnum):
    """What executing an intent does to the world."""

    LIVE = "LIVE"  #: changes the external system
    REHEARSAL = "REHEARSAL"  #: goes through every step against an adapter that changes nothing outside


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One publication as proposed. Make it with `admit_intent` checks by handing it to the publisher."""

    tenant: str
    resource: str
    """What will be changed."""
    goal_digest: str
    """Digest of the goal it comes from, 64 hex digits."""
    policy_digest: str
    """Digest of the policy it was proposed under, 64 hex digits."""
    revision: str
    """Revision of the resource it was made for."""
    action: str
    payload: Mapping[str, Any]
    """JSON object handed to the adapter."""
    adapter: str
    """Name and version of the adapter, as ``name/version``."""
    mode: ExecutionMode
    origin: str = ""
    """Run, task and attempt that proposed it, as ``run/task#attempt``; empty when a person did."""
    supersedes: str = ""
    """Operation in doubt that this intent deliberately repeats; empty for the first attempt."""

    def to_record(self) -> dict[str, Any]:
        """Return the intent as a JSON object."""
        return {
            "action": self.action,
            "adapter": self.adapter,
            "goal_digest": self.goal_digest,
            "mode": self.mode.value,
            "origin": self.origin,
            "payload": self.payload,
            "policy_digest": self.policy_digest,
            "resource": self.resource,
            "revision": self.revision,
            "supersedes": self.supersedes,
            "tenant": self.tenant,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmittedIntent:
    """An intent whose canonical bytes exist."""

    intent: Intent
    body: str
    """Canonical JSON of the intent."""
    digest: str
    """64 hex digits over the body."""
    payload: str
    """Canonical JSON of the payload alone."""
    payload_digest: str
    """64 hex digits over the payload."""

    @property
    def operation_id(self) -> str:
        """The one operation this intent can ever have; adapters use it as their idempotency key."""
        return "op-" + digest_hex(canonical_json(["operation", self.digest]))[:32]


def admit_intent(intent: Intent) -> AdmittedIntent:
    """Return *intent* with its canonical bytes and digests.

    Raises:
        IntentRefusedError: with everything that is wrong with it.
    """
    given: object = intent
    if type(given) is not Intent:
        raise IntentRefusedError([Problem("intent", f"is a {type(given).__name__}, expected an Intent")])
    problems = _problems(intent)
    payload = b""
    try:
        payload = canonical_json(intent.payload)
    except CanonicalizationError as error:
        problems.append(Problem(f"payload{error.path.removeprefix('$')}", error.problem))
    if len(payload) > MAX_PAYLOAD_BYTES:
        problems.append(Problem("payload", f"has {len(payload)} bytes, expected at most {MAX_PAYLOAD_BYTES}"))
    if problems:
        raise IntentRefusedError(problems)
    body = canonical_json(intent.to_record())
    return AdmittedIntent(
        intent=intent,
        body=body.decode(),
        digest=digest_hex(body),
        payload=payload.decode(),
        payload_digest=digest_hex(payload),
    )


def name_problem(value: object, *, least: int = 1) -> str:
    """Return why *value* is no name of *least* to `MAX_NAME` characters, or an empty text."""
    if type(value) is not str or not least <= len(value) <= MAX_NAME:
        return f"is {shown(value)}, expected {least} to {MAX_NAME} characters"
    if any("\ud800" <= character <= "\udfff" for character in value):
        return "has a lone surrogate, expected text that can be written as UTF-8"
    return ""


def _problems(intent: Intent) -> list[Problem]:
    problems = []
    for field in ("tenant", "resource", "revision", "action", "adapter", "origin", "supersedes"):
        problem = name_problem(getattr(intent, field), least=0 if field in ("origin", "supersedes") else 1)
        if problem:
            problems.append(Problem(field, problem))
    for field in ("goal_digest", "policy_digest"):
        value = getattr(intent, field)
        if type(value) is not str or not _DIGEST.fullmatch(value):
            problems.append(Problem(field, f"is {shown(value, 80)}, expected 64 lower-case hex digits"))
    mode: object = intent.mode
    if not isinstance(mode, ExecutionMode):
        known = ", ".join(member.value for member in ExecutionMode)
        problems.append(Problem("mode", f"is {shown(mode)}, expected one of {known}"))
    if type(intent.payload) is not dict:
        problems.append(Problem("payload", f"is a {type(intent.payload).__name__}, expected an object"))
    return problems
