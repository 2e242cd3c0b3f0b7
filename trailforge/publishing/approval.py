"""An approval: one person's yes to one intent, for a short time, to be used once."""

import re
from dataclasses import dataclass
from typing import Any, Final

from trailforge.errors import ApprovalRefusedError
from trailforge.errors.showing import shown
from trustrail.foundation import canonical_json, digest_hex

DEFAULT_SECONDS: Final = 300
"""How long an approval holds unless the host sets another time: five minutes, too short for lasting authority."""


_ID: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A yes as it is stored."""

    intent_digest: str
    number: int
    """Counted per intent, from 1."""
    by: str
    """Who approved, as the guard was asked."""
    approved_at: int
    """Milliseconds since 1970 on the store's clock."""
    expires_at: int
    """Milliseconds since 1970; the first moment at which it no longer holds."""

    def to_record(self) -> dict[str, Any]:
        """Return the approval as a JSON object."""
        return {
            "approved_at": self.approved_at,
            "by": self.by,
            "expires_at": self.expires_at,
            "intent": self.intent_digest,
            "number": self.number,
        }

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> "Approval":
        """Return the approval that `to_record` wrote as *record*."""
        return cls(
            intent_digest=record["intent"],
            number=record["number"],
            by=record["by"],
            approved_at=record["approved_at"],
            expires_at=record["expires_at"],
        )

    @property
    def approval_id(self) -> str:
        """Name of this yes: 32 hex digits over the canonical record."""
        return digest_hex(canonical_json(self.to_record()))[:32]


def require_named(approval: Approval, approval_id: str) -> None:
    """Return if *approval* is the one that was given the name *approval_id*.

    Raises:
        ApprovalRefusedError: if it is not: then somebody changed what is stored.
    """
    if approval.approval_id != approval_id:
        raise ApprovalRefusedError(approval_id, "was changed where it is stored")


def require_id(approval_id: object) -> None:
    """Return if *approval_id* has the form of an approval's name.

    Raises:
        ApprovalRefusedError: if it has not.
    """
    if not isinstance(approval_id, str) or not _ID.fullmatch(approval_id):
        raise ApprovalRefusedError(shown(approval_id), "is no approval id, expected 32 lower-case hex digits")


def require_covering(approval: Approval, intent_digest: str) -> None:
    """Return if *approval* is a yes to the intent with that digest.

    Raises:
        ApprovalRefusedError: if it is a yes to another one.
    """
    if approval.intent_digest != intent_digest:
        covered = approval.intent_digest[:12]
        raise ApprovalRefusedError(approval.approval_id, f"covers intent {covered}…, not {intent_digest[:12]}…")


def require_usable(approval: Approval, ended: str, *, intent_digest: str, now: int) -> None:
    """Return if *approval* covers the intent and holds at *now*.

    Args:
        approval: the yes.
        ended: how it ended before (CONSUMED, REVOKED), or an empty text.
        intent_digest: digest of the intent that is to be sent.
        now: milliseconds since 1970 on the store's clock.

    Raises:
        ApprovalRefusedError: naming the reason.
    """
    require_covering(approval, intent_digest)
    name = approval.approval_id
    if ended:
        raise ApprovalRefusedError(name, f"is {ended.lower()} and works once")
    if not approval.approved_at <= now < approval.expires_at:
        raise ApprovalRefusedError(name, f"expired {now - approval.expires_at} ms ago")
