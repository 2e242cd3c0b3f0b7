"""Issuing claims and admitting those of others; taking one's own claims back."""

import pytest

from mast.errors import (
    AuthorityRejection,
    BindingRejection,
    BlockedRejection,
    DependencyRejection,
    DerivationRejection,
    DuplicateRejection,
    MalformedRejection,
    SignatureRejection,
    WorkflowRejection,
)
from mast.ids import ClaimId
from mast.protocol import claims, revocations
from mast.protocol.packets import Claim, Revocation
from tests.protocol_world import WORKFLOW, ProtocolWorld, amount, number, refused
from trustrail.foundation import SignedEnvelope

# --- issuing ---------------------------------------------------------------------------------------------------


def test_an_issued_claim_is_held_named_and_journaled(world: ProtocolWorld):
    view = world["source"]
    root = world.root()
    assert view.latest["root_A"] == root == view.envelopes[root].id
    assert view.graph.stands(root)
    assert view.journal.length == 1


def test_issuing_the_same_claim_again_changes_nothing(world: ProtocolWorld):
    root, length = world.root(), world["source"].journal.length
    assert world.root() == root
    assert world["source"].journal.length == length


def test_a_root_that_is_not_the_issuers_to_state_is_not_issued(world: ProtocolWorld):
    text = "claim 'root_A' about total_charge is by 'mallory', expected the authority 'source'"
    with refused(world["mallory"], AuthorityRejection, text):
        world.issue("mallory", "root_A", predicate="total_charge", value=amount())


def test_a_root_about_something_nobody_is_the_authority_for_is_not_issued(world: ProtocolWorld):
    with refused(world["source"], AuthorityRejection, "about weather is by 'source', expected the authority None"):
        world.issue("source", "root_W", predicate="weather", value={})


@pytest.mark.parametrize("name", ["", "n" * 201], ids=["empty", "201 characters"])
def test_a_claim_that_no_recipient_would_read_is_not_issued(world: ProtocolWorld, name: str):
    with refused(world["source"], MalformedRejection, f"of {len(name)} characters, expected 1 to 200"):
        world.root(name)


def test_a_value_with_keys_that_are_no_text_is_not_issued(world: ProtocolWorld):
    with refused(world["source"], MalformedRejection, "has the key 1, expected a string"):
        world.root(value={**amount(), 1: "x"})  # type: ignore[dict-item]


def test_a_claim_on_a_parent_that_is_not_held_is_not_issued(world: ProtocolWorld):
    root = world.root()
    with refused(world["middle"], DependencyRejection, rf"builds on {root.hex()[:12]}…, which middle does not hold"):
        world.issue("middle", "shared_A", (root,), predicate="total_charge", value=amount())


def test_a_claim_on_a_revoked_parent_is_not_issued(world: ProtocolWorld):
    root = world.root()
    world.revoke("source", root)
    with refused(world["source"], BlockedRejection, f"'copy' cannot build on {root.hex()[:12]}…, which is withdrawn"):
        world.issue("source", "copy", (root,))


def test_a_claim_that_names_a_parent_twice_is_not_issued(world: ProtocolWorld):
    root = world.root()
    with refused(world["source"], DuplicateRejection, "claim 'copy' by source names the parent [0-9a-f]{12}… twice"):
        world.issue("source", "copy", (root, root))


def test_a_claim_of_sixteen_parents_is_issued_and_one_of_seventeen_is_not_admitted(world: ProtocolWorld):
    roots = tuple(world.root(f"root_{index}") for index in range(17))
    joined = world.issue("source", "sixteen", roots[:16])
    assert world["source"].graph.parents(joined) == roots[:16]
    packet = Claim("source", WORKFLOW, "seventeen", roots, "relay", "total_charge", amount())
    envelope = world["source"].notary.sign(packet)
    world.hand("source", "middle", *roots)
    with refused(world["middle"], MalformedRejection, "Expected `array` of length <= 16"):
        claims.admit(world["middle"], [envelope])


def test_a_claim_of_seventeen_parents_is_not_issued(world: ProtocolWorld):
    roots = tuple(world.root(f"root_{index}") for index in range(17))
    with refused(world["source"], DependencyRejection, "claim 'seventeen' has 17 parents, expected at most 16"):
        world.issue("source", "seventeen", roots)


# --- admitting -------------------------------------------------------------------------------------------------


def test_admitted_claims_are_stored_only_when_asked_to(world: ProtocolWorld):
    root = world.root()
    view = world["middle"]
    admitted = claims.admit(view, [world["source"].envelopes[root]])
    assert list(admitted) == [root]
    assert not view.claims
    claims.hold_all(view, admitted)
    assert view.graph.stands(root)


def test_parents_admitted_just_before_count_as_parents(world: ProtocolWorld):
    root, relayed = world.chain()
    envelopes = [world["middle"].envelopes[claim] for claim in (root, relayed)]
    assert list(claims.admit(world["mallory"], envelopes)) == [root, relayed]


def test_a_child_before_its_parent_is_refused_with_everything_beside_it(world: ProtocolWorld):
    root, relayed = world.chain()
    envelopes = [world["middle"].envelopes[claim] for claim in (relayed, root)]
    text = rf"claim 'shared_A' by middle builds on {root.hex()[:12]}…, which mallory does not hold"
    with refused(world["mallory"], DependencyRejection, text):
        claims.admit(world["mallory"], envelopes)


def test_a_claim_that_comes_twice_is_refused(world: ProtocolWorld):
    envelope = world["source"].envelopes[world.root()]
    with refused(world["middle"], DuplicateRejection, rf"claim {envelope.id.hex()[:12]}… comes twice"):
        claims.admit(world["middle"], [envelope, envelope])


def test_a_claim_held_already_is_passed_over(world: ProtocolWorld):
    root = world.root()
    world.hand("source", "middle", root)
    assert claims.admit(world["middle"], [world["source"].envelopes[root]]) == {}


def test_a_tampered_claim_is_refused(world: ProtocolWorld):
    envelope = world["source"].envelopes[world.root()]
    forged = SignedEnvelope(envelope.payload.replace(b"CNY", b"USD"), "source", envelope.signature)
    with refused(world["middle"], SignatureRejection, "by 'source': signature .* does not hold"):
        claims.admit(world["middle"], [forged])


def test_a_root_by_somebody_who_is_not_the_authority_is_refused(world: ProtocolWorld):
    envelope = world["mallory"].notary.sign(Claim("mallory", WORKFLOW, "root_A", (), "relay", "total_charge", amount()))
    with refused(world["middle"], AuthorityRejection, "is by 'mallory', expected the authority 'source'"):
        claims.admit(world["middle"], [envelope])


def test_a_claim_of_another_workflow_is_refused(world: ProtocolWorld):
    packet = Claim("source", "other-desk", "root_A", (), "relay", "total_charge", amount())
    envelope = world.notary("source", "other-desk").sign(packet)
    with refused(world["middle"], WorkflowRejection, "is of the workflow 'other-desk', expected 'order-desk'"):
        claims.admit(world["middle"], [envelope])


def test_a_claim_whose_parent_was_never_seen_is_refused(world: ProtocolWorld):
    packet = Claim("source", WORKFLOW, "orphan", (number(9),), "relay", "total_charge", amount())
    with refused(world["middle"], DependencyRejection, "claim 'orphan' by source builds on 000000000000…"):
        claims.admit(world["middle"], [world["source"].notary.sign(packet)])


def test_a_claim_that_names_a_parent_twice_is_refused(world: ProtocolWorld):
    root = world.root()
    world.hand("source", "middle", root)
    packet = Claim("source", WORKFLOW, "twice", (root, root), "relay", "total_charge", amount())
    with refused(world["middle"], DuplicateRejection, "claim 'twice' by source names the parent [0-9a-f]{12}… twice"):
        claims.admit(world["middle"], [world["source"].notary.sign(packet)])


def test_a_claim_that_does_not_follow_is_refused(world: ProtocolWorld):
    root = world.root()
    world.hand("source", "middle", root)
    packet = Claim("mallory", WORKFLOW, "inflated", (root,), "relay", "total_charge", amount(99_999))
    with refused(world["middle"], DerivationRejection, r"claim 'inflated' states .*99999.*, expected .*12800"):
        claims.admit(world["middle"], [world["mallory"].notary.sign(packet)])


def test_the_newest_revision_of_a_name_is_the_one_meant(world: ProtocolWorld):
    first = world.root()
    second = world.issue("source", "root_A", predicate="total_charge", value=amount(15_600), revision=2)
    assert world["source"].latest["root_A"] == second
    older = claims.admit(world["middle"], [world["source"].envelopes[second]])
    claims.hold_all(world["middle"], older)
    claims.hold_all(world["middle"], claims.admit(world["middle"], [world["source"].envelopes[first]]))
    assert world["middle"].latest["root_A"] == second


# --- revoking --------------------------------------------------------------------------------------------------


def test_revoking_blocks_the_claim_and_all_that_derives_from_it_and_nothing_else(world: ProtocolWorld):
    root, other = world.root(), world.root("root_C", amount(order="C"))
    child = world.issue("source", "child", (root,))
    envelope = world.revoke("source", root)
    graph = world["source"].graph
    assert [graph.stands(claim) for claim in (root, child, other)] == [False, False, True]
    assert world.revoke("source", root) is envelope


def test_a_claim_of_somebody_else_cannot_be_revoked(world: ProtocolWorld):
    root, _ = world.chain()
    with refused(world["middle"], AuthorityRejection, "middle cannot revoke 'root_A', which source issued"):
        world.revoke("middle", root)


def test_a_claim_that_is_not_held_cannot_be_revoked(world: ProtocolWorld):
    with refused(world["source"], DependencyRejection, "source cannot revoke 000000000000…, which it does not hold"):
        world.revoke("source", ClaimId(number(1)))


def test_a_revocation_can_arrive_before_its_claim(world: ProtocolWorld):
    root = world.root()
    envelope = world["source"].envelopes[root]
    revocation = world.revoke("source", root)
    view = world["middle"]
    packet = revocations.read_revocation(view, revocation)
    assert revocations.apply_revocation(view, packet, revocation) == set()
    claims.hold_all(view, claims.admit(view, [envelope]))
    assert root in view.claims
    assert not view.graph.stands(root)


def test_applying_a_revocation_again_changes_nothing(world: ProtocolWorld):
    root, relayed = world.chain()
    revocation = world.revoke("source", root)
    view = world["receiver"]
    packet = revocations.read_revocation(view, revocation)
    assert revocations.apply_revocation(view, packet, revocation) == {root, relayed}
    length = view.journal.length
    assert revocations.apply_revocation(view, packet, revocation) == set()
    assert view.journal.length == length


def revocation_by(world: ProtocolWorld, revoker: str, claim: ClaimId, inside: SignedEnvelope) -> SignedEnvelope:
    """Sign a revocation of *claim* that carries *inside* as the original."""
    packet = Revocation(revoker, WORKFLOW, claim, inside.payload, inside.signature)
    return world[revoker].notary.sign(packet)


@pytest.mark.parametrize("held", [True, False], ids=["the claim is held", "the claim was never seen"])
def test_an_intermediary_cannot_revoke_somebody_elses_claim(world: ProtocolWorld, held: bool):
    root = world.root()
    envelope = world["source"].envelopes[root]
    if held:
        world.hand("source", "receiver", root)
    forged = revocation_by(world, "middle", root, envelope)
    # Who never saw the claim reads it from inside, where the revoker cannot have signed it.
    rejection = AuthorityRejection if held else SignatureRejection
    text = "middle cannot revoke 'root_A', which source issued" if held else "does not hold under the key"
    with refused(world["receiver"], rejection, text):
        revocations.read_revocation(world["receiver"], forged)


@pytest.mark.parametrize("held", [True, False], ids=["the claim is held", "the claim was never seen"])
def test_a_revocation_that_carries_another_claim_is_refused(world: ProtocolWorld, held: bool):
    root, other = world.root(), world.root("root_C", amount(order="C"))
    if held:
        world.hand("source", "middle", root)
    forged = revocation_by(world, "source", root, world["source"].envelopes[other])
    text = rf"revocation names {root.hex()[:12]}… but carries the claim {other.hex()[:12]}…"
    with refused(world["middle"], BindingRejection, text):
        revocations.read_revocation(world["middle"], forged)


def test_a_revocation_whose_original_is_not_signed_is_refused(world: ProtocolWorld):
    root = world.root()
    unsigned = SignedEnvelope(world["source"].envelopes[root].payload, "source", bytes(64))
    with refused(world["middle"], SignatureRejection, "does not hold"):
        revocations.read_revocation(world["middle"], revocation_by(world, "source", root, unsigned))


def test_a_revocation_of_something_that_is_no_claim_is_refused(world: ProtocolWorld):
    revocation = world.revoke("source", world.root())
    forged = revocation_by(world, "source", ClaimId(revocation.id), revocation)
    with refused(world["middle"], MalformedRejection, "packet by 'source' is not a claim"):
        revocations.read_revocation(world["middle"], forged)


def test_a_revocation_of_a_claim_of_another_workflow_is_refused(world: ProtocolWorld):
    packet = Claim("source", "other-desk", "root_A", (), "relay", "total_charge", amount())
    foreign = world.notary("source", "other-desk").sign(packet)
    with refused(world["middle"], WorkflowRejection, "is of the workflow 'other-desk'"):
        revocations.read_revocation(world["middle"], revocation_by(world, "source", ClaimId(foreign.id), foreign))


def test_a_name_cannot_be_taken_over_by_another_issuer(world: ProtocolWorld):
    """What an instruction calls by its name stays what its first issuer said."""
    root, _ = world.chain()
    middle = world["middle"]
    taken = claims.issue(
        middle, name="root_A", parents=(root,), rule="relay", predicate="total_charge", value=amount(), revision=99
    )
    assert middle.latest["root_A"] == root != taken
