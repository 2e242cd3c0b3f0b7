"""The wire: latency by kind of parcel, and taps asked in order, fresh for each run."""

from dataclasses import dataclass, field

import pytest

from mast.ids import ClaimName, OrganizationName
from mast.organizations.messages import Parcel, ParcelKind, PlainNote
from mast.runtime.network import Wire
from mast.scenario.world import Network

SOURCE, MIDDLE = OrganizationName("source"), OrganizationName("middle")


def parcel(kind: ParcelKind) -> Parcel:
    return Parcel(kind, SOURCE, MIDDLE, PlainNote(ClaimName("root_A"), {}))


@dataclass
class CountingTap:
    """Loses every second parcel, slows the others down, and remembers what it saw."""

    slower: int = 3
    seen: list[ParcelKind] = field(default_factory=list)

    def transit(self, parcel: Parcel) -> Parcel | None:
        self.seen.append(parcel.kind)
        return parcel if len(self.seen) % 2 else None

    def delay(self, parcel: Parcel, latency: int) -> int:
        return latency + self.slower

    def fresh(self) -> "CountingTap":
        return CountingTap(self.slower)


@pytest.mark.parametrize("kind", ParcelKind)
def test_the_reference_network_takes_one_tick_for_news_and_none_for_anything_else(kind: ParcelKind):
    carried = Wire(Network(), ()).carry(parcel(kind))
    assert carried == (1 if kind in (ParcelKind.NOTICE, ParcelKind.REVOCATION) else 0, parcel(kind))


def test_each_kind_of_parcel_has_its_own_latency():
    wire = Wire(Network(latency={"status_query": 4, "status_reply": 6}), ())
    ticks = [wire.carry(parcel(kind)) for kind in (ParcelKind.STATUS_QUERY, ParcelKind.STATUS_REPLY, ParcelKind.NOTICE)]
    assert [item and item[0] for item in ticks] == [4, 6, 0]


def test_taps_are_asked_in_order_until_one_loses_the_parcel():
    wire = Wire(Network(), (CountingTap(3), CountingTap(10)))
    first, second, third = (wire.carry(parcel(ParcelKind.NOTICE)) for _ in range(3))
    assert first is not None
    assert first[0] == 1 + 3 + 10
    assert second is None
    # The first tap lost the second parcel, so the other one counts this as its second.
    assert third is None


def test_two_runs_do_not_share_what_a_tap_has_seen():
    tap = CountingTap()
    for _ in range(2):
        carried = Wire(Network(), (tap,)).carry(parcel(ParcelKind.HANDOFF))
        assert carried is not None
        assert carried[0] == 3
    assert tap.seen == []
