"""Faults combine in any number on any target, and each adds its own share of the truth."""

import pickle

import pytest

from mast.errors import ScenarioError
from mast.organizations.messages import Parcel, ParcelKind, PlainClaim, PlainNote
from mast.scenario import FAULTS, examples, load_scenario, load_world
from mast.scenario.faults.late_link import LateLink
from mast.scenario.faults.revoke import Revoke
from mast.scenario.shipped import shipped_file


def parcel(kind: ParcelKind, sender: str = "chain_2", recipient: str = "branch_a", *names: str) -> Parcel:
    attached = tuple(PlainClaim(name, sender, "total_charge", {"cents": 100}) for name in names)
    return Parcel(kind, sender, recipient, PlainNote("x", {}), attached)


def test_there_are_eight_kinds_each_in_a_file_of_its_own() -> None:
    assert set(FAULTS) == {
        "authority_unknown",
        "conflicting_source",
        "drop_in_transit",
        "false_fact",
        "late_link",
        "revision_available",
        "revoke",
        "tamper_in_transit",
    }
    assert {kind: fault.__module__ for kind, fault in FAULTS.items()} == {
        kind: f"mast.scenario.faults.{kind}" for kind in FAULTS
    }


def test_two_revocations_add_up() -> None:
    world = load_world("long_chain_fork", faults=[Revoke(claim="branch_A_a"), Revoke(claim="common_C", at=4)])

    assert [injection.at for injection in world.injections] == [10, 4]
    assert world.truth.invalid == {"branch_A_a", "common_C", "branch_C_a", "branch_C_b"}
    assert world.truth.affected == {"A_a", "C_a", "C_b"}


def test_faults_of_a_program_come_on_top_of_those_of_the_case() -> None:
    world = load_world("long_chain_fork", "signed_false", faults=[Revoke(claim="branch_C_a")])

    assert world.case == "signed_false"
    assert world.truth.affected == {"A_a", "A_b", "C_a"}
    assert world.truth.expected == {"A": 125, "C": 100}


def test_parameters_of_the_business_stand_for_numbers() -> None:
    fault = {"kind": "false_fact", "claim": "root_C", "correct": "$corrected"}

    assert load_world("long_chain_fork", business="invoice_cny", faults=[fault]).truth.expected["C"] == 15600


def test_authority_unknown_and_false_fact_commute() -> None:
    false, unknown = (
        {"kind": "false_fact", "claim": "root_A", "correct": 7},
        {"kind": "authority_unknown", "order": "A"},
    )

    one = load_world("long_chain_fork", faults=[false, unknown])
    other = load_world("long_chain_fork", faults=[unknown, false])

    assert one.registry == other.registry
    assert one.truth == other.truth
    assert (one.registry["A", "CNY"].cents, one.registry["A", "CNY"].confirmed) == (7, False)


def test_tampering_on_one_edge_reaches_only_what_lies_behind_it() -> None:
    """chain_2 hands common_A to both branches; only branch_a gets it altered."""
    fault = {"kind": "tamper_in_transit", "claim": "common_A", "changes": {"cents": 1}, "edge": "chain_2 -> branch_a"}
    world = load_world("long_chain_fork", faults=[fault])
    (tap,) = world.taps

    assert world.truth.affected == {"A_a"}
    to_a = parcel(ParcelKind.HANDOFF, "chain_2", "branch_a", "common_A")
    to_b = parcel(ParcelKind.HANDOFF, "chain_2", "branch_b", "common_A")
    assert tap.transit(to_a).attached[0].value == {"cents": 1}
    assert tap.transit(to_b) is to_b


def test_tampering_everywhere_reaches_every_task_that_rests_on_the_claim() -> None:
    fault = {"kind": "tamper_in_transit", "claim": "common_A", "changes": {"cents": 1}}

    assert load_world("long_chain_fork", faults=[fault]).truth.affected == {"A_a", "A_b"}


@pytest.mark.parametrize(
    ("settings", "matching", "other"),
    [
        ({}, parcel(ParcelKind.HANDOFF), None),
        ({"parcels": ["notice"]}, parcel(ParcelKind.NOTICE), parcel(ParcelKind.REVOCATION)),
        ({"edge": "chain_2 -> branch_a"}, parcel(ParcelKind.NOTICE), parcel(ParcelKind.NOTICE, "branch_a", "chain_2")),
        (
            {"edge": "shared_upstream/routed"},
            parcel(ParcelKind.NOTICE, "chain_1", "chain_2"),
            parcel(ParcelKind.NOTICE, "chain_2", "branch_a"),
        ),
    ],
    ids=["everything", "a kind", "an edge", "a critical edge"],
)
def test_late_link_delays_what_it_names_and_nothing_else(
    settings: dict, matching: Parcel, other: Parcel | None
) -> None:
    (tap,) = load_world("long_chain_fork", faults=[{"kind": "late_link", "delay": 9, **settings}]).taps

    assert tap.delay(matching, 1) == 9
    assert other is None or tap.delay(other, 1) == 1


def test_a_link_is_never_made_faster() -> None:
    (tap,) = load_world("long_chain_fork", faults=[LateLink(delay=3)]).taps

    assert tap.delay(parcel(ParcelKind.NOTICE), 8) == 8


def test_the_first_parcels_of_each_edge_are_lost() -> None:
    (tap,) = load_world("long_chain_fork", faults=[{"kind": "drop_in_transit", "parcels": ["notice"], "first": 2}]).taps
    run = tap.fresh()
    one, other = parcel(ParcelKind.NOTICE), parcel(ParcelKind.NOTICE, "chain_2", "branch_b")
    receipt = parcel(ParcelKind.NOTICE_RECEIPT)

    assert [run.transit(item) for item in (one, receipt, other, one, one, other, other)] == [
        None, receipt, None, None, one, None, other,
    ]  # fmt: skip


def test_runs_of_one_world_do_not_share_what_a_tap_has_counted() -> None:
    world = load_world("long_chain_fork", faults=[{"kind": "drop_in_transit", "first": 1}])

    for _ in range(2):
        run = world.taps[0].fresh()
        assert [run.transit(parcel(ParcelKind.NOTICE)) is None for _ in range(2)] == [True, False]


def test_a_lost_handoff_affects_the_tasks_that_rest_on_it_and_a_lost_notice_none() -> None:
    drop = {"kind": "drop_in_transit", "edge": "chain_2 -> branch_a"}

    assert load_world("long_chain_fork", faults=[{**drop, "parcels": ["handoff"]}]).truth.affected == {"A_a", "C_a"}
    assert load_world("long_chain_fork", faults=[{**drop, "parcels": ["notice"]}]).truth.affected == set()


def test_a_second_root_may_be_given_a_name() -> None:
    fault = {"kind": "conflicting_source", "claim": "root_C", "changes": {"cents": 3}, "name": "other_root"}
    world = load_world("long_chain_fork", faults=[fault])

    assert {provide.claims for _, provide in world.extra_seeds} == {("other_root",)}
    assert world.truth.affected == {"C_a", "C_b"}


REFUSED = {
    "second root of a derived claim": (
        {"kind": "conflicting_source", "claim": "shared_A", "changes": {"cents": 3}},
        "claim is 'shared_A', which derives from root_A; expected a root",
    ),
    "second root under a name that is taken": (
        {"kind": "conflicting_source", "claim": "root_A", "changes": {"cents": 3}, "name": "root_C"},
        "name is 'root_C', which is a claim of the topology already",
    ),
    "an edge the claim does not take": (
        {"kind": "tamper_in_transit", "claim": "branch_A_a", "changes": {"cents": 3}, "edge": "source -> chain_1"},
        "edge is 'source -> chain_1', and no route along it carries 'branch_A_a'",
    ),
    "a part the value does not have": (
        {"kind": "tamper_in_transit", "claim": "root_A", "changes": {"cent": 3}},
        "changes.cent is no part of the claim's value; did you mean 'cents'?",
    ),
    "an edge of one organization": (
        {"kind": "late_link", "delay": 1, "edge": "source -> source"},
        "edge is 'source -> source'; expected two different organizations",
    ),
    "an edge that has no such name": (
        {"kind": "late_link", "delay": 1, "edge": "shared_upstream/rooted"},
        "edge is 'shared_upstream/rooted', which names no edge; did you mean 'shared_upstream/routed'?",
    ),
    "an order nobody knows": (
        {"kind": "authority_unknown", "order": "B"},
        "order is 'B', which is not on record; expected one of A, C",
    ),
    "a fractional value": (
        {"kind": "tamper_in_transit", "claim": "root_A", "changes": {"cents": 1.5}},
        "changes is refused: value 'cents' is or holds a float, expected text, whole numbers, true or false",
    ),
}


@pytest.mark.parametrize(("fault", "problem"), REFUSED.values(), ids=REFUSED)
def test_a_fault_that_does_not_fit_the_world_is_refused(fault: dict, problem: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_world("long_chain_fork", faults=[fault])

    assert caught.value.problems == (f"faults[0].{problem}",)


REPEATED = {
    "revocation": ({"kind": "revoke", "claim": "root_A"}, "claim is 'root_A', which an earlier fault revokes already"),
    "second root": (
        {"kind": "conflicting_source", "claim": "root_A", "changes": {"cents": 3}},
        "name is 'conflicting_root_A', which an earlier fault uses; give another name",
    ),
}


@pytest.mark.parametrize(("fault", "problem"), REPEATED.values(), ids=REPEATED)
def test_what_can_happen_only_once_is_refused_the_second_time(fault: dict, problem: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_world("long_chain_fork", faults=[fault, fault])

    assert caught.value.problems == (f"faults[1].{problem}",)


def test_a_claim_is_also_altered_where_it_travels_as_evidence() -> None:
    """branch_a hands on branch_A_a with all it derives from, root_A among it."""
    fault = {"kind": "tamper_in_transit", "claim": "root_A", "changes": {"cents": 3}, "edge": "branch_a -> receiver_a"}

    assert load_world("long_chain_fork", faults=[fault]).truth.affected == {"A_a"}


def test_an_authority_without_records_cannot_be_made_ignorant() -> None:
    with pytest.raises(ScenarioError, match="the fact authority has no record of any order"):
        load_world("long_chain_fork", business="release", faults=[{"kind": "authority_unknown", "order": "A"}])


@pytest.mark.parametrize("name", examples())
def test_a_world_can_be_sent_to_another_process(name: str) -> None:
    world = load_scenario(shipped_file("examples", name))

    assert pickle.loads(pickle.dumps(world)) == world


def test_several_faults_in_one_file_each_have_their_effect() -> None:
    """Worked out by hand from the file: order A is published wrong, and branch_C_b is revoked."""
    world = load_scenario(shipped_file("examples", "several_faults"))

    assert world.truth.affected == {"A_a", "A_b", "C_b"}
    assert world.truth.invalid == {"branch_C_b"}
    assert world.truth.expected == {"A": 15600, "C": 12800}
    assert len(world.taps) == 2
    assert len(world.revisions) == 1
    assert world.network.retransmit_after == 4
    assert (world.schedule.act, world.schedule.end) == (12, 1000)
