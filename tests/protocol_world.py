"""A small world of organizations that sign: views with derived keys that share one directory, and no runtime.

``source`` states amounts, ``middle`` and ``receiver`` pass them on, ``buyer`` authorizes and keeps the record of
amounts, ``mallory`` is known to everybody and entitled to nothing. ``stranger`` is in nobody's directory.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from mast.errors import Rejection
from mast.ids import ClaimId, ClaimName, OrganizationName
from mast.protocol import claims, facts, handoffs, revocations
from mast.protocol.notary import Notary
from mast.protocol.packets import Bundle, HandoffReceipt
from mast.protocol.view import LocalView
from trustrail.foundation import SignedEnvelope, SigningKey, Verifier, canonical_msgpack, seal

WORKFLOW = "order-desk"
MEMBERS = ("source", "middle", "receiver", "buyer", "mallory")
AUTHORITIES = {
    "total_charge": "source",
    "charge_manifest": "source",
    "charge/goods": "source",
    "charge/freight": "source",
    "invoice_authorization": "buyer",
}


@dataclass(frozen=True)
class Entry:
    """A record of the fact authority."""

    cents: int
    version: str = "v1"
    confirmed: bool = True


def amount(cents: int = 12_800, order: str = "A", currency: str = "CNY") -> dict[str, Any]:
    """Return the value of a total."""
    return {"cents": cents, "currency": currency, "order": order}


def key_of(name: str) -> SigningKey:
    """Return the key of an organization."""
    return SigningKey.derive("protocol-world", name)


def number(n: int) -> bytes:
    """Return 32 bytes that stand for a challenge, a purpose or an unknown id."""
    return n.to_bytes(32, "big")


class ProtocolWorld:
    """The views, by name, and the short cuts that stories are told with."""

    def __init__(self) -> None:
        self.directory = {name: key_of(name).public for name in MEMBERS}
        self.registry: dict[tuple[str, str], Entry] = {("A", "CNY"): Entry(12_800)}
        self.views = {name: self.view_of(name) for name in MEMBERS}

    def __getitem__(self, name: str) -> LocalView:
        return self.views[name]

    def notary(self, name: str, workflow: str = WORKFLOW) -> Notary:
        """Return another notary for an organization, in any workflow; strangers have one too."""
        return Notary(OrganizationName(name), workflow, key_of(name), self.directory, Verifier())

    def view_of(self, name: str, workflow: str = WORKFLOW) -> LocalView:
        """Return an empty view."""
        authorities = {predicate: OrganizationName(owner) for predicate, owner in AUTHORITIES.items()}
        return LocalView(
            notary=self.notary(name, workflow), authorities=authorities, fact_authority=OrganizationName("buyer")
        )

    def root(self, name: str = "root_A", value: Mapping[str, Any] | None = None) -> ClaimId:
        """Let ``source`` state a total."""
        return self.issue("source", name, (), predicate="total_charge", value=value or amount())

    def issue(self, owner: str, name: str, parents: tuple[ClaimId, ...] = (), **content: Any) -> ClaimId:
        """Let *owner* issue a claim; what derives by relay needs no content."""
        view = self[owner]
        if parents and "value" not in content:
            content = {
                "predicate": view.claims[parents[0]].predicate,
                "value": view.claims[parents[0]].value,
                **content,
            }
        return claims.issue(view, name=ClaimName(name), parents=parents, **{"rule": "relay", **content})

    def hand(self, sender: str, recipient: str, *targets: ClaimId) -> bytes:
        """Hand claims on, with receipt and acknowledgement; return the id of the handoff."""
        bundle = handoffs.prepare(self[sender], targets, OrganizationName(recipient))
        received = handoffs.accept(self[recipient], bundle)
        handoffs.acknowledge(self[sender], received.receipt_envelope)
        return bundle.packet.id

    def chain(self) -> tuple[ClaimId, ClaimId]:
        """Let ``source`` state a total and ``middle`` pass it to ``receiver``; return both claims."""
        root = self.root()
        self.hand("source", "middle", root)
        relayed = self.issue("middle", "shared_A", (root,))
        self.hand("middle", "receiver", relayed)
        return root, relayed

    def dispute(self, owner: str, claim: ClaimId, *, cents: int = 15_600) -> Bundle:
        """Let the buyer's record say *cents* and contradict the claim to *owner*, who records the dispute."""
        self.registry[("A", "CNY")] = Entry(cents)
        question = facts.ask(self[owner], claim, number(1), number(2))
        answer = facts.reply(self["buyer"], self.registry, question, 0)
        evidence = Bundle(answer, (question.packet,))
        facts.read_dispute(self[owner], evidence, claim)
        facts.apply_dispute(self[owner], claim, evidence)
        return evidence

    def revoke(self, owner: str, claim: ClaimId) -> SignedEnvelope:
        """Let *owner* take its claim back."""
        return revocations.revoke(self[owner], claim)

    def sealed(self, signer: str, content: Any, *, name: str | None = None) -> SignedEnvelope:
        """Seal any content with the key of *signer*, under its own or another *name*."""
        return seal(canonical_msgpack(content), name or signer, key_of(signer))


def receipt_of(view: LocalView, handoff_id: bytes) -> HandoffReceipt:
    """Return the receipt that *view* gave for a handoff."""
    return view.received[handoff_id].receipt  # type: ignore[index] # any 32 bytes are asked for


def snapshot(view: LocalView) -> dict[str, Any]:
    """Return everything an organization knows, as plain values that can be compared later."""
    return {
        "journal": (view.journal.length, view.journal.head),
        "held": {claim: view.graph.stands(claim) for claim in view.claims},
        "latest": dict(view.latest),
        "revocations": {claim: envelope.id for claim, envelope in view.revocations.items()},
        "disputes": {claim: bundle.packet.id for claim, bundle in view.disputes.items()},
        "withdrawn": view.graph.anything_withdrawn,
        "sent": {packet: (sent.status, sent.receipt and sent.receipt.id) for packet, sent in view.sent.items()},
        "delivered": {name: frozenset(ids) for name, ids in view.delivered.items() if ids},
        "received": {packet: received.receipt_envelope.id for packet, received in view.received.items()},
        "notices": {packet: sent.receipt and sent.receipt.id for packet, sent in view.notices.items()},
        "notice_receipts": {packet: receipt.id for packet, receipt in view.notice_receipts.items()},
        "heads": {name: dict(heads) for name, heads in view.heads.items() if heads},
    }


@contextmanager
def refused(view: LocalView, rejection: type[Rejection], match: str) -> Iterator[None]:
    """Expect exactly this class of rejection with this text, and that *view* is as it was."""
    before = snapshot(view)
    with pytest.raises(rejection, match=match) as caught:
        yield
    assert type(caught.value) is rejection
    assert snapshot(view) == before
