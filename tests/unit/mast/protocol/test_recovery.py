"""Recovery: the envelope of a refused task, its frontier, and rebuilding by the original issuers, parents first."""

from collections.abc import Mapping
from typing import Any

import pytest

from mast.errors import (
    AuthorityRejection,
    BindingRejection,
    BlockedRejection,
    DependencyRejection,
    DuplicateRejection,
    MalformedRejection,
    RecoveryRejection,
)
from mast.ids import ClaimId
from mast.protocol import claims, facts, recovery, revisions
from mast.protocol.packets import Bundle, Claim, Outcome, RecoveryEnvelope, RevisionOffer
from tests.protocol_world import WORKFLOW, ProtocolWorld, amount, number, refused, snapshot
from trustrail.foundation import SignedEnvelope

SERVED = {"receiver"}


class Story:
    """source -> middle -> buyer -> receiver; receiver's task on buyer's claim was refused; source has an offer."""

    def __init__(self, world: ProtocolWorld) -> None:
        self.world = world
        self.root = world.root()
        self.side = world.root("root_side", amount())
        world.hand("source", "middle", self.root, self.side)
        self.first = world.issue("middle", "shared_A", (self.root,))
        world.hand("middle", "buyer", self.first)
        self.second = world.issue("buyer", "branch_A", (self.first,))
        world.hand("buyer", "receiver", self.second)
        self.dispute = world.dispute("source", self.root)
        for name in ("middle", "buyer", "receiver"):
            facts.apply_dispute(world[name], self.root, self.dispute)
        self.offer = self.offered(self.root)
        self.outcome = self.ended()

    def offered(self, old: ClaimId, issuer: str = "source") -> Bundle:
        view = self.world[issuer]
        draft = revisions.draft(view, old, amount(15_600))
        question = revisions.ask_confirmation(view, draft, number(5))
        answer = facts.reply(self.world["buyer"], self.world.registry, question, 20)
        return revisions.publish(view, draft, question.packet, answer, 20)

    def ended(self, signer: str = "receiver", **changes: Any) -> SignedEnvelope:
        view = self.world[signer]
        fields = {
            "issuer": signer,
            "workflow": WORKFLOW,
            "sequence": view.journal.length + 1,
            "head": view.journal.head,
            "stage": "task/A",
            "task": "A",
            "operation": "release",
            "claims": (self.second,),
            "result": "REQUEST_EVIDENCE",
            "reason": "fact_contradicted",
            "replies": (),
        }
        return view.notary.sign(Outcome(**{**fields, **changes}))

    def prepared(self) -> tuple[Bundle, RecoveryEnvelope]:
        bundle = recovery.prepare(self.world["receiver"], self.outcome, [self.offer])
        return bundle, self.world["receiver"].notary.read(bundle.packet, RecoveryEnvelope)

    def changed(self, bundle: Bundle, signer: str = "receiver", attached: Any = None, **changes: Any) -> Bundle:
        packet = self.world["receiver"].notary.read(bundle.packet, RecoveryEnvelope)
        fields = {name: getattr(packet, name) for name in RecoveryEnvelope.__struct_fields__}
        signed = self.world[signer].notary.sign(RecoveryEnvelope(**{**fields, "issuer": signer, **changes}))
        return Bundle(signed, bundle.attached if attached is None else attached)

    def served(self, name: str, bundle: Bundle) -> RecoveryEnvelope:
        return recovery.read_envelope(self.world[name], bundle, SERVED)

    def give(self, sender: str, *recipients: str, claim: ClaimId) -> None:
        for name in recipients:
            view = self.world[name]
            claims.hold_all(view, claims.admit(view, [self.world[sender].envelopes[claim]]))


@pytest.fixture
def story(world: ProtocolWorld) -> Story:
    return Story(world)


# --- the envelope ----------------------------------------------------------------------------------------------


def test_an_envelope_lists_what_is_replaced_and_what_is_to_be_rebuilt_parents_first(story: Story):
    bundle, envelope = story.prepared()
    new = story.world["receiver"].latest["root_A"]
    assert envelope.replaced == ((story.root, new),)
    assert [node[:2] for node in envelope.affected] == [(story.first, "middle"), (story.second, "buyer")]
    assert (envelope.task, envelope.outcome) == ("A", story.outcome.id)
    assert (envelope.action_authorized, envelope.fresh_status_check_still_required) == (False, True)
    assert story.outcome in bundle.attached


def test_preparing_applies_the_offer_to_the_receivers_own_view(story: Story):
    story.prepared()
    view = story.world["receiver"]
    assert story.root in view.revocations
    assert view.graph.stands(view.latest["root_A"])


NOT_RECOVERED = {
    "it completed": ({"result": "COMPLETED"}, RecoveryRejection, "task/A ended COMPLETED; only a refused task"),
    "it may have acted": ({"result": "EFFECT_UNKNOWN"}, RecoveryRejection, "ended EFFECT_UNKNOWN; only a refused task"),
    "the agent held": ({"result": "HELD"}, RecoveryRejection, "ended HELD"),
    "it rests on a claim that is not held": (
        {"claims": (ClaimId(number(7)),)},
        RecoveryRejection,
        "which receiver does not hold",
    ),
    "it was no task": ({"task": None}, RecoveryRejection, "only a refused task is recovered"),
}


@pytest.mark.parametrize(("changes", "rejection", "text"), NOT_RECOVERED.values(), ids=NOT_RECOVERED)
def test_only_a_refused_task_is_recovered(story: Story, changes: Any, rejection: Any, text: str):
    outcome = story.ended(**changes)
    with refused(story.world["receiver"], rejection, text):
        recovery.prepare(story.world["receiver"], outcome, [story.offer])


@pytest.mark.parametrize("result", ["REQUEST_EVIDENCE", "ESCALATE", "BLOCKED"])
def test_every_kind_of_refusal_can_be_recovered(story: Story, result: str):
    recovery.prepare(story.world["receiver"], story.ended(result=result), [story.offer])


def test_somebody_elses_outcome_is_not_recovered(story: Story):
    with refused(story.world["receiver"], BindingRejection, "outcome is by 'mallory', expected 'receiver'"):
        recovery.prepare(story.world["receiver"], story.ended("mallory"), [story.offer])


def test_an_offer_given_twice_is_refused(story: Story):
    with refused(story.world["receiver"], DuplicateRejection, f"two offers revise {story.root.hex()[:12]}…"):
        recovery.prepare(story.world["receiver"], story.outcome, [story.offer, story.offer])


def test_a_task_without_an_offer_is_not_recovered(story: Story):
    with refused(story.world["receiver"], RecoveryRejection, "there is no offer to recover 'A' with"):
        recovery.prepare(story.world["receiver"], story.outcome, [])


def test_an_offer_the_task_does_not_depend_on_is_refused(story: Story):
    world = story.world
    other = world.root("root_C", amount())
    world.hand("source", "receiver", other)
    world.dispute("source", other)
    facts.apply_dispute(world["receiver"], other, world["source"].disputes[other])
    useless = story.offered(other)
    with refused(world["receiver"], RecoveryRejection, f"the offer for {other.hex()[:12]}… is of no use to 'A'"):
        recovery.prepare(world["receiver"], story.outcome, [story.offer, useless])


def test_an_offer_that_fails_its_checks_is_refused(story: Story):
    broken = Bundle(story.offer.packet, story.offer.attached[1:])
    with refused(story.world["receiver"], DependencyRejection, "which did not come with it"):
        recovery.prepare(story.world["receiver"], story.outcome, [broken])


# --- serving an envelope ---------------------------------------------------------------------------------------


def test_an_issuer_that_serves_the_receiver_adopts_the_offers(story: Story):
    bundle, envelope = story.prepared()
    assert story.served("middle", bundle) == envelope
    assert story.world["middle"].graph.stands(story.world["middle"].latest["root_A"])


def test_an_envelope_of_a_receiver_that_is_not_served_is_refused(story: Story):
    bundle, _ = story.prepared()
    text = r"middle serves no recovery of 'receiver'; it serves \['buyer'\]"
    with refused(story.world["middle"], RecoveryRejection, text):
        recovery.read_envelope(story.world["middle"], bundle, {"buyer"})


def test_an_envelope_without_its_outcome_or_offer_is_refused(story: Story):
    bundle, envelope = story.prepared()
    for packet_id, what in ((envelope.outcome, "outcome"), (envelope.offers[0], "offer")):
        attached = tuple(item for item in bundle.attached if item.id != packet_id)
        text = f"envelope by receiver does not carry its {what} {packet_id.hex()[:12]}…"
        with refused(story.world["middle"], DependencyRejection, text):
            story.served("middle", Bundle(bundle.packet, attached))


WRONG_OUTCOMES = {
    "of another task": ({"task": "C"}, BindingRejection, "for 'A' rests on an outcome of receiver for 'C'"),
    "of another organization": ({"signer": "mallory"}, BindingRejection, "rests on an outcome of mallory for 'A'"),
    "that completed": ({"result": "COMPLETED"}, RecoveryRejection, "task 'A' ended COMPLETED, expected one of"),
}


@pytest.mark.parametrize(("changes", "rejection", "text"), WRONG_OUTCOMES.values(), ids=WRONG_OUTCOMES)
def test_an_envelope_that_rests_on_a_wrong_outcome_is_refused(story: Story, changes: Any, rejection: Any, text: str):
    bundle, _ = story.prepared()
    other = story.ended(**changes)
    forged = story.changed(bundle, attached=(*bundle.attached, other), outcome=other.id)
    with refused(story.world["middle"], rejection, text):
        story.served("middle", forged)


def test_an_envelope_that_does_not_use_its_offer_is_refused(story: Story):
    bundle, envelope = story.prepared()
    (old, new), *_ = envelope.replaced
    for replaced in ((), ((old, story.first),), ((number(1), new),)):
        with refused(story.world["middle"], BindingRejection, f"does not use its offer for {old.hex()[:12]}…"):
            story.served("middle", story.changed(bundle, replaced=replaced))


def test_an_envelope_that_replaces_more_than_its_offers_do_is_refused(story: Story):
    """Otherwise a receiver could have an issuer rebuild on any claim it likes."""
    bundle, envelope = story.prepared()
    elsewhere = story.world.root("root_C", amount(order="C"))
    forged = story.changed(bundle, replaced=(*envelope.replaced, (story.first, elsewhere)))
    with refused(story.world["middle"], BindingRejection, r"replaces .*, but carries 1 offers"):
        story.served("middle", forged)


def test_an_envelope_that_names_an_offer_twice_is_refused(story: Story):
    bundle, envelope = story.prepared()
    forged = story.changed(bundle, offers=envelope.offers * 2)
    with refused(story.world["middle"], BindingRejection, "does not use its offer for .* once"):
        story.served("middle", forged)


def test_an_envelope_whose_offers_derive_from_one_another_is_refused(story: Story):
    """Section 7.4: seeds must not be ancestors of each other."""
    view = story.world["middle"]
    with pytest.raises(RecoveryRejection, match="derives from another offered claim"):
        recovery._require_apart(view, {story.root: number(1), story.first: number(2)})
    recovery._require_apart(view, {story.root: number(1)})


@pytest.mark.parametrize(
    "changes", [{"action_authorized": True}, {"fresh_status_check_still_required": False}, {"offers": ()}], ids=str
)
def test_an_envelope_that_authorizes_anything_or_offers_nothing_is_no_envelope(story: Story, changes: dict[str, Any]):
    bundle, _ = story.prepared()
    with refused(story.world["middle"], MalformedRejection, "not a recovery_envelope"):
        story.served("middle", story.changed(bundle, **changes))


# --- the frontier and rebuilding -------------------------------------------------------------------------------


class Rebuilt:
    """The story after the envelope was served, step by step."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.world = story.world
        self.bundle, self.envelope = story.prepared()
        for name in ("middle", "buyer"):
            story.served(name, self.bundle)
        self.completed: dict[ClaimId, ClaimId] = {}

    def frontier(self, name: str = "receiver") -> recovery.Frontier:
        return recovery.frontier(self.world[name], self.envelope, self.completed)

    def rebuild(self, name: str, old: ClaimId, completed: Mapping[ClaimId, ClaimId] | None = None) -> ClaimId:
        done = self.completed if completed is None else completed
        return recovery.rebuild(self.world[name], self.bundle.packet.id, self.envelope, old, done)

    def check(self, claim: Claim, name: str = "receiver", completed: Any = None) -> ClaimId:
        done = self.completed if completed is None else completed
        return recovery.check_completion(self.world[name], self.bundle.packet.id, self.envelope, claim, done)

    def step(self, name: str, old: ClaimId, *to: str) -> ClaimId:
        new = self.rebuild(name, old)
        self.story.give(name, "receiver", *to, claim=new)
        assert self.check(self.world["receiver"].claims[new]) == old
        self.completed[old] = new
        return new


@pytest.fixture
def rebuilt(story: Story) -> Rebuilt:
    return Rebuilt(story)


def test_only_what_has_all_its_parents_replaced_is_ready(rebuilt: Rebuilt):
    state = rebuilt.frontier()
    assert [node[0] for node in state.ready] == [rebuilt.story.first]
    assert (state.remaining, state.requires_replan, state.complete) == (2, False, False)


def test_issuers_rebuild_in_order_until_nothing_remains(rebuilt: Rebuilt):
    story = rebuilt.story
    first = rebuilt.step("middle", story.first, "buyer")
    assert [node[0] for node in rebuilt.frontier().ready] == [story.second]
    second = rebuilt.step("buyer", story.second)
    state = rebuilt.frontier()
    assert (state.remaining, state.ready, state.complete) == (0, (), True)
    view = story.world["receiver"]
    assert view.latest["branch_A"] == second
    assert view.graph.stands(second)
    claim = view.claims[second]
    assert (claim.value, claim.parents, claim.supersedes) == (amount(15_600), (first,), story.second)
    assert claim.recovery == (rebuilt.bundle.packet.id, "A")
    assert not view.graph.stands(story.second)


def test_rebuilding_again_gives_the_same_claim_and_changes_nothing(rebuilt: Rebuilt):
    first = rebuilt.rebuild("middle", rebuilt.story.first)
    before = snapshot(rebuilt.world["middle"])
    assert rebuilt.rebuild("middle", rebuilt.story.first) == first
    assert snapshot(rebuilt.world["middle"]) == before


def test_what_is_not_ready_is_not_rebuilt(rebuilt: Rebuilt):
    with refused(rebuilt.world["buyer"], RecoveryRejection, "'branch_A' is not ready: a parent has no usable"):
        rebuilt.rebuild("buyer", rebuilt.story.second)


def test_somebody_elses_claim_is_not_rebuilt(rebuilt: Rebuilt):
    with refused(
        rebuilt.world["buyer"], RecoveryRejection, "'shared_A' is not buyer's claim as the envelope describes"
    ):
        rebuilt.rebuild("buyer", rebuilt.story.first)


def test_a_claim_outside_the_envelope_is_not_rebuilt(rebuilt: Rebuilt):
    other = rebuilt.world.issue("middle", "extra", (rebuilt.world["middle"].latest["root_A"],))
    with refused(rebuilt.world["middle"], RecoveryRejection, "is not among what the envelope for 'A' affects"):
        rebuilt.rebuild("middle", other)


def test_a_claim_described_otherwise_than_it_is_held_is_not_rebuilt(rebuilt: Rebuilt):
    old, issuer, _, rule = rebuilt.envelope.affected[0]
    envelope = rebuilt.world["receiver"].notary.read(
        rebuilt.story.changed(rebuilt.bundle, affected=((old, issuer, (), rule),)).packet, RecoveryEnvelope
    )
    with refused(rebuilt.world["middle"], RecoveryRejection, "is not middle's claim as the envelope describes it"):
        recovery.rebuild(rebuilt.world["middle"], rebuilt.bundle.packet.id, envelope, old, {})


def test_a_claim_that_depends_on_nothing_replaced_is_not_rebuilt(rebuilt: Rebuilt):
    """A receiver cannot have an issuer sign a needless revision of an unaffected claim."""
    view = rebuilt.world["middle"]
    other = rebuilt.world.root("root_C", amount(order="C"))
    rebuilt.world.hand("source", "middle", other)
    apart = rebuilt.world.issue("middle", "shared_C", (other,))
    node = (apart, "middle", (other,), "relay")
    signed = rebuilt.story.changed(rebuilt.bundle, affected=(*rebuilt.envelope.affected, node))
    envelope = view.notary.read(signed.packet, RecoveryEnvelope)
    with refused(view, RecoveryRejection, "'shared_C' depends on nothing that the envelope for 'A' replaces"):
        recovery.rebuild(view, signed.packet.id, envelope, apart, {})


def test_a_revoked_replacement_is_invalidated_and_what_waits_for_it_suspended(rebuilt: Rebuilt):
    story = rebuilt.story
    first = rebuilt.step("middle", story.first, "buyer")
    rebuilt.step("buyer", story.second)
    rebuilt.world.revoke("middle", first)
    rebuilt.world["receiver"].graph.withdraw(first)
    state = rebuilt.frontier()
    assert state.requires_replan
    assert not state.complete
    assert state.remaining == 2
    assert state.ready == ()
    assert set(state.invalidated) == {story.first, story.second}
    assert state.suspended == (story.second,)
    with refused(
        rebuilt.world["middle"], RecoveryRejection, "replacement of 'shared_A' was invalidated; it needs a new"
    ):
        rebuilt.rebuild("middle", story.first)


def test_other_finished_branches_are_kept_when_one_is_invalidated(rebuilt: Rebuilt):
    story = rebuilt.story
    rebuilt.step("middle", story.first, "buyer")
    second = rebuilt.step("buyer", story.second)
    rebuilt.world["receiver"].graph.withdraw(second)
    state = rebuilt.frontier()
    assert state.invalidated == (story.second,)
    assert story.first in state.replaced
    assert state.remaining == 1


def test_a_rebuilder_that_knows_a_new_parent_to_be_revoked_does_not_build_on_it(rebuilt: Rebuilt):
    story = rebuilt.story
    first = rebuilt.step("middle", story.first, "buyer")
    rebuilt.world["buyer"].graph.withdraw(first)
    with refused(rebuilt.world["buyer"], RecoveryRejection, "'branch_A' is not ready"):
        rebuilt.rebuild("buyer", story.second)


def completion(rebuilt: Rebuilt, signer: str = "middle", **changes: Any) -> Claim:
    """Return the completion of the first node with some fields changed."""
    new_root = rebuilt.world["receiver"].latest["root_A"]
    fields = {
        "issuer": signer,
        "workflow": WORKFLOW,
        "name": "shared_A",
        "parents": (new_root,),
        "rule": "relay",
        "predicate": "total_charge",
        "value": amount(15_600),
        "revision": 2,
        "supersedes": rebuilt.story.first,
        "recovery": (rebuilt.bundle.packet.id, "A"),
    }
    return Claim(**{**fields, **changes})


WRONG_COMPLETIONS = {
    "bound to nothing": (
        {"recovery": None},
        RecoveryRejection,
        "'shared_A' is not bound to this envelope and the task",
    ),
    "bound to another envelope": ({"recovery": (number(1), "A")}, RecoveryRejection, "is not bound to this envelope"),
    "replacing nothing": ({"supersedes": None}, RecoveryRejection, "replaces nothing that the envelope affects"),
    "replacing something else": ({"supersedes": number(1)}, RecoveryRejection, "replaces nothing that the envelope"),
    "by somebody else": (
        {"signer": "mallory"},
        RecoveryRejection,
        "rebuilt by 'mallory', expected its issuer 'middle'",
    ),
    "on the old parent": ({"parents": "old"}, BindingRejection, "is not derived from the replaced parents by relay"),
    "under another name": ({"name": "other"}, BindingRejection, "expected the same name and revision 2"),
    "of a revision of its own": ({"revision": 77}, BindingRejection, "expected the same name and revision 2"),
    "by another rule": ({"rule": "sum_charges"}, BindingRejection, "is not derived from the replaced parents"),
}


@pytest.mark.parametrize(("changes", "rejection", "text"), WRONG_COMPLETIONS.values(), ids=WRONG_COMPLETIONS)
def test_a_completion_that_does_not_fit_the_envelope_is_refused(
    rebuilt: Rebuilt, changes: dict[str, Any], rejection: Any, text: str
):
    if changes.get("parents") == "old":
        changes = {"parents": (rebuilt.story.root,)}
    with refused(rebuilt.world["receiver"], rejection, text):
        rebuilt.check(completion(rebuilt, **changes))


def test_a_completion_for_another_task_is_refused(rebuilt: Rebuilt):
    claim = completion(rebuilt, recovery=(rebuilt.bundle.packet.id, "C"))
    with refused(rebuilt.world["receiver"], RecoveryRejection, "not bound to this envelope and the task 'A'"):
        rebuilt.check(claim)


def test_a_completion_that_skips_an_unfinished_parent_is_refused(rebuilt: Rebuilt):
    story = rebuilt.story
    claim = completion(rebuilt, "buyer", name="branch_A", supersedes=story.second, parents=(story.first,))
    with refused(
        rebuilt.world["receiver"], RecoveryRejection, f"skips its unfinished parent {story.first.hex()[:12]}…"
    ):
        rebuilt.check(claim)


def test_a_completion_that_fits_counts_for_the_claim_it_replaces(rebuilt: Rebuilt):
    assert rebuilt.check(completion(rebuilt)) == rebuilt.story.first


def test_a_rebuilt_claim_can_itself_be_revoked_by_its_issuer_alone(rebuilt: Rebuilt):
    first = rebuilt.step("middle", rebuilt.story.first, "buyer")
    with refused(rebuilt.world["receiver"], AuthorityRejection, "receiver cannot revoke 'shared_A'"):
        rebuilt.world.revoke("receiver", first)


def test_a_parent_that_fell_apart_from_the_recovery_stops_a_rebuild(story: Story):
    """middle's claim has two parents; one is replaced, and the other is revoked meanwhile."""
    world, side = story.world, story.side
    joined = world.issue("middle", "joined_A", (side,))
    node = Claim("middle", WORKFLOW, "two_parents", (story.root, side), "relay", "total_charge", amount())
    envelope = world["middle"].notary.sign(node)
    two_parents = ClaimId(envelope.id)
    world["middle"].hold(two_parents, node, envelope)
    bundle, prepared = story.prepared()
    affected = (*prepared.affected, (two_parents, "middle", (story.root, side), "relay"))
    changed = story.changed(bundle, affected=affected)
    story.served("middle", changed)
    packet = world["middle"].notary.read(changed.packet, RecoveryEnvelope)
    world.revoke("source", side)
    world["middle"].graph.withdraw(side)
    assert not world["middle"].graph.stands(joined)
    text = f"'two_parents' cannot be rebuilt on {side.hex()[:12]}…, which does not stand here"
    with refused(world["middle"], BlockedRejection, text):
        recovery.rebuild(world["middle"], changed.packet.id, packet, two_parents, {})


def test_offers_of_which_one_derives_from_the_other_are_refused(story: Story):
    """middle revises its own claim too; its offer rests on what source's offer replaces."""
    world = story.world
    view = world["middle"]
    wrong = replacement_offer(story)
    text = f"the offer for {story.first.hex()[:12]}… derives from another offered claim"
    with refused(world["receiver"], RecoveryRejection, text):
        recovery.prepare(world["receiver"], story.outcome, [story.offer, wrong])
    assert view.owner == "middle"


def replacement_offer(story: Story) -> Bundle:
    """Let middle sign an offer that replaces its relayed claim by an equal one, without a dispute."""
    view = story.world["middle"]
    claim = Claim(
        "middle", WORKFLOW, "shared_A", (story.root,), "relay", "total_charge", amount(), 2, supersedes=story.first
    )
    signed = view.notary.sign(claim)
    revocation = story.world.revoke("middle", story.first)
    offer = RevisionOffer(
        issuer="middle",
        workflow=WORKFLOW,
        old=story.first,
        new=ClaimId(signed.id),
        revocation=revocation.id,
        dispute=None,
        confirmation=None,
        checked_at=20,
    )
    return Bundle(view.notary.sign(offer), (signed, revocation))
