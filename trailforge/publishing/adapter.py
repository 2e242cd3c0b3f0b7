"""The port to an external system: send once, inspect as often as needed."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol

from trailforge.errors.showing import shown
from trailforge.publishing.intent import AdmittedIntent, ExecutionMode
from trustrail.errors import CanonicalizationError
from trustrail.foundation import canonical_json, parse_json

MAX_EVIDENCE_BYTES: Final = 64 * 1024
"""Canonical bytes of one receipt or one piece of evidence; ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """What an adapter is given."""

    operation_id: str
    """Stable over all inspections; the idempotency key where the external system takes one."""
    intent_digest: str
    tenant: str
    resource: str
    revision: str
    action: str
    payload: dict[str, Any]
    """A fresh copy."""
    payload_digest: str
    deadline: int
    """Milliseconds since 1970 after which an answer is evidence only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """What the external system said to a dispatch."""

    operation_id: str
    intent_digest: str
    receipt: dict[str, Any]
    """What the external system can be asked about later."""
    duplicate: bool = False
    """Whether it says that it has seen this key before: then this dispatch delivered nothing."""


class Finding(StrEnum):
    """What an inspection showed."""

    FOUND = "FOUND"  #: the external system has it, with a payload digest to compare
    NOT_FOUND = "NOT_FOUND"  #: it has not; a delayed request may still arrive
    CANNOT_TELL = "CANNOT_TELL"  #: the question could not be answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """Evidence about one operation."""

    operation_id: str
    finding: Finding
    payload_digest: str = ""
    """Digest of the payload that was found; empty otherwise."""
    evidence: dict[str, Any]


class PublishAdapter(Protocol):
    """One external system, in one execution mode."""

    name: str
    """Name and version, as ``name/version``."""
    mode: ExecutionMode

    def send(self, dispatch: Dispatch) -> Acknowledgement:
        """Make the change; called at most once for an operation."""
        ...

    def inspect(self, dispatch: Dispatch) -> Inspection:
        """Look whether the change is there, without making it."""
        ...


def dispatch_of(admitted: AdmittedIntent, deadline: int) -> Dispatch:
    """Return what the adapter of *admitted* is given, each time a fresh copy."""
    intent = admitted.intent
    return Dispatch(
        operation_id=admitted.operation_id,
        intent_digest=admitted.digest,
        tenant=intent.tenant,
        resource=intent.resource,
        revision=intent.revision,
        action=intent.action,
        payload=parse_json(admitted.payload),
        payload_digest=admitted.payload_digest,
        deadline=deadline,
    )


def acknowledgement_problem(admitted: AdmittedIntent, answer: object) -> str:
    """Return why *answer* does not acknowledge the operation of *admitted*, or an empty text."""
    if not isinstance(answer, Acknowledgement):
        return f"the adapter returned a {type(answer).__name__}, expected an Acknowledgement"
    if answer.operation_id != admitted.operation_id:
        return f"the acknowledgement is for {shown(answer.operation_id)}, expected {admitted.operation_id!r}"
    if answer.intent_digest != admitted.digest:
        return "the acknowledgement is for another intent"
    if answer.duplicate is not False:
        return "the external system says it has seen this key before, so this dispatch delivered nothing"
    return evidence_problem(answer.receipt)


def inspection_problem(admitted: AdmittedIntent, answer: object) -> str:
    """Return why *answer* is no evidence about the operation of *admitted*, or an empty text."""
    if not isinstance(answer, Inspection):
        return f"the adapter returned a {type(answer).__name__}, expected an Inspection"
    if answer.operation_id != admitted.operation_id:
        return f"the inspection is of {shown(answer.operation_id)}, expected {admitted.operation_id!r}"
    finding: object = answer.finding
    if type(finding) is not Finding:
        return f"the finding is a {type(finding).__name__}, expected a Finding"
    if type(answer.payload_digest) is not str:
        return f"the payload digest is a {type(answer.payload_digest).__name__}, expected a text"
    if answer.finding is Finding.FOUND and answer.payload_digest != admitted.payload_digest:
        return f"another payload was found: {answer.payload_digest[:12]}…, sent {admitted.payload_digest[:12]}…"
    return evidence_problem(answer.evidence)


def evidence_problem(evidence: object) -> str:
    """Return why *evidence* cannot be kept, or an empty text."""
    if type(evidence) is not dict:
        return f"the evidence is a {type(evidence).__name__}, expected an object"
    try:
        size = len(canonical_json(evidence))
    except CanonicalizationError as error:
        return f"the evidence has no canonical form: {error}"
    if size > MAX_EVIDENCE_BYTES:
        return f"the evidence has {size} bytes, expected at most {MAX_EVIDENCE_BYTES}"
    return ""
