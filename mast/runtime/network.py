"""The network: how long a parcel takes, and what faults do to it on the way.

One rule: nothing here looks into a state; a parcel and the taps decide. The reference network takes 1 tick for
notices and 0 for everything else.
"""

from mast.organizations.messages import Parcel
from mast.scenario.world import Network, Tap


class Wire:
    """The network of one run."""

    __slots__ = ("_latency", "_taps")

    def __init__(self, network: Network, taps: tuple[Tap, ...]) -> None:
        self._latency = network.latency
        self._taps = tuple(tap.fresh() for tap in taps)

    def carry(self, parcel: Parcel) -> tuple[int, Parcel] | None:
        """Return the ticks until *parcel* arrives and the parcel as it arrives, or None when it is lost."""
        latency = self._latency.get(parcel.kind, 0)
        for tap in self._taps:
            latency = tap.delay(parcel, latency)
            arriving = tap.transit(parcel)
            if arriving is None:
                return None
            parcel = arriving
        return latency, parcel
