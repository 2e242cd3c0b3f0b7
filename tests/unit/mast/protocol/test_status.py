"""Asking a claim's issuer whether it is still good, and what counts as its answer."""

from typing import Any

import pytest

from mast.errors import (
    AuthorityRejection,
    BindingRejection,
    DependencyRejection,
    MalformedRejection,
    SignatureRejection,
    WorkflowRejection,
)
from mast.ids import ClaimId
from mast.protocol import revocations, status
from mast.protocol.packets import Bundle, Revocation, StatusQuery, StatusReply
from tests.protocol_world import WORKFLOW, ProtocolWorld, amount, number, refused, snapshot
from trustrail.foundation import SignedEnvelope


def ask(world: ProtocolWorld, claim: ClaimId, challenge: int = 1) -> SignedEnvelope:
    return status.ask(world["receiver"], claim, number(challenge))


def answered(world: ProtocolWorld, claim: ClaimId, by: str) -> tuple[SignedEnvelope, Bundle]:
    query = ask(world, claim)
    return query, status.reply(world[by], query)


# --- answering -------------------------------------------------------------------------------------------------


def test_a_claim_that_stands_is_active(world: ProtocolWorld):
    _, relayed = world.chain()
    query, answer = answered(world, relayed, "middle")
    assert status.receive(world["receiver"], query, relayed, answer).status == "active"
    assert answer.attached == ()


def test_a_revoked_claim_is_answered_with_its_revocation_which_the_asker_then_knows(world: ProtocolWorld):
    _, relayed = world.chain()
    revocation = world.revoke("middle", relayed)
    query, answer = answered(world, relayed, "middle")
    result = status.receive(world["receiver"], query, relayed, answer)
    assert (result.status, result.learned) == ("revoked", (relayed,))
    assert answer.attached == (revocation,)
    assert not world["receiver"].graph.stands(relayed)


def test_a_claim_below_a_revoked_one_is_answered_with_the_ancestors_revocation(world: ProtocolWorld):
    root, relayed = world.chain()
    revocation = world.revoke("source", root)
    packet = revocations.read_revocation(world["middle"], revocation)
    revocations.apply_revocation(world["middle"], packet, revocation)
    query, answer = answered(world, relayed, "middle")
    assert status.receive(world["receiver"], query, relayed, answer).learned == (root,)
    assert world["receiver"].revocations[root] == revocation


def test_a_revocation_known_already_is_not_learned_again(world: ProtocolWorld):
    _, relayed = world.chain()
    world.revoke("middle", relayed)
    for challenge, learned in ((1, (relayed,)), (2, ())):
        query = ask(world, relayed, challenge)
        answer = status.reply(world["middle"], query)
        assert status.receive(world["receiver"], query, relayed, answer).learned == learned


def test_a_disputed_claim_is_unknown_to_its_issuer(world: ProtocolWorld):
    root, relayed = world.chain()
    world.dispute("middle", root)
    query, answer = answered(world, relayed, "middle")
    assert status.receive(world["receiver"], query, relayed, answer).status == "unknown"


@pytest.mark.parametrize("held", [True, False], ids=["held but issued by another", "not held"])
def test_a_claim_that_is_not_the_answerers_is_unknown(world: ProtocolWorld, held: bool):
    root, _ = world.chain()
    asked = root if held else ClaimId(number(3))
    query = world["receiver"].notary.sign(StatusQuery("receiver", WORKFLOW, "middle", asked, number(1)))
    reply = world["receiver"].notary.read(status.reply(world["middle"], query).packet, StatusReply)
    assert (reply.status, reply.proofs) == ("unknown", ())


def test_a_question_for_somebody_else_is_refused(world: ProtocolWorld):
    _, relayed = world.chain()
    with refused(world["source"], BindingRejection, "status query is for 'middle', and reached 'source'"):
        status.reply(world["source"], ask(world, relayed))


def test_a_question_by_a_stranger_is_refused(world: ProtocolWorld):
    _, relayed = world.chain()
    query = world.notary("stranger").sign(StatusQuery("stranger", WORKFLOW, "middle", relayed, number(1)))
    with refused(world["middle"], SignatureRejection, "no public key is known for the issuer 'stranger'"):
        status.reply(world["middle"], query)


def test_a_question_of_another_workflow_is_refused(world: ProtocolWorld):
    _, relayed = world.chain()
    foreign = world.notary("receiver", "other-desk")
    query = foreign.sign(StatusQuery("receiver", "other-desk", "middle", relayed, number(1)))
    with refused(world["middle"], WorkflowRejection, "is of the workflow 'other-desk'"):
        status.reply(world["middle"], query)


def test_a_claim_that_is_not_held_cannot_be_asked_about(world: ProtocolWorld):
    with refused(world["receiver"], DependencyRejection, "receiver cannot ask about 000000000000…"):
        ask(world, ClaimId(number(1)))


# --- receiving -------------------------------------------------------------------------------------------------


def reply_with(
    world: ProtocolWorld, query: SignedEnvelope, claim: bytes, signer: str = "middle", **changes: Any
) -> SignedEnvelope:
    fields = {"issuer": signer, "workflow": WORKFLOW, "query": query.id, "claim": claim, "status": "active"}
    return world[signer].notary.sign(StatusReply(**{**fields, **changes}))


def test_an_answer_by_somebody_else_is_refused(world: ProtocolWorld):
    _, relayed = world.chain()
    query = ask(world, relayed)
    forged = reply_with(world, query, relayed, "mallory")
    with refused(world["receiver"], BindingRejection, "status reply is by 'mallory', expected 'middle'"):
        status.receive(world["receiver"], query, relayed, Bundle(forged))


def test_an_old_answer_replayed_for_a_new_question_is_refused(world: ProtocolWorld):
    _, relayed = world.chain()
    old, answer = answered(world, relayed, "middle")
    new = ask(world, relayed, 2)
    text = f"answers {old.id.hex()[:12]}… about .*, expected {new.id.hex()[:12]}… about"
    with refused(world["receiver"], BindingRejection, text):
        status.receive(world["receiver"], new, relayed, answer)


def test_an_answer_about_another_claim_is_refused(world: ProtocolWorld):
    root, relayed = world.chain()
    query = ask(world, relayed)
    text = f"about {root.hex()[:12]}…, expected .* about {relayed.hex()[:12]}…"
    with refused(world["receiver"], BindingRejection, text):
        status.receive(world["receiver"], query, relayed, Bundle(reply_with(world, query, root)))


def test_a_status_outside_the_three_is_refused(world: ProtocolWorld):
    _, relayed = world.chain()
    query = ask(world, relayed)
    with refused(world["receiver"], MalformedRejection, "Invalid enum value 'fine'"):
        status.receive(world["receiver"], query, relayed, Bundle(reply_with(world, query, relayed, status="fine")))


class Proofs:
    """The story that bad proofs are offered in: middle's claim, its revocation, and one of an unrelated claim."""

    def __init__(self, world: ProtocolWorld) -> None:
        self.world = world
        self.root, self.relayed = world.chain()
        self.query = ask(world, self.relayed)
        self.good = world.revoke("middle", self.relayed)
        other = world.issue("middle", "other", (self.root,))
        self.unrelated = world.revoke("middle", other)

    def offer(self, status_: str, named: tuple[bytes, ...], *attached: SignedEnvelope) -> Bundle:
        reply = reply_with(self.world, self.query, self.relayed, status=status_, proofs=named)
        return Bundle(reply, attached)

    def receive(self, answer: Bundle) -> status.StatusAnswer:
        return status.receive(self.world["receiver"], self.query, self.relayed, answer)


@pytest.fixture
def proofs(world: ProtocolWorld) -> Proofs:
    return Proofs(world)


BAD_PROOFS = {
    "revoked without a proof": (lambda p: p.offer("revoked", ()), "says 'revoked' with 0 revocations"),
    "active with a proof": (lambda p: p.offer("active", (p.good.id,), p.good), "says 'active' with 1 revocations"),
    "unknown with a proof": (lambda p: p.offer("unknown", (p.good.id,), p.good), "says 'unknown' with 1 revocations"),
    "a proof named and not there": (
        lambda p: p.offer("revoked", (p.good.id,)),
        r"lists the proofs \[[0-9a-f]{12}…\], but \[\] came with it",
    ),
    "a proof named twice": (
        lambda p: p.offer("revoked", (p.good.id, p.good.id), p.good),
        r"lists the proofs \[[0-9a-f]{12}…, [0-9a-f]{12}…\], but \[[0-9a-f]{12}…\] came with it",
    ),
    "a proof there and not named": (
        lambda p: p.offer("revoked", (), p.good),
        r"lists the proofs \[\], but \[[0-9a-f]{12}…\] came with it",
    ),
    "another proof than named": (
        lambda p: p.offer("revoked", (p.good.id,), p.unrelated),
        r"lists the proofs \[[0-9a-f]{12}…\], but \[[0-9a-f]{12}…\] came with it",
    ),
    "the proof of an unrelated claim": (
        lambda p: p.offer("revoked", (p.good.id, p.unrelated.id), p.good, p.unrelated),
        r"proves the revocation of [0-9a-f]{12}…, from which [0-9a-f]{12}… does not derive",
    ),
}


@pytest.mark.parametrize(("build", "text"), BAD_PROOFS.values(), ids=BAD_PROOFS)
def test_an_answer_with_bad_proofs_is_refused_and_none_is_applied(proofs: Proofs, build: Any, text: str):
    answer = build(proofs)
    with refused(proofs.world["receiver"], BindingRejection, text):
        proofs.receive(answer)


def test_a_proof_with_a_broken_signature_is_refused_and_the_good_one_beside_it_not_applied(proofs: Proofs):
    root = proofs.world.revoke("source", proofs.root)
    broken = SignedEnvelope(root.payload, root.issuer, bytes(64))
    answer = proofs.offer("revoked", (proofs.good.id, root.id), proofs.good, broken)
    with refused(proofs.world["receiver"], SignatureRejection, "does not hold"):
        proofs.receive(answer)


def test_a_proof_by_somebody_who_did_not_issue_the_claim_is_refused(proofs: Proofs):
    world = proofs.world
    original = world["source"].envelopes[proofs.root]
    forged = world["middle"].notary.sign(
        Revocation("middle", WORKFLOW, proofs.root, original.payload, original.signature)
    )
    with refused(world["receiver"], AuthorityRejection, "middle cannot revoke 'root_A', which source issued"):
        proofs.receive(proofs.offer("revoked", (forged.id,), forged))


def test_asking_changes_nothing_and_answering_only_the_journal(world: ProtocolWorld):
    _, relayed = world.chain()
    asker, issuer = snapshot(world["receiver"]), snapshot(world["middle"])
    answered(world, relayed, "middle")
    assert snapshot(world["receiver"]) == asker
    after = snapshot(world["middle"])
    assert after.pop("journal")[0] == issuer.pop("journal")[0] + 1
    assert after == issuer


def test_a_claim_and_one_apart_do_not_share_a_status(world: ProtocolWorld):
    root, _ = world.chain()
    apart = world.root("root_C", amount(order="C"))
    world.hand("source", "receiver", apart)
    world.revoke("source", root)
    query, answer = answered(world, apart, "source")
    assert status.receive(world["receiver"], query, apart, answer).status == "active"
