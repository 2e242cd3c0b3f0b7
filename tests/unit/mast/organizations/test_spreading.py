"""The news of a revocation or dispute: hop by hop, broadcast, sent again until a receipt, or kept."""

from dataclasses import replace

import pytest

from mast.ids import ClaimName
from mast.organizations.messages import ParcelKind, Revoke, WakeAfter, Woken
from mast.protocol.mechanisms import FREEZE_ARMS, LAYERS
from tests.organization_world import Organizations
from tests.protocol_world import Entry


def seeded(mechanisms="L4", **settings) -> Organizations:
    organizations = Organizations(mechanisms, **settings)
    organizations.seed()
    organizations.sent.clear()
    return organizations


def revoke_root(organizations: Organizations) -> None:
    organizations.tell("source", Revoke(claim=ClaimName("root_A")))


def routes(organizations: Organizations, kind: ParcelKind) -> list[tuple[str, str]]:
    return [(parcel.sender, parcel.recipient) for parcel in organizations.sent if parcel.kind is kind]


def test_a_notice_travels_along_the_handoffs_and_is_answered_on_each():
    organizations = seeded()
    revoke_root(organizations)
    assert routes(organizations, ParcelKind.NOTICE) == [("source", "middle"), ("middle", "receiver")]
    assert sorted(routes(organizations, ParcelKind.NOTICE_RECEIPT)) == [("middle", "source"), ("receiver", "middle")]
    view = organizations.world["receiver"]
    assert not view.graph.stands(view.latest["shared_A"])
    assert view.graph.stands(view.latest["authorization_A"])


def test_without_notices_nobody_is_told():
    organizations = seeded("L3")
    revoke_root(organizations)
    assert organizations.sent == []
    assert organizations.world["receiver"].graph.stands(organizations.world["receiver"].latest["shared_A"])


def test_a_broadcast_goes_to_everybody_at_once_and_is_not_passed_on():
    organizations = seeded(FREEZE_ARMS["broadcast_dependency"])
    revoke_root(organizations)
    everybody = [("source", name) for name in ("middle", "receiver", "buyer", "mallory")]
    assert routes(organizations, ParcelKind.REVOCATION) == everybody
    assert len(organizations.sent) == len(everybody)
    view = organizations.world["receiver"]
    assert not view.graph.stands(view.latest["shared_A"])
    assert organizations.world["mallory"].graph.anything_withdrawn


def test_a_contradiction_learned_by_asking_is_passed_on_as_a_dispute():
    organizations = seeded()
    organizations.provide("receiver", "mallory", "copy_A", parents=("shared_A",))
    organizations.world.registry[("A", "CNY")] = Entry(15_600)
    organizations.sent.clear()
    organizations.act()
    assert ("receiver", "mallory") in routes(organizations, ParcelKind.NOTICE)
    assert organizations.world["mallory"].disputes


# --- retransmission --------------------------------------------------------------------------------------------


def wait(organizations: Organizations, name: str = "source") -> WakeAfter:
    """Return the last clock that *name* has set for a notice."""
    return [wake for owner, wake in organizations.wakes if owner == name and wake.token.startswith("notice:")][-1]


def test_an_unanswered_notice_is_sent_again_after_waits_that_double_until_the_limit():
    organizations = seeded(retransmit_after=4, retransmit_limit=3)
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.NOTICE
    revoke_root(organizations)
    waits = [wait(organizations).ticks]
    for _ in range(5):
        organizations.now += waits[-1]
        count = len(organizations.wakes)
        organizations.tell("source", Woken(wait(organizations).token))
        if len(organizations.wakes) == count:
            break
        waits.append(wait(organizations).ticks)
    assert waits == [4, 8, 16, 32]
    assert len(routes(organizations, ParcelKind.NOTICE)) == 1 + 3
    (notice,) = {parcel.packet.id for parcel in organizations.sent}
    attempts = [
        record.body["arguments"]["attempt"]
        for _, record in organizations.records
        if record.kind == "tool_call" and record.body["tool"] == "notice"
    ]
    assert attempts == [1, 2, 3, 4]
    assert notice in organizations.world["source"].notices


def test_a_notice_lost_twice_arrives_the_third_time_and_is_not_sent_again():
    organizations = seeded(retransmit_after=4)
    lost = []

    def loses_two(parcel) -> bool:
        if parcel.kind is ParcelKind.NOTICE and parcel.sender == "source" and len(lost) < 2:
            lost.append(parcel)
            return False
        return True

    organizations.carries = loses_two
    revoke_root(organizations)
    for _ in range(2):
        organizations.tell("source", Woken(wait(organizations).token))
    view = organizations.world["receiver"]
    assert not view.graph.stands(view.latest["shared_A"])
    before = len(organizations.sent)
    organizations.tell("source", Woken(wait(organizations).token))
    assert len(organizations.sent) == before


def test_a_lost_receipt_leads_to_the_same_notice_again_and_is_not_processed_twice():
    organizations = seeded(retransmit_after=4)
    organizations.carries = lambda parcel: parcel.kind is not ParcelKind.NOTICE_RECEIPT
    revoke_root(organizations)
    length = organizations.world["middle"].journal.length
    organizations.carries = lambda parcel: True
    organizations.tell("source", Woken(wait(organizations).token))
    assert organizations.world["middle"].journal.length == length
    (sent,) = organizations.world["source"].notices.values()
    assert sent.receipt is not None


def test_a_coarse_freeze_stops_an_unrelated_action_of_whoever_knows():
    organizations = seeded(replace(LAYERS["L4"], freeze=FREEZE_ARMS["routed_workload"].freeze))
    revoke_root(organizations)
    organizations.act(operation="release", claims=(ClaimName("authorization_A"),))
    assert organizations.outcomes() == [("BLOCKED", "program", "workload_frozen")]


@pytest.mark.parametrize("kind", [ParcelKind.NOTICE, ParcelKind.NOTICE_RECEIPT, ParcelKind.HANDOFF])
def test_a_packet_delivered_twice_changes_nothing_the_second_time(kind: ParcelKind):
    organizations = seeded()
    revoke_root(organizations)
    if kind is ParcelKind.HANDOFF:
        organizations.provide("source", "middle", "root_B", value={"cents": 1, "currency": "CNY", "order": "B"})
    parcel = next(parcel for parcel in organizations.sent if parcel.kind is kind)
    lengths = {name: view.journal.length for name, view in organizations.world.views.items()}
    organizations.tell(parcel.recipient, parcel)
    assert {name: view.journal.length for name, view in organizations.world.views.items()} == lengths
    assert organizations.refusals() == []
