"""Whatever is changed in whatever packet on the wire: it is refused, and the state is as it was."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mast.errors import Rejection
from mast.ids import OrganizationName
from mast.protocol import facts, handoffs, notices, revisions, revocations, status
from mast.protocol.packets import Bundle
from tests.protocol_world import ProtocolWorld, amount, number, snapshot
from trustrail.foundation import SignedEnvelope


def exchanges() -> dict[str, tuple[Any, Any, tuple[SignedEnvelope, ...]]]:
    """Return, by kind of packet, who reads it, how, and the packets as they came."""
    world = ProtocolWorld()
    root, relayed = world.chain()
    found: dict[str, Any] = {}
    child = world.issue("middle", "child", (relayed,))
    handoff = handoffs.prepare(world["middle"], [child], OrganizationName("buyer"))
    found["handoff"] = (world["buyer"], lambda view, bundle: handoffs.accept(view, bundle), handoff)
    other = handoffs.prepare(world["source"], [world.root("root_C", amount(order="C"))], OrganizationName("mallory"))
    receipt = handoffs.accept(world["mallory"], other).receipt_envelope
    found["receipt"] = (
        world["source"],
        lambda view, bundle: handoffs.acknowledge(view, bundle.packet),
        Bundle(receipt),
    )
    query = status.ask(world["receiver"], relayed, number(1))
    found["status query"] = (world["middle"], lambda view, bundle: status.reply(view, bundle.packet), Bundle(query))
    question = facts.ask(world["receiver"], root, number(1), number(2))
    found["fact query"] = (world["buyer"], lambda view, bundle: facts.reply(view, world.registry, bundle, 0), question)
    answer = facts.reply(world["buyer"], world.registry, question, 0)
    found["fact reply"] = (
        world["receiver"],
        lambda view, bundle: facts.receive(view, question.packet, root, bundle.packet, 0),
        Bundle(answer),
    )
    world.dispute("source", root)
    draft = revisions.draft(world["source"], root, amount(15_600))
    asked = revisions.ask_confirmation(world["source"], draft, number(5))
    confirmed = facts.reply(world["buyer"], world.registry, asked, 0)
    offer = revisions.publish(world["source"], draft, asked.packet, confirmed, 0)
    found["revision offer"] = (world["receiver"], lambda view, bundle: revisions.read_offer(view, bundle), offer)
    revocation = world.revoke("middle", relayed)
    found["revocation"] = (
        world["receiver"],
        lambda view, bundle: revocations.read_revocation(view, bundle.packet),
        Bundle(revocation),
    )
    reply = status.reply(world["middle"], query)
    found["status reply"] = (
        world["receiver"],
        lambda view, bundle: status.receive(view, query, relayed, bundle),
        reply,
    )
    (notice_id,) = (
        notice
        for notice in notices.queue(world["middle"], "revocation", relayed)
        if world["middle"].notices[notice].recipient == "receiver"
    )
    found["notice"] = (
        world["receiver"],
        lambda view, bundle: notices.accept(view, bundle),
        world["middle"].notices[notice_id].bundle,
    )
    return found


EXCHANGES = exchanges()


@pytest.mark.parametrize("kind", EXCHANGES)
@given(data=st.data())
@settings(max_examples=60, derandomize=True, deadline=None)
def test_any_changed_byte_of_any_packet_is_refused_and_nothing_changes(kind: str, data: st.DataObject):
    view, read, bundle = EXCHANGES[kind]
    packets = [bundle.packet, *bundle.attached]
    which = data.draw(st.integers(0, len(packets) - 1), label="packet")
    packet = packets[which]
    part = data.draw(st.sampled_from(["payload", "signature"]), label="part")
    content = bytearray(getattr(packet, part))
    place = data.draw(st.integers(0, len(content) - 1), label="byte")
    content[place] ^= data.draw(st.integers(1, 255), label="bits")
    changed = {"payload": packet.payload, "signature": packet.signature, part: bytes(content)}
    packets[which] = SignedEnvelope(changed["payload"], packet.issuer, changed["signature"])
    before = snapshot(view)
    with pytest.raises(Rejection) as caught:
        read(view, Bundle(packets[0], tuple(packets[1:])))
    assert caught.value.reason != "rejected"
    assert snapshot(view) == before


@pytest.mark.parametrize("kind", EXCHANGES)
@given(data=st.data())
@settings(max_examples=25, derandomize=True, deadline=None)
def test_any_bytes_in_place_of_a_packet_are_refused_and_nothing_changes(kind: str, data: st.DataObject):
    view, read, bundle = EXCHANGES[kind]
    payload = data.draw(st.binary(max_size=80), label="payload")
    issuer = data.draw(st.sampled_from(["source", "middle", "buyer", "stranger", ""]), label="issuer")
    forged = SignedEnvelope(payload, issuer, data.draw(st.binary(min_size=0, max_size=70), label="signature"))
    before = snapshot(view)
    with pytest.raises(Rejection):
        read(view, Bundle(forged, bundle.attached))
    assert snapshot(view) == before


@pytest.mark.parametrize("kind", EXCHANGES)
def test_the_packets_as_they_came_are_accepted(kind: str):
    """The counterpart of the others: untouched, the same packets pass."""
    view, read, bundle = exchanges()[kind]
    read(view, bundle)
