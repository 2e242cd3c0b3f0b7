"""Confirmed revisions: by the original issuer alone, once the authority agrees, and never before."""

from typing import Any

import pytest

from mast.errors import (
    AuthorityRejection,
    BindingRejection,
    BlockedRejection,
    DependencyRejection,
    DerivationRejection,
    MalformedRejection,
    RecoveryRejection,
    SignatureRejection,
)
from mast.ids import ClaimId
from mast.protocol import claims, facts, revisions
from mast.protocol.packets import Bundle, Claim, FactQuery, FactReply, RevisionOffer
from tests.protocol_world import WORKFLOW, Entry, ProtocolWorld, amount, number, refused, snapshot
from trustrail.foundation import SignedEnvelope


class Story:
    """The root says 12,800, the record says 15,600; source knows the dispute and corrects itself."""

    def __init__(self, world: ProtocolWorld) -> None:
        self.world = world
        self.root, self.relayed = world.chain()
        self.dispute = world.dispute("source", self.root)
        for name in ("middle", "receiver"):
            facts.apply_dispute(world[name], self.root, self.dispute)

    @property
    def source(self) -> Any:
        return self.world["source"]

    def draft(self, value: Any = None) -> revisions.Draft:
        return revisions.draft(self.source, self.root, value or amount(15_600))

    def confirmed(self, draft: revisions.Draft, now: int = 20) -> tuple[SignedEnvelope, SignedEnvelope]:
        question = revisions.ask_confirmation(self.source, draft, number(5))
        return question.packet, facts.reply(self.world["buyer"], self.world.registry, question, now)

    def offer(self) -> Bundle:
        draft = self.draft()
        return revisions.publish(self.source, draft, *self.confirmed(draft), 20)

    def changed(self, offer: Bundle, *, attached: Any = None, signer: str = "source", **changes: Any) -> Bundle:
        """Sign the offer again with some fields or packets changed."""
        packet = self.source.notary.read(offer.packet, RevisionOffer)
        fields = {name: getattr(packet, name) for name in RevisionOffer.__struct_fields__}
        signed = self.world[signer].notary.sign(RevisionOffer(**{**fields, "issuer": signer, **changes}))
        return Bundle(signed, offer.attached if attached is None else attached)


@pytest.fixture
def story(world: ProtocolWorld) -> Story:
    return Story(world)


# --- drafting and publishing -----------------------------------------------------------------------------------


def test_a_draft_is_signed_and_nothing_is_committed(story: Story):
    before = snapshot(story.source)
    draft = story.draft()
    assert snapshot(story.source) == before
    assert (draft.claim.name, draft.claim.revision, draft.claim.supersedes) == ("root_A", 2, story.root)
    assert (draft.claim.parents, draft.claim.rule, draft.claim.value) == ((), "relay", amount(15_600))


def test_a_confirmed_revision_revokes_the_old_claim_and_holds_the_new_one(story: Story):
    draft = story.draft()
    bundle = revisions.publish(story.source, draft, *story.confirmed(draft), 20)
    assert story.root in story.source.revocations
    assert story.root in story.source.disputes
    assert story.source.graph.stands(ClaimId(draft.envelope.id))
    assert story.source.latest["root_A"] == draft.envelope.id
    assert {envelope.id for envelope in bundle.attached} >= {draft.envelope.id, story.source.revocations[story.root].id}


@pytest.mark.parametrize(
    ("entry", "status"),
    [(Entry(15_601), "CONTRADICTED"), (Entry(15_600, confirmed=False), "UNKNOWN")],
    ids=["one cent off", "the record is not confirmed"],
)
def test_without_confirmation_nothing_is_committed(story: Story, entry: Entry, status: str):
    story.world.registry[("A", "CNY")] = entry
    draft = story.draft()
    with refused(
        story.source, RecoveryRejection, f"answered {status} about the revision of 'root_A', expected CONFIRM"
    ):
        revisions.publish(story.source, draft, *story.confirmed(draft), 20)


@pytest.mark.parametrize("now", [19, 320])
def test_a_confirmation_outside_its_time_does_not_count(story: Story, now: int):
    draft = story.draft()
    with refused(story.source, RecoveryRejection, "the revision of 'root_A'"):
        revisions.publish(story.source, draft, *story.confirmed(draft, now=20), now)


def test_a_confirmation_of_another_candidate_does_not_count(story: Story):
    draft = story.draft()
    query, answer = story.confirmed(draft)
    with refused(story.source, BindingRejection, "fact reply answers"):
        revisions.publish(story.source, story.draft({**amount(15_600)} | {"cents": 15_599}), query, answer, 20)


NOT_DRAFTED = {
    "in another order": (amount(15_600, order="C"), "revision of 'root_A' has order 'C', expected 'A'"),
    "in another currency": (amount(15_600, currency="USD"), "has currency 'USD', expected 'CNY'"),
    "without an order": ({"cents": 1, "currency": "CNY"}, "has order None, expected 'A'"),
    "for an operation": ({**amount(15_600), "operation": "pay"}, "has operation 'pay', expected None"),
}


@pytest.mark.parametrize(("value", "text"), NOT_DRAFTED.values(), ids=NOT_DRAFTED)
def test_a_revision_may_not_change_what_the_claim_is_about(story: Story, value: Any, text: str):
    with refused(story.source, RecoveryRejection, text):
        story.draft(value)


def test_a_value_without_a_canonical_form_is_not_drafted(story: Story):
    with refused(story.source, MalformedRejection, "expected an integer within"):
        story.draft(amount(2**53))


def test_only_the_issuer_may_revise(story: Story):
    with refused(story.world["middle"], AuthorityRejection, "middle cannot revise 'root_A', which source issued"):
        revisions.draft(story.world["middle"], story.root, amount(15_600))


def test_a_claim_that_is_not_held_cannot_be_revised(story: Story):
    with refused(story.source, DependencyRejection, "source cannot revise 000000000000…, which it does not hold"):
        revisions.draft(story.source, ClaimId(number(1)), amount())


def test_a_claim_that_is_not_disputed_cannot_be_revised(world: ProtocolWorld):
    root = world.root()
    with refused(world["source"], RecoveryRejection, "'root_A' is not disputed, so there is nothing to confirm"):
        revisions.draft(world["source"], root, amount(15_600))


def test_a_claim_that_was_revised_already_cannot_be_revised_again(story: Story):
    story.offer()
    with refused(story.source, RecoveryRejection, "'root_A' is revoked already; an offer for it has been made"):
        story.draft()


def test_a_derived_claim_cannot_be_revised_to_what_does_not_follow(world: ProtocolWorld):
    _, relayed = world.chain()
    world.dispute("middle", relayed)
    with refused(
        world["middle"], DerivationRejection, r"claim 'shared_A' states .*15600.*, expected .*12800.* by relay"
    ):
        revisions.draft(world["middle"], relayed, amount(15_600))


def test_a_claim_below_a_withdrawn_one_cannot_be_revised(world: ProtocolWorld):
    root, relayed = world.chain()
    world.dispute("middle", relayed)
    world["middle"].graph.withdraw(root)
    with refused(world["middle"], BlockedRejection, f"its parent {root.hex()[:12]}… does not stand"):
        revisions.draft(world["middle"], relayed, amount(15_600))


# --- reading and adopting --------------------------------------------------------------------------------------


def test_whoever_holds_the_old_claim_can_check_the_offer_and_adopt_it(story: Story):
    bundle = story.offer()
    for name in ("middle", "receiver"):
        view = story.world[name]
        before = snapshot(view)
        offer = revisions.read_offer(view, bundle)
        assert snapshot(view) == before
        revisions.adopt(view, offer)
        assert story.root in view.revocations
        assert view.latest["root_A"] == offer.packet.new
        assert view.graph.stands(ClaimId(offer.packet.new))
        again = snapshot(view)
        revisions.adopt(view, offer)
        assert snapshot(view) == again


def test_an_offer_for_a_claim_that_is_not_held_is_refused(story: Story):
    text = f"offer by source revises {story.root.hex()[:12]}…, not held by mallory"
    with refused(story.world["mallory"], DependencyRejection, text):
        revisions.read_offer(story.world["mallory"], story.offer())


def test_an_offer_without_a_packet_it_names_is_refused(story: Story):
    bundle = story.offer()
    for index, missing in enumerate(bundle.attached):
        attached = bundle.attached[:index] + bundle.attached[index + 1 :]
        text = f"offer by source names {missing.id.hex()[:12]}…, which did not come with it"
        with refused(story.world["receiver"], DependencyRejection, text):
            revisions.read_offer(story.world["receiver"], Bundle(bundle.packet, attached))


def test_an_offer_with_a_packet_whose_signature_is_broken_is_refused(story: Story):
    bundle = story.offer()
    for index, packet in enumerate(bundle.attached):
        broken = SignedEnvelope(packet.payload, packet.issuer, bytes(64))
        attached = (*bundle.attached[:index], broken, *bundle.attached[index + 1 :])
        with refused(story.world["receiver"], SignatureRejection, "does not hold"):
            revisions.read_offer(story.world["receiver"], Bundle(bundle.packet, attached))


def test_an_offer_by_somebody_else_is_refused(story: Story):
    forged = story.changed(story.offer(), signer="mallory")
    text = "offer by 'mallory' replaces a claim of 'source' by one of 'source'; expected one issuer"
    with refused(story.world["receiver"], AuthorityRejection, text):
        revisions.read_offer(story.world["receiver"], forged)


def replacement(story: Story, **changes: Any) -> SignedEnvelope:
    """Sign a replacement of the root with some fields changed."""
    fields = {
        "issuer": "source",
        "workflow": WORKFLOW,
        "name": "root_A",
        "parents": (),
        "rule": "relay",
        "predicate": "total_charge",
        "value": amount(15_600),
        "revision": 2,
        "supersedes": story.root,
    }
    return story.world[str(changes.get("issuer", "source"))].notary.sign(Claim(**{**fields, **changes}))


WRONG_REPLACEMENTS = {
    "superseding something else": ({"supersedes": number(1)}, BindingRejection, "does not replace"),
    "superseding nothing": ({"supersedes": None}, BindingRejection, "does not replace"),
    "under another rule": ({"rule": "sum_charges"}, BindingRejection, "under the same derivation"),
    "about another predicate": (
        {"predicate": "charge/goods"},
        RecoveryRejection,
        "states charge/goods, expected total_",
    ),
    "in another order": ({"value": amount(15_600, order="C")}, RecoveryRejection, "has order 'C', expected 'A'"),
    "of another name": (
        {"name": "root_C"},
        BindingRejection,
        "claim 'root_C' of revision 2 replaces 'root_A' of revis",
    ),
    "of a revision far ahead": ({"revision": 900}, BindingRejection, "expected the same name and revision 2"),
    "by another issuer": ({"issuer": "mallory"}, AuthorityRejection, "by one of 'mallory'; expected one issuer"),
}


@pytest.mark.parametrize(("changes", "rejection", "text"), WRONG_REPLACEMENTS.values(), ids=WRONG_REPLACEMENTS)
def test_an_offer_of_a_wrong_replacement_is_refused(story: Story, changes: Any, rejection: Any, text: str):
    bundle = story.offer()
    wrong = replacement(story, **changes)
    forged = story.changed(bundle, attached=(*bundle.attached, wrong), new=wrong.id)
    with refused(story.world["receiver"], rejection, text):
        revisions.read_offer(story.world["receiver"], forged)


def test_an_offer_with_other_parents_is_refused(story: Story):
    world = story.world
    other = world.root("root_C", amount())
    world.hand("source", "receiver", other)
    bundle = story.offer()
    wrong = replacement(story, parents=(other,), value=amount())
    forged = story.changed(bundle, attached=(*bundle.attached, wrong), new=wrong.id)
    with refused(world["receiver"], BindingRejection, "under the same derivation"):
        revisions.read_offer(world["receiver"], forged)


def test_an_offer_with_the_revocation_of_another_claim_is_refused(story: Story):
    other = story.world.root("root_C", amount(order="C"))
    revocation = story.world.revoke("source", other)
    bundle = story.offer()
    forged = story.changed(bundle, attached=(*bundle.attached, revocation), revocation=revocation.id)
    with refused(story.world["receiver"], BindingRejection, "carries the revocation of another claim"):
        revisions.read_offer(story.world["receiver"], forged)


@pytest.mark.parametrize("left_out", ["dispute", "confirmation"])
def test_a_disputed_claim_needs_a_resolution(story: Story, left_out: str):
    forged = story.changed(story.offer(), **{left_out: None})
    with refused(story.world["receiver"], RecoveryRejection, "is disputed here, and the offer does not resolve"):
        revisions.read_offer(story.world["receiver"], forged)


def test_who_knows_no_dispute_accepts_an_offer_without_a_resolution(story: Story):
    world = story.world
    world.hand("source", "mallory", world.root("root_B", amount(order="B")))
    claims.hold_all(world["mallory"], claims.admit(world["mallory"], [story.source.envelopes[story.root]]))
    forged = story.changed(story.offer(), dispute=None, confirmation=None)
    assert revisions.read_offer(world["mallory"], forged).packet.old == story.root


class Confirmation:
    """An honest offer whose confirmation is then replaced by another."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.bundle = story.offer()
        self.packet = story.source.notary.read(self.bundle.packet, RevisionOffer)
        self.candidate = next(item for item in self.bundle.attached if item.id == self.packet.new)

    def asked(self, signer: str = "source", **changes: Any) -> SignedEnvelope:
        fields = {
            "issuer": signer,
            "workflow": WORKFLOW,
            "authority": "buyer",
            "scope": facts.SCOPE,
            "claim": self.packet.new,
            "purpose": revisions.intent(self.packet.old, self.packet.new),
            "challenge": number(6),
        }
        return self.story.world[signer].notary.sign(FactQuery(**{**fields, **changes}))

    def answered(self, asked: SignedEnvelope, signer: str = "buyer", **changes: Any) -> SignedEnvelope:
        fields = {
            "issuer": signer,
            "workflow": WORKFLOW,
            "query": asked.id,
            "scope": facts.SCOPE,
            "claim": self.packet.new,
            "status": "CONFIRMED",
            "version": "v1",
            "issued_at": 20,
            "expires_at": 320,
        }
        return self.story.world[signer].notary.sign(FactReply(**{**fields, **changes}))

    def offer(self, query: SignedEnvelope, answer: SignedEnvelope, **changes: Any) -> Bundle:
        attached = (*self.bundle.attached, query, answer)
        return self.story.changed(self.bundle, attached=attached, confirmation=(query.id, answer.id), **changes)


@pytest.fixture
def confirmation(story: Story) -> Confirmation:
    return Confirmation(story)


def test_another_honest_confirmation_is_as_good(confirmation: Confirmation):
    query = confirmation.asked()
    bundle = confirmation.offer(query, confirmation.answered(query))
    assert revisions.read_offer(confirmation.story.world["receiver"], bundle).packet.old == confirmation.story.root


WRONG_CONFIRMATIONS = {
    "asked by somebody else": (
        {"signer": "mallory"},
        {},
        BindingRejection,
        "fact query is by 'mallory', expected 'source'",
    ),
    "asked about another claim": (
        {"claim": number(1)},
        {},
        BindingRejection,
        "confirmation was asked for 000000000000…",
    ),
    "asked for another purpose": ({"purpose": number(1)}, {}, BindingRejection, "confirmation was asked for"),
    "asked of another authority": (
        {"authority": "mallory"},
        {},
        BindingRejection,
        "asked of 'mallory' in .*, expected 'buyer'",
    ),
    "asked in another scope": ({"scope": "weather"}, {}, BindingRejection, "asked of 'buyer' in 'weather', expected"),
    "answered by somebody else": (
        {},
        {"signer": "mallory"},
        BindingRejection,
        "fact reply is by 'mallory', expected 'bu",
    ),
    "answered to another question": ({}, {"query": number(1)}, BindingRejection, "fact reply answers 000000000000…"),
    "answered about another claim": ({}, {"claim": number(1)}, BindingRejection, "about 000000000000…"),
    "contradicted": ({}, {"status": "CONTRADICTED"}, RecoveryRejection, "was CONTRADICTED when checked at tick 20"),
    "unknown": ({}, {"status": "UNKNOWN", "version": None}, RecoveryRejection, "was UNKNOWN when checked at tick 20"),
    "issued after it was checked": ({}, {"issued_at": 21}, RecoveryRejection, "when checked at tick 20"),
    "expired when it was checked": ({}, {"issued_at": 0, "expires_at": 20}, RecoveryRejection, "checked at tick 20"),
}


@pytest.mark.parametrize(("ask", "reply", "rejection", "text"), WRONG_CONFIRMATIONS.values(), ids=WRONG_CONFIRMATIONS)
def test_an_offer_whose_confirmation_does_not_bind_is_refused(
    confirmation: Confirmation, ask: Any, reply: Any, rejection: Any, text: str
):
    query = confirmation.asked(**ask)
    bundle = confirmation.offer(query, confirmation.answered(query, **reply))
    with refused(confirmation.story.world["receiver"], rejection, text):
        revisions.read_offer(confirmation.story.world["receiver"], bundle)


def test_a_confirmation_for_one_claim_does_not_serve_another(confirmation: Confirmation):
    """The intent binds the old claim too: the same candidate cannot be passed off as another claim's revision."""
    assert revisions.intent(number(1), number(2)) != revisions.intent(number(2), number(1))
    assert revisions.intent(number(1), number(2)) != revisions.intent(number(3), number(2))
