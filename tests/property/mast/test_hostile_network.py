"""A network that alters, truncates, crosses, delays and loses parcels by chance: no run ever stops on it."""

from dataclasses import dataclass, field, replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mast.experiments.scoring import score
from mast.organizations.agents.stochastic import uniform
from mast.organizations.messages import Parcel, ParcelKind, PlainClaim, PlainNote
from mast.protocol.mechanisms import ABLATIONS, LAYERS, mechanisms_named
from mast.runtime import run_world
from mast.scenario import load_world
from trustrail.foundation import SignedEnvelope

Item = SignedEnvelope | PlainClaim | PlainNote


def flipped(content: bytes, draw: float) -> bytes:
    if not content:
        return b"\x00"
    place = int(draw * len(content))
    return content[:place] + bytes([content[place] ^ (1 << int(draw * 1_000) % 8)]) + content[place + 1 :]


def altered(item: Item, draw: float) -> Item:
    """Return *item* changed in one of five ways; what is not signed is left alone."""
    if not isinstance(item, SignedEnvelope):
        return item
    way = int(draw * 5)
    payload, issuer, signature = item.payload, item.issuer, item.signature
    changed = (
        (flipped(payload, draw), issuer, signature),
        (payload, issuer, flipped(signature, draw)),
        (payload, "nobody", signature),
        (payload[: int(draw * len(payload))], issuer, signature),
        (b"", issuer, b""),
    )[way]
    return SignedEnvelope(*changed)


@dataclass
class Hostile:
    """Does something to one parcel in a few; what it does depends on the seed and the number of the parcel alone."""

    seed: int
    share: float
    seen: int = field(default=0)

    def transit(self, parcel: Parcel) -> Parcel | None:
        self.seen += 1
        draw = uniform(self.seed, "hostile", str(self.seen))
        if draw >= self.share:
            return parcel
        way = int(uniform(self.seed, "way", str(self.seen)) * 6)
        packet, attached = parcel.packet, parcel.attached
        inner = uniform(self.seed, "inner", str(self.seen))
        if way == 0:
            return None
        if way == 1:
            packet = altered(packet, inner)  # type: ignore[assignment]
        elif way == 2:
            attached = tuple(altered(item, inner) for item in attached)  # type: ignore[assignment]
        elif way == 3:
            attached = attached[::-1][: int(inner * 3)]
        elif way == 4:
            attached = attached * 2
        elif isinstance(packet, SignedEnvelope):
            attached = (*attached, packet)
        return Parcel(parcel.kind, parcel.sender, parcel.recipient, packet, attached, parcel.turn)

    def delay(self, parcel: Parcel, latency: int) -> int:
        draw = uniform(self.seed, "delay", str(self.seen))
        return latency + int(draw * 12) if draw < self.share else latency

    def fresh(self) -> "Hostile":
        return Hostile(self.seed, self.share)


@dataclass
class Crossing:
    """Delivers one parcel in a few as another kind, from or to somebody else, or in place of an earlier one."""

    seed: int
    share: float
    names: tuple[str, ...]
    earlier: list[Parcel] = field(default_factory=list)

    def transit(self, parcel: Parcel) -> Parcel:
        self.earlier.append(parcel)
        number = str(len(self.earlier))
        if uniform(self.seed, "crossing", number) >= self.share:
            return parcel
        choice = uniform(self.seed, "choice", number)
        name = self.names[int(choice * len(self.names))]
        other = self.earlier[int(choice * len(self.earlier))]
        kinds = list(ParcelKind)
        crossed = (
            {"kind": kinds[int(choice * len(kinds))]},
            {"sender": name},
            {"recipient": name},
            {"kind": other.kind, "packet": other.packet, "attached": other.attached},
            {"attached": (*parcel.attached, other.packet)},
        )[int(uniform(self.seed, "way", number) * 5)]
        return msgspec.structs.replace(parcel, **crossed)

    def delay(self, parcel: Parcel, latency: int) -> int:
        return latency

    def fresh(self) -> "Crossing":
        return Crossing(self.seed, self.share, self.names)


CASES = ("active", "confirmed_repair", "late_notice", "conflicting_sources", "tampered_handoff")


@pytest.mark.parametrize("layer", [*LAYERS, *ABLATIONS])
@given(
    case=st.sampled_from(CASES),
    topology=st.sampled_from(["long_chain_fork", "converge_then_fork", "reused_org_independent"]),
    seed=st.integers(0, 10_000),
    share=st.sampled_from([0.02, 0.1, 0.3]),
    crossing=st.booleans(),
)
@settings(max_examples=8, derandomize=True, deadline=None)
def test_no_run_stops_on_what_a_hostile_network_does(
    layer: str, case: str, topology: str, seed: int, share: float, crossing: bool
):
    world = load_world(topology, case)
    world = replace(
        world,
        taps=(*world.taps, Crossing(seed, share, world.organizations) if crossing else Hostile(seed, share)),
        network=replace(world.network, retransmit_after=3, query_timeout=8),
        schedule=replace(world.schedule, end=400),
    )
    records = [run_world(world, mechanisms_named(layer), run_id="hostile") for _ in range(2)]
    assert records[0].digest == records[1].digest
    result = score(world, records[0].lines, signatures=0, verifications=0)
    assert len(result.tasks) == 4
    if layer == "L4":
        assert result.metrics.unsafe_completions == 0


def test_the_hostile_network_is_hostile():
    """The counterpart: parcels really are refused and lost, so the runs above have been through something."""
    world = load_world("converge_then_fork", "confirmed_repair")
    hostile = replace(world, taps=(Hostile(1, 0.3),), schedule=replace(world.schedule, end=400))
    record = run_world(hostile, mechanisms_named("L4"), run_id="hostile")
    metrics = score(hostile, record.lines, signatures=0, verifications=0).metrics
    assert metrics.refusals > 5
    assert metrics.correct_completions < 4
