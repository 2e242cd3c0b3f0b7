"""The shipped topologies, cases and businesses are the reference world."""

import pytest

from mast.organizations.messages import Parcel, ParcelKind, PlainClaim, PlainNote, Revoke
from mast.scenario import businesses, cases, examples, load_scenario, load_world, topologies
from mast.scenario.shipped import shipped_file
from mast.scenario.world import Injection, Revision, World

# Sizes: the published description of the three topologies, the buyer and its authorizations not counted.
SIZES = {
    "long_chain_fork": {"organizations": 7, "claims": 10, "routes": 6, "forwards": 12, "authorizations": 4},
    "converge_then_fork": {"organizations": 9, "claims": 14, "routes": 9, "forwards": 18, "authorizations": 4},
    "reused_org_independent": {"organizations": 8, "claims": 8, "routes": 9, "forwards": 9, "authorizations": 6},
}

# Affected tasks and the correct amount of order A, per case: the published description of the ten cases.
CASES = {
    "active": (set(), 100),
    "tampered_handoff": ({"A_a"}, 100),
    "root_retraction": ({"A_a", "A_b"}, 100),
    "intermediate_retraction": ({"A_a", "A_b"}, 100),
    "branch_retraction": ({"A_a"}, 100),
    "late_notice": ({"A_a", "A_b"}, 100),
    "signed_false": ({"A_a", "A_b"}, 125),
    "conflicting_sources": ({"A_a", "A_b"}, 125),
    "confirmed_repair": ({"A_a", "A_b"}, 125),
    "authority_unknown": ({"A_a", "A_b"}, 125),
}


def without_authorizations(world: World) -> list[str]:
    return [name for name, spec in world.claims.items() if spec.statement.predicate == "total_charge"]


def test_there_are_three_topologies_ten_cases_and_four_businesses() -> None:
    assert set(topologies()) == set(SIZES)
    assert set(cases()) == set(CASES)
    assert set(businesses()) == {"default", "invoice_cny", "invoice_usd", "release"}


@pytest.mark.parametrize("listing", [topologies, cases, businesses, examples])
def test_everything_shipped_is_described_in_one_line(listing) -> None:
    assert all(text and "\n" not in text for text in listing().values())


@pytest.mark.parametrize("topology", SIZES)
def test_topology_has_the_published_size(topology: str) -> None:
    world = load_world(topology)
    seeded = [route for route in world.routes if route.forwarded]

    assert SIZES[topology] == {
        "organizations": len(set(world.organizations) - {"buyer"}),
        "claims": len(without_authorizations(world)),
        "routes": len(seeded),
        "forwards": sum(len(route.claims) for route in seeded),
        "authorizations": sum(not route.forwarded for route in world.routes),
    }
    assert len(world.tasks) == 4


@pytest.mark.parametrize("topology", SIZES)
@pytest.mark.parametrize("case", CASES)
def test_case_affects_the_published_tasks(topology: str, case: str) -> None:
    world = load_world(topology, case)

    affected, amount = CASES[case]
    assert world.truth.affected == affected
    assert world.truth.expected["A"] == amount
    assert all(world.truth.expected[order] == 100 for order in world.truth.expected if order != "A")


@pytest.mark.parametrize("topology", SIZES)
def test_affected_tasks_are_the_same_for_every_business(topology: str) -> None:
    for case, (affected, _) in CASES.items():
        assert load_world(topology, case, business="invoice_cny").truth.affected == affected
        assert load_world(topology, case, business="invoice_usd").truth.affected == affected


@pytest.mark.parametrize(
    ("case", "claim"),
    [("root_retraction", "root_A"), ("intermediate_retraction", "shared_A"), ("branch_retraction", "branch_A_a")],
)
@pytest.mark.parametrize("topology", SIZES)
def test_retraction_is_made_by_the_issuer_at_tick_ten(topology: str, case: str, claim: str) -> None:
    world = load_world(topology, case)

    (injection,) = world.injections
    assert injection == Injection(at=10, organization=world.claims[claim].issuer, instruction=Revoke(claim=claim))
    assert claim in world.truth.invalid
    # All and only claims of order A that derive from it: what is left of the order stays above it.
    above = {"root_A": set(), "shared_A": {"root_A"}, "branch_A_a": set(without_authorizations(world)) - {claim}}
    of_order = {name for name in without_authorizations(world) if world.claims[name].order == "A"}
    assert world.truth.invalid == of_order - above[claim]


def test_only_notices_are_late_and_by_the_ticks_of_the_business() -> None:
    for business, ticks in (("default", 8), ("invoice_cny", 8), ("invoice_usd", 9)):
        (tap,) = load_world("long_chain_fork", "late_notice", business=business).taps
        assert tap.delay(parcel(ParcelKind.NOTICE), 1) == ticks
        assert tap.delay(parcel(ParcelKind.REVOCATION), 1) == 1
        assert tap.transit(parcel(ParcelKind.NOTICE)) == parcel(ParcelKind.NOTICE)


def parcel(kind: ParcelKind, *attached: PlainClaim, sender: str = "branch_a", recipient: str = "receiver_a") -> Parcel:
    return Parcel(kind, sender, recipient, PlainNote("x", {}), attached)


def test_tampering_changes_the_amount_in_handoffs_of_the_issuer_only() -> None:
    (tap,) = load_world("long_chain_fork", "tampered_handoff").taps
    mine = PlainClaim("branch_A_a", "branch_a", "total_charge", {"order": "A", "currency": "CNY", "cents": 100})
    other = PlainClaim("branch_C_a", "branch_a", "total_charge", {"order": "C", "currency": "CNY", "cents": 100})

    arrived = tap.transit(parcel(ParcelKind.HANDOFF, mine, other))
    elsewhere = tap.transit(parcel(ParcelKind.HANDOFF, mine, sender="branch_b"))

    assert [item.value["cents"] for item in arrived.attached] == [107, 100]
    assert elsewhere == parcel(ParcelKind.HANDOFF, mine, sender="branch_b")


@pytest.mark.parametrize("topology", SIZES)
def test_conflicting_root_goes_to_every_task_owner_after_the_routes(topology: str) -> None:
    world = load_world(topology, "conflicting_sources")

    assert {sender for sender, _ in world.extra_seeds} == {"source"}
    assert {provide.recipient for _, provide in world.extra_seeds} == {task.owner for task in world.tasks}
    assert len(world.extra_seeds) == 2
    for _, provide in world.extra_seeds:
        (second,) = provide.statements
        assert second.value == {"order": "A", "currency": "CNY", "cents": 125}
        assert second.name not in world.claims
        assert second.parents == ()


@pytest.mark.parametrize("case", ["signed_false", "conflicting_sources", "confirmed_repair"])
def test_registry_holds_the_correct_amount_while_the_wrong_one_is_published(case: str) -> None:
    world = load_world("long_chain_fork", case)

    assert world.registry["A", "CNY"].cents == 125
    assert world.registry["A", "CNY"].confirmed
    assert world.registry["C", "CNY"].cents == 100
    assert world.claims["root_A"].statement.value["cents"] == 100


def test_registry_entry_of_the_order_is_unconfirmed_when_the_authority_does_not_know() -> None:
    world = load_world("long_chain_fork", "authority_unknown")

    assert not world.registry["A", "CNY"].confirmed
    assert world.registry["C", "CNY"].confirmed


def test_correction_becomes_known_to_the_source_at_tick_twenty() -> None:
    world = load_world("converge_then_fork", "confirmed_repair", business="invoice_usd")

    corrected = {"order": "A", "currency": "USD", "cents": 51250}
    assert world.revisions == (Revision(at=20, claim="root_A", value=corrected),)


def test_claims_have_exactly_the_published_value_schemas() -> None:
    world = load_world("reused_org_independent", business="invoice_cny")

    assert world.claims["independent_C_a"].statement.value == {"order": "C_a", "currency": "CNY", "cents": 12800}
    assert world.claims["authorization_C_a"].statement.value == {
        "order": "C_a",
        "operation": "approve_invoice",
        "currency": "CNY",
        "maximum_cents": 20000,
        "approved": True,
    }
    assert world.authorities == {"total_charge": "source", "invoice_authorization": "buyer"}
    assert world.fact_authority == "buyer"


@pytest.mark.parametrize("topology", SIZES)
def test_authorizations_are_handed_out_by_sorted_order_after_all_other_routes(topology: str) -> None:
    world = load_world(topology)
    forwarded = [route.forwarded for route in world.routes]
    authorizations = [route.claims[0] for route in world.routes if not route.forwarded]

    assert forwarded == sorted(forwarded, reverse=True)
    assert authorizations == sorted(authorizations)
    assert {task.claims[1] for task in world.tasks} == set(authorizations)


@pytest.mark.parametrize("topology", SIZES)
def test_release_needs_one_claim_and_nobody_else(topology: str) -> None:
    world = load_world(topology, business="release")

    assert all(task.operation == "release" and len(task.claims) == 1 for task in world.tasks)
    assert "buyer" not in world.organizations
    assert world.fact_authority is None
    assert world.registry == {}
    assert world.schedule.forward is None
    assert world.schedule.act == 20


def test_critical_edges_are_the_published_ones() -> None:
    named = {
        topology: {name: str(edge) for name, edge in load_world(topology).critical_edges.items()} for topology in SIZES
    }

    assert named["long_chain_fork"]["shared_upstream/routed"] == "chain_1 -> chain_2"
    assert named["long_chain_fork"]["shared_upstream/broadcast"] == "chain_1 -> receiver_a"
    assert named["converge_then_fork"]["shared_upstream/routed"] == "join -> branch_a"
    assert named["converge_then_fork"]["shared_upstream/broadcast"] == "shared_org -> receiver_a"
    assert named["reused_org_independent"]["shared_upstream/routed"] == "branch_a -> reused_receiver"
    assert named["reused_org_independent"]["shared_upstream/broadcast"] == "shared_org -> reused_receiver"
    for topology, receiver in (("long_chain_fork", "receiver_a"), ("reused_org_independent", "reused_receiver")):
        assert named[topology]["branch_middle/routed"] == f"branch_a -> {receiver}"
        assert named[topology]["branch_middle/broadcast"] == f"branch_a -> {receiver}"


@pytest.mark.parametrize("name", examples())
def test_example_loads_the_same_world_each_time(name: str) -> None:
    path = shipped_file("examples", name)

    assert load_scenario(path) == load_scenario(path)


def test_a_world_is_named_after_what_it_was_made_of() -> None:
    world = load_world("long_chain_fork", "late_notice", business="invoice_usd")

    assert (world.topology, world.case, world.variant) == ("long_chain_fork", "late_notice", "invoice_usd")
    assert load_world("long_chain_fork").case == "active"
    assert load_world("long_chain_fork", faults=[{"kind": "revoke", "claim": "root_C"}]).case == "revoke"
