"""Handing claims on: bound to one recipient, complete, all or nothing, receipted."""

from typing import Any

import pytest

from mast.errors import (
    AuthorityRejection,
    BindingRejection,
    BlockedRejection,
    ConflictRejection,
    DependencyRejection,
    DuplicateRejection,
    MalformedRejection,
    RecipientRejection,
    SignatureRejection,
    WorkflowRejection,
)
from mast.ids import ClaimId, OrganizationName
from mast.protocol import handoffs
from mast.protocol.packets import Bundle, Claim, Handoff, HandoffReceipt
from tests.protocol_world import WORKFLOW, ProtocolWorld, amount, number, receipt_of, refused, snapshot
from trustrail.foundation import SignedEnvelope

MIDDLE, RECEIVER = OrganizationName("middle"), OrganizationName("receiver")


def signed_handoff(world: ProtocolWorld, *targets: bytes, sender: str = "source", to: str = "middle") -> SignedEnvelope:
    """Sign a handoff as its sender could, without any of the checks of `prepare`."""
    return world[sender].notary.sign(Handoff(sender, WORKFLOW, to, tuple(targets)))


# --- preparing -------------------------------------------------------------------------------------------------


def test_a_handoff_carries_the_whole_closure_parents_first(world: ProtocolWorld):
    root, relayed = world.chain()
    bundle = handoffs.prepare(world["middle"], [relayed], OrganizationName("buyer"))
    assert [envelope.id for envelope in bundle.attached] == [root, relayed]


def test_preparing_the_same_handoff_again_gives_the_same_packet_and_changes_nothing(world: ProtocolWorld):
    root = world.root()
    first = handoffs.prepare(world["source"], [root], MIDDLE)
    before = snapshot(world["source"])
    assert handoffs.prepare(world["source"], [root], MIDDLE) == first
    assert snapshot(world["source"]) == before


def test_what_the_recipient_has_acknowledged_is_not_sent_again(world: ProtocolWorld):
    _, relayed = world.chain()
    child = world.issue("middle", "child", (relayed,))
    bundle = handoffs.prepare(world["middle"], [child], RECEIVER)
    assert [envelope.id for envelope in bundle.attached] == [child]
    assert handoffs.accept(world["receiver"], bundle).receipt.status == "accepted"


NOT_PREPARED = {
    "to itself": (["root"], "source", RecipientRejection, "source cannot address itself"),
    "to a stranger": (["root"], "stranger", RecipientRejection, "cannot address the unknown organization 'stranger'"),
    "of nothing": ([], "middle", DependencyRejection, "a handoff needs at least one target"),
    "of one claim twice": (
        ["root", "root"],
        "middle",
        DuplicateRejection,
        "a handoff names the target [0-9a-f]{12}… 2 times",
    ),
    "of a claim not held": (["ghost"], "middle", DependencyRejection, "source cannot hand on 000000000000…, which it"),
}


@pytest.mark.parametrize(("names", "to", "rejection", "text"), NOT_PREPARED.values(), ids=NOT_PREPARED)
def test_a_handoff_that_makes_no_sense_is_not_prepared(
    world: ProtocolWorld, names: list[str], to: str, rejection: Any, text: str
):
    claims = {"root": world.root(), "ghost": ClaimId(number(1))}
    with refused(world["source"], rejection, text):
        handoffs.prepare(world["source"], [claims[name] for name in names], OrganizationName(to))


@pytest.mark.parametrize("how", ["revoked", "disputed"])
def test_a_claim_below_a_withdrawn_one_is_not_handed_on(world: ProtocolWorld, how: str):
    root = world.root()
    child = world.issue("source", "child", (root,))
    world.revoke("source", root) if how == "revoked" else world.dispute("source", root)
    text = f"source cannot hand on {child.hex()[:12]}…: blocked by {root.hex()[:12]}…"
    with refused(world["source"], BlockedRejection, text):
        handoffs.prepare(world["source"], [child], MIDDLE)


# --- accepting -------------------------------------------------------------------------------------------------


def test_an_accepted_handoff_is_held_receipted_and_journaled(world: ProtocolWorld):
    root = world.root()
    bundle = handoffs.prepare(world["source"], [root], MIDDLE)
    received = handoffs.accept(world["middle"], bundle)
    view, receipt = world["middle"], received.receipt
    assert view.graph.stands(root)
    assert (receipt.sender, receipt.handoff, receipt.status, receipt.blocked) == (
        "source",
        bundle.packet.id,
        "accepted",
        (),
    )
    assert (receipt.sequence, receipt.head) == (view.journal.length, view.journal.head)


def test_a_handoff_accepted_before_returns_the_stored_receipt_and_changes_nothing(world: ProtocolWorld):
    bundle = handoffs.prepare(world["source"], [world.root()], MIDDLE)
    first = handoffs.accept(world["middle"], bundle)
    before = snapshot(world["middle"])
    assert handoffs.accept(world["middle"], bundle).receipt_envelope is first.receipt_envelope
    assert snapshot(world["middle"]) == before


def test_a_handoff_of_a_claim_known_to_be_revoked_is_received_as_blocked(world: ProtocolWorld):
    root, relayed = world.chain()
    child = world.issue("middle", "child", (relayed,))
    bundle = handoffs.prepare(world["middle"], [child], RECEIVER)
    revocation = world.revoke("source", root)
    world["receiver"].graph.withdraw(root)
    world["receiver"].revocations[root] = revocation
    receipt = handoffs.accept(world["receiver"], bundle).receipt
    assert (receipt.status, receipt.blocked) == ("blocked", ((child, (root,)),))
    assert child in world["receiver"].claims


def test_a_handoff_for_somebody_else_is_refused(world: ProtocolWorld):
    bundle = handoffs.prepare(world["source"], [world.root()], MIDDLE)
    with refused(world["receiver"], RecipientRejection, "by source is for 'middle', and reached 'receiver'"):
        handoffs.accept(world["receiver"], bundle)


def test_a_handoff_from_oneself_is_refused(world: ProtocolWorld):
    root = world.root()
    forged = signed_handoff(world, root, to="source")
    with refused(world["source"], RecipientRejection, "by source is for 'source', and reached 'source'"):
        handoffs.accept(world["source"], Bundle(forged))


def test_a_handoff_by_a_stranger_is_refused(world: ProtocolWorld):
    root = world.root()
    packet = Handoff("stranger", WORKFLOW, "middle", (root,))
    bundle = Bundle(world.notary("stranger").sign(packet), (world["source"].envelopes[root],))
    with refused(world["middle"], SignatureRejection, "no public key is known for the issuer 'stranger'"):
        handoffs.accept(world["middle"], bundle)


def test_a_handoff_of_another_workflow_is_refused(world: ProtocolWorld):
    root = world.root()
    packet = Handoff("source", "other-desk", "middle", (root,))
    bundle = Bundle(world.notary("source", "other-desk").sign(packet), (world["source"].envelopes[root],))
    with refused(world["middle"], WorkflowRejection, "is of the workflow 'other-desk', expected 'order-desk'"):
        handoffs.accept(world["middle"], bundle)


def test_a_handoff_whose_own_signature_was_changed_is_refused_even_when_it_was_accepted_before(world: ProtocolWorld):
    bundle = handoffs.prepare(world["source"], [world.root()], MIDDLE)
    handoffs.accept(world["middle"], bundle)
    changed = SignedEnvelope(bundle.packet.payload, "source", bytes(64))
    with refused(world["middle"], SignatureRejection, "does not hold"):
        handoffs.accept(world["middle"], Bundle(changed, bundle.attached))


def test_a_claim_altered_in_transit_rejects_the_whole_handoff(world: ProtocolWorld):
    root, other = world.root(), world.root("root_C", amount(order="C"))
    bundle = handoffs.prepare(world["source"], [root, other], MIDDLE)
    good, bad = bundle.attached
    altered = SignedEnvelope(bad.payload.replace(b"CNY", b"USD"), bad.issuer, bad.signature)
    with refused(world["middle"], SignatureRejection, "does not hold"):
        handoffs.accept(world["middle"], Bundle(bundle.packet, (good, altered)))


def test_a_handoff_that_lacks_its_target_is_refused(world: ProtocolWorld):
    root = world.root()
    bundle = handoffs.prepare(world["source"], [root], MIDDLE)
    text = f"handoff by source targets {root.hex()[:12]}…, which neither came with it nor is held by middle"
    with refused(world["middle"], DependencyRejection, text):
        handoffs.accept(world["middle"], Bundle(bundle.packet))


def test_a_handoff_that_lacks_an_ancestor_is_refused(world: ProtocolWorld):
    root = world.root()
    child = world.issue("source", "child", (root,))
    bundle = handoffs.prepare(world["source"], [child], MIDDLE)
    with refused(world["middle"], DependencyRejection, f"claim 'child' by source builds on {root.hex()[:12]}…"):
        handoffs.accept(world["middle"], Bundle(bundle.packet, bundle.attached[1:]))


def test_a_handoff_whose_closure_is_out_of_order_is_refused(world: ProtocolWorld):
    root = world.root()
    child = world.issue("source", "child", (root,))
    bundle = handoffs.prepare(world["source"], [child], MIDDLE)
    with refused(world["middle"], DependencyRejection, "claim 'child' by source builds on"):
        handoffs.accept(world["middle"], Bundle(bundle.packet, bundle.attached[::-1]))


def test_a_handoff_that_carries_something_unrelated_is_refused(world: ProtocolWorld):
    root, other = world.root(), world.root("root_C", amount(order="C"))
    bundle = handoffs.prepare(world["source"], [root], MIDDLE)
    extra = Bundle(bundle.packet, (*bundle.attached, world["source"].envelopes[other]))
    text = f"carries 1 claims its targets do not derive from, {other.hex()[:12]}… among them"
    with refused(world["middle"], DependencyRejection, text):
        handoffs.accept(world["middle"], extra)


def test_a_handoff_that_carries_a_claim_twice_is_refused(world: ProtocolWorld):
    bundle = handoffs.prepare(world["source"], [world.root()], MIDDLE)
    with refused(world["middle"], DuplicateRejection, "comes twice"):
        handoffs.accept(world["middle"], Bundle(bundle.packet, bundle.attached * 2))


def test_a_handoff_that_names_a_target_twice_is_refused(world: ProtocolWorld):
    root = world.root()
    forged = Bundle(signed_handoff(world, root, root), (world["source"].envelopes[root],))
    with refused(world["middle"], DuplicateRejection, "a handoff names the target [0-9a-f]{12}… 2 times"):
        handoffs.accept(world["middle"], forged)


def test_a_handoff_without_targets_is_refused(world: ProtocolWorld):
    with refused(world["middle"], MalformedRejection, "not a handoff: Expected `array` of length >= 1"):
        handoffs.accept(world["middle"], Bundle(signed_handoff(world)))


def test_a_handoff_that_carries_something_that_is_no_claim_is_refused(world: ProtocolWorld):
    bundle = handoffs.prepare(world["source"], [world.root()], MIDDLE)
    with refused(world["middle"], MalformedRejection, "packet by 'source' is not a claim"):
        handoffs.accept(world["middle"], Bundle(bundle.packet, (bundle.packet, *bundle.attached)))


def test_a_handoff_of_a_claim_its_issuer_had_no_authority_for_is_refused(world: ProtocolWorld):
    root = world["mallory"].notary.sign(Claim("mallory", WORKFLOW, "root_A", (), "relay", "total_charge", amount()))
    forged = Bundle(signed_handoff(world, root.id, sender="mallory"), (root,))
    with refused(world["middle"], AuthorityRejection, "by 'mallory', expected the authority 'source'"):
        handoffs.accept(world["middle"], forged)


# --- acknowledging ---------------------------------------------------------------------------------------------


@pytest.fixture
def delivered(world: ProtocolWorld) -> tuple[ProtocolWorld, HandoffReceipt, SignedEnvelope]:
    """A handoff from source to middle whose receipt has not come back yet."""
    bundle = handoffs.prepare(world["source"], [world.root()], MIDDLE)
    received = handoffs.accept(world["middle"], bundle)
    return world, received.receipt, received.receipt_envelope


def receipt_with(receipt: HandoffReceipt, **changes: Any) -> HandoffReceipt:
    """Return *receipt* with some fields changed."""
    fields = {name: getattr(receipt, name) for name in HandoffReceipt.__struct_fields__}
    return HandoffReceipt(**{**fields, **changes})


def test_an_acknowledged_receipt_is_stored_once_and_authorizes_nothing(delivered: Any):
    world, receipt, envelope = delivered
    view = world["source"]
    assert handoffs.acknowledge(view, envelope) == receipt
    assert view.sent[receipt.handoff].status == "accepted"
    before = snapshot(view)
    assert handoffs.acknowledge(view, envelope) == receipt
    assert snapshot(view) == before


def test_a_receipt_for_a_handoff_never_sent_is_refused(delivered: Any):
    world, _, envelope = delivered
    with refused(world["receiver"], BindingRejection, r"receipt is for the handoff .*, which receiver never sent"):
        handoffs.acknowledge(world["receiver"], envelope)


def test_a_receipt_by_somebody_else_than_the_recipient_is_refused(delivered: Any):
    world, receipt, _ = delivered
    forged = world["mallory"].notary.sign(receipt_with(receipt, issuer="mallory"))
    with refused(world["source"], BindingRejection, "handoff receipt is by 'mallory', expected 'middle'"):
        handoffs.acknowledge(world["source"], forged)


WRONG_RECEIPTS = {
    "it names another sender": ({"sender": "buyer"}, "receipt names the sender 'buyer', expected 'source'"),
    "accepted with blocked claims": (
        {"blocked": ((number(1), (number(2),)),)},
        "receipt is 'accepted' but lists 1 blocked claims",
    ),
    "a blocked claim that was no target": (
        {"status": "blocked", "blocked": ((number(9), (number(8),)),)},
        "expected each blocked one of the 1 targets",
    ),
    "blocked without blocked claims": ({"status": "blocked"}, "receipt is 'blocked' but lists 0 blocked claims"),
}


@pytest.mark.parametrize(("changes", "text"), WRONG_RECEIPTS.values(), ids=WRONG_RECEIPTS)
def test_a_receipt_that_contradicts_itself_or_the_handoff_is_refused(delivered: Any, changes: Any, text: str):
    world, receipt, _ = delivered
    forged = world["middle"].notary.sign(receipt_with(receipt, **changes))
    with refused(world["source"], BindingRejection, text):
        handoffs.acknowledge(world["source"], forged)


def test_a_receipt_of_another_status_is_refused(delivered: Any):
    world, receipt, _ = delivered
    forged = world["middle"].notary.sign(receipt_with(receipt, status="maybe"))
    with refused(world["source"], MalformedRejection, "not a handoff_receipt: Invalid enum value 'maybe'"):
        handoffs.acknowledge(world["source"], forged)


def test_a_second_different_receipt_is_a_conflict(delivered: Any):
    world, receipt, envelope = delivered
    handoffs.acknowledge(world["source"], envelope)
    other = world["middle"].notary.sign(receipt_with(receipt, sequence=receipt.sequence + 1))
    with refused(world["source"], ConflictRejection, "middle signed two receipts for the handoff"):
        handoffs.acknowledge(world["source"], other)


def test_two_heads_for_one_length_of_a_journal_are_a_fork(delivered: Any):
    world, receipt, envelope = delivered
    handoffs.acknowledge(world["source"], envelope)
    second = handoffs.prepare(world["source"], [world.root("root_C", amount(order="C"))], MIDDLE)
    forked = world["middle"].notary.sign(receipt_with(receipt, handoff=second.packet.id, head=number(7)))
    text = f"middle signed two heads of its journal at length {receipt.sequence}: .* and 000000000000…"
    with refused(world["source"], ConflictRejection, text):
        handoffs.acknowledge(world["source"], forked)


def test_a_receipt_names_its_handoff_by_every_byte(delivered: Any):
    world, _, envelope = delivered
    for index in range(len(envelope.payload)):
        changed = bytearray(envelope.payload)
        changed[index] ^= 0x01
        with refused(world["source"], SignatureRejection, "does not hold"):
            handoffs.acknowledge(world["source"], SignedEnvelope(bytes(changed), "middle", envelope.signature))


def test_the_receipt_of_the_recipient_can_be_found_again(world: ProtocolWorld):
    handoff_id = world.hand("source", "middle", world.root())
    assert receipt_of(world["middle"], handoff_id).sequence == world["middle"].journal.length
