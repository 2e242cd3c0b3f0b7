"""Notices of revocations and disputes: along the handoffs, hop by hop, receipted, never twice."""

from typing import Any

import pytest

from mast.errors import (
    BindingRejection,
    ConflictRejection,
    DuplicateRejection,
    MalformedRejection,
    RecipientRejection,
    SignatureRejection,
)
from mast.ids import ClaimId, OrganizationName, PacketId
from mast.protocol import handoffs, notices
from mast.protocol.packets import Bundle, Notice, NoticeReceipt
from tests.protocol_world import WORKFLOW, ProtocolWorld, amount, number, refused, snapshot
from trustrail.foundation import SignedEnvelope


class Story:
    """source -> middle -> receiver; middle's own claim is revoked, or the root disputed by middle."""

    def __init__(self, world: ProtocolWorld, about: notices.Subject) -> None:
        self.world = world
        self.about: notices.Subject = about
        self.root, self.relayed = world.chain()
        (self.handoff,) = world["receiver"].received
        if about == "revocation":
            self.claim = self.relayed
            self.proof = Bundle(world.revoke("middle", self.relayed))
        else:
            self.claim = self.root
            self.proof = world.dispute("middle", self.root)

    def queued(self) -> Bundle:
        """Queue the notice to receiver and return it."""
        (notice_id,) = notices.queue(self.world["middle"], self.about, self.claim)
        return self.world["middle"].notices[notice_id].bundle

    def signed(self, signer: str = "middle", attached: Any = None, **changes: Any) -> Bundle:
        """Sign a notice with some fields changed."""
        fields = {
            "issuer": signer,
            "workflow": WORKFLOW,
            "recipient": "receiver",
            "about": self.about,
            "claim": self.claim,
            "proof": self.proof.packet.id,
            "handoffs": (self.handoff,),
        }
        packet = self.world[signer].notary.sign(Notice(**{**fields, **changes}))
        return Bundle(packet, (self.proof.packet, *self.proof.attached) if attached is None else attached)


@pytest.fixture(params=["revocation", "dispute"])
def story(request: pytest.FixtureRequest, world: ProtocolWorld) -> Story:
    return Story(world, request.param)


# --- queueing --------------------------------------------------------------------------------------------------


def test_whoever_learns_it_tells_the_recipients_of_its_handoffs(story: Story):
    bundle = story.queued()
    notice = story.world["receiver"].notary.read(bundle.packet, Notice)
    assert (notice.recipient, notice.claim, notice.handoffs) == ("receiver", story.claim, (story.handoff,))
    assert bundle.attached == (story.proof.packet, *story.proof.attached)


def test_the_same_news_is_never_queued_twice(story: Story):
    story.queued()
    before = snapshot(story.world["middle"])
    assert notices.queue(story.world["middle"], story.about, story.claim) == []
    assert snapshot(story.world["middle"]) == before


def test_news_about_a_claim_that_was_never_handed_on_goes_nowhere(world: ProtocolWorld):
    root = world.root()
    world.revoke("source", root)
    assert notices.queue(world["source"], "revocation", root) == []


def test_a_handoff_whose_receipt_was_lost_still_counts(world: ProtocolWorld):
    root = world.root()
    handoffs.prepare(world["source"], [root], OrganizationName("middle"))
    world.revoke("source", root)
    (notice_id,) = notices.queue(world["source"], "revocation", root)
    assert world["source"].notices[notice_id].recipient == "middle"


def test_each_recipient_gets_one_notice_naming_all_its_handoffs_sorted(world: ProtocolWorld):
    root = world.root()
    child = world.issue("source", "child", (root,))
    to_middle = sorted([world.hand("source", "middle", root), world.hand("source", "middle", child)])
    to_buyer = world.hand("source", "buyer", child)
    world.hand("source", "receiver", world.root("root_C", amount(order="C")))
    world.revoke("source", root)
    queued = notices.queue(world["source"], "revocation", root)
    read = [notices.read_own(world["source"], notice_id) for notice_id in queued]
    assert [(notice.recipient, list(notice.handoffs)) for notice in read] == [
        ("buyer", [to_buyer]),
        ("middle", to_middle),
    ]


def test_a_notice_stays_pending_until_its_receipt(story: Story):
    bundle = story.queued()
    notice_id = PacketId(bundle.packet.id)
    assert notices.pending(story.world["middle"], notice_id)
    _, receipt = notices.accept(story.world["receiver"], bundle)
    notices.acknowledge(story.world["middle"], receipt)
    assert not notices.pending(story.world["middle"], notice_id)


# --- accepting -------------------------------------------------------------------------------------------------


def test_an_accepted_notice_is_applied_receipted_and_leads_to_ones_own(story: Story):
    world = story.world
    onward = world.hand("receiver", "buyer", story.relayed)
    notice, receipt = notices.accept(world["receiver"], story.queued())
    assert not world["receiver"].graph.stands(story.relayed)
    packet = world["middle"].notary.read(receipt, NoticeReceipt)
    assert (packet.sender, packet.claim, packet.proof) == ("middle", story.claim, story.proof.packet.id)
    assert (packet.sequence, packet.head) == (world["receiver"].journal.length, world["receiver"].journal.head)
    (queued,) = notices.queue(world["receiver"], notice.about, ClaimId(notice.claim))
    assert notices.read_own(world["receiver"], queued).handoffs == (onward,)


def test_a_notice_delivered_again_returns_the_stored_receipt_and_adds_no_event(story: Story):
    bundle = story.queued()
    _, first = notices.accept(story.world["receiver"], bundle)
    before = snapshot(story.world["receiver"])
    _, second = notices.accept(story.world["receiver"], bundle)
    assert second is first
    assert snapshot(story.world["receiver"]) == before


def test_a_notice_for_somebody_else_is_refused(story: Story):
    with refused(story.world["buyer"], RecipientRejection, "notice by middle is for 'receiver', and reached 'buyer'"):
        notices.accept(story.world["buyer"], story.queued())


def test_a_notice_that_names_a_handoff_twice_is_refused(story: Story):
    with refused(story.world["receiver"], DuplicateRejection, "notice by middle names the handoff [0-9a-f]{12}… twice"):
        notices.accept(story.world["receiver"], story.signed(handoffs=(story.handoff, story.handoff)))


def test_a_notice_without_a_handoff_is_refused(story: Story):
    with refused(story.world["receiver"], MalformedRejection, "not a notice: Expected `array` of length >= 1"):
        notices.accept(story.world["receiver"], story.signed(handoffs=()))


def test_a_notice_about_a_handoff_never_received_is_refused(story: Story):
    with refused(story.world["receiver"], BindingRejection, "names the handoff 000000000000…, not received here"):
        notices.accept(story.world["receiver"], story.signed(handoffs=(number(1),)))


def test_a_notice_by_somebody_else_than_the_sender_of_the_handoff_is_refused(story: Story):
    with refused(story.world["receiver"], BindingRejection, "notice by mallory names a handoff that middle sent"):
        notices.accept(story.world["receiver"], story.signed("mallory"))


def test_a_notice_about_a_claim_the_handoff_does_not_contain_is_refused(story: Story):
    world = story.world
    other = world.root("root_C", amount(order="C"))
    handoff = world.hand("source", "receiver", other)
    # The route is real, but what it carried does not derive from the claim.
    bundle = story.signed("source", handoffs=(handoff,))
    with refused(world["receiver"], BindingRejection, rf"which the handoff {handoff.hex()[:12]}… does not contain"):
        notices.accept(world["receiver"], bundle)


def test_a_notice_about_a_claim_never_held_is_refused(story: Story):
    with refused(story.world["receiver"], BindingRejection, "is about 000000000000…, which the handoff"):
        notices.accept(story.world["receiver"], story.signed(claim=number(1)))


@pytest.mark.parametrize("beside", [(), "twice"], ids=["no proof", "the proof twice"])
def test_a_notice_that_does_not_carry_exactly_its_proof_is_refused(story: Story, beside: Any):
    attached = (story.proof.packet, *story.proof.attached) * 2 if beside == "twice" else ()
    with refused(story.world["receiver"], BindingRejection, "does not carry exactly the proof"):
        notices.accept(story.world["receiver"], story.signed(attached=attached))


def test_a_notice_with_another_proof_than_it_names_is_refused(story: Story):
    with refused(story.world["receiver"], BindingRejection, "does not carry exactly the proof 000000000000…"):
        notices.accept(story.world["receiver"], story.signed(proof=number(1)))


def test_a_notice_whose_proof_is_about_another_claim_is_refused(world: ProtocolWorld):
    story = Story(world, "revocation")
    bundle = story.signed(claim=story.root)
    text = f"is about {story.root.hex()[:12]}…, its proof about {story.relayed.hex()[:12]}…"
    with refused(world["receiver"], BindingRejection, text):
        notices.accept(world["receiver"], bundle)


def test_a_notice_that_calls_a_revocation_a_dispute_is_refused(world: ProtocolWorld):
    story = Story(world, "revocation")
    attached = (story.proof.packet, story.proof.packet)
    with refused(world["receiver"], MalformedRejection, "is not a fact_query"):
        notices.accept(world["receiver"], story.signed(about="dispute", attached=attached))


def test_a_notice_whose_proof_was_tampered_with_is_refused(story: Story):
    first = story.proof.packet
    broken = SignedEnvelope(first.payload, first.issuer, bytes(64))
    with refused(story.world["receiver"], SignatureRejection, "does not hold"):
        notices.accept(story.world["receiver"], story.signed(attached=(broken, *story.proof.attached)))


def test_a_notice_that_was_tampered_with_is_refused_even_after_it_was_accepted(story: Story):
    bundle = story.queued()
    notices.accept(story.world["receiver"], bundle)
    broken = SignedEnvelope(bundle.packet.payload, "middle", bytes(64))
    with refused(story.world["receiver"], SignatureRejection, "does not hold"):
        notices.accept(story.world["receiver"], Bundle(broken, bundle.attached))


def test_two_organizations_that_handed_a_claim_to_each_other_tell_each_other_once(world: ProtocolWorld):
    _, relayed = world.chain()
    world.hand("receiver", "middle", relayed)
    world.revoke("middle", relayed)
    sent = 0
    waiting = [("middle", notice_id) for notice_id in notices.queue(world["middle"], "revocation", relayed)]
    while waiting:
        owner, notice_id = waiting.pop()
        sent += 1
        queued = world[owner].notices[notice_id]
        notice, receipt = notices.accept(world[queued.recipient], queued.bundle)
        notices.acknowledge(world[owner], receipt)
        waiting += [
            (queued.recipient, new)
            for new in notices.queue(world[queued.recipient], "revocation", ClaimId(notice.claim))
        ]
    assert sent == 2
    assert not any(
        notices.pending(world[name], notice) for name in ("middle", "receiver") for notice in world[name].notices
    )


# --- acknowledging ---------------------------------------------------------------------------------------------


@pytest.fixture
def answered(story: Story) -> tuple[Story, NoticeReceipt, SignedEnvelope]:
    _, envelope = notices.accept(story.world["receiver"], story.queued())
    return story, story.world["middle"].notary.read(envelope, NoticeReceipt), envelope


def receipt_with(receipt: NoticeReceipt, **changes: Any) -> NoticeReceipt:
    fields = {name: getattr(receipt, name) for name in NoticeReceipt.__struct_fields__}
    return NoticeReceipt(**{**fields, **changes})


def test_a_receipt_that_comes_again_changes_nothing(answered: Any):
    story, _, envelope = answered
    notices.acknowledge(story.world["middle"], envelope)
    before = snapshot(story.world["middle"])
    notices.acknowledge(story.world["middle"], envelope)
    assert snapshot(story.world["middle"]) == before


def test_a_receipt_for_a_notice_never_sent_is_refused(answered: Any):
    story, _, envelope = answered
    with refused(story.world["source"], BindingRejection, "which source never sent"):
        notices.acknowledge(story.world["source"], envelope)


def test_a_receipt_by_somebody_else_is_refused(answered: Any):
    story, receipt, _ = answered
    forged = story.world["mallory"].notary.sign(receipt_with(receipt, issuer="mallory"))
    with refused(story.world["middle"], BindingRejection, "notice receipt is by 'mallory', expected 'receiver'"):
        notices.acknowledge(story.world["middle"], forged)


@pytest.mark.parametrize("changes", [{"sender": "source"}, {"claim": number(1)}, {"proof": number(1)}], ids=str)
def test_a_rebound_receipt_is_refused(answered: Any, changes: dict[str, Any]):
    story, receipt, _ = answered
    forged = story.world["receiver"].notary.sign(receipt_with(receipt, **changes))
    with refused(story.world["middle"], BindingRejection, "receipt by receiver is for .*, expected 'middle' about"):
        notices.acknowledge(story.world["middle"], forged)


def test_a_second_different_receipt_is_a_conflict(answered: Any):
    story, receipt, envelope = answered
    notices.acknowledge(story.world["middle"], envelope)
    other = story.world["receiver"].notary.sign(receipt_with(receipt, sequence=receipt.sequence + 1))
    with refused(story.world["middle"], ConflictRejection, "receiver signed two receipts for the notice"):
        notices.acknowledge(story.world["middle"], other)


def test_a_receipt_that_shows_a_forked_journal_is_a_conflict(answered: Any):
    story, receipt, _ = answered
    known = story.world["middle"].heads["receiver"]
    (length,) = known
    forged = story.world["receiver"].notary.sign(receipt_with(receipt, sequence=length, head=number(9)))
    with refused(story.world["middle"], ConflictRejection, f"two heads of its journal at length {length}"):
        notices.acknowledge(story.world["middle"], forged)
