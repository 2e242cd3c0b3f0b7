"""The boundary: what is no packet of this workflow, signed by its issuer, is read by nobody."""

from typing import Any

import msgpack
import pytest

from mast.errors import MalformedRejection, SignatureRejection, WorkflowRejection
from mast.protocol.packets import MAX_PACKET_BYTES, Claim, Handoff, Notice, StatusQuery
from tests.protocol_world import WORKFLOW, ProtocolWorld, amount, key_of, number, refused
from trustrail.foundation import SignedEnvelope, parse_msgpack, seal

CLAIM = ["claim", "source", WORKFLOW, "root_A", [], "relay", "total_charge", amount(), 1, None, None]
"""The fields of a claim, in the order they are signed."""


def claim_with(**changes: Any) -> list[Any]:
    """Return the fields of a claim with some of them changed."""
    names = ("kind", "issuer", "workflow", "name", "parents", "rule", "predicate", "value", "revision")
    return [changes.get(name, field) for name, field in zip((*names, "supersedes", "recovery"), CLAIM, strict=True)]


def raw(content: Any) -> SignedEnvelope:
    """Seal content as the wire allows it, canonical or not."""
    payload = content if isinstance(content, bytes) else msgpack.packb(content, unicode_errors="surrogatepass")
    return seal(payload, "source", key_of("source"))


def test_what_was_signed_is_what_is_read(world: ProtocolWorld):
    packet = Claim("source", WORKFLOW, "root_A", (), "relay", "total_charge", amount())
    envelope = world["source"].notary.sign(packet)
    assert world["middle"].notary.read(envelope, Claim) == packet
    assert parse_msgpack(envelope.payload) == tuple(tuple(item) if isinstance(item, list) else item for item in CLAIM)


def test_signatures_and_checks_are_counted(world: ProtocolWorld):
    source, middle = world["source"].notary, world["middle"].notary
    envelope = source.sign(StatusQuery("source", WORKFLOW, "middle", number(1), number(2)))
    middle.read(envelope, StatusQuery)
    middle.read(envelope, StatusQuery)
    assert (source.signatures, source.verifications, middle.verifications) == (1, 0, 2)


def test_signing_the_same_packet_again_gives_the_same_bytes(world: ProtocolWorld):
    packet = StatusQuery("source", WORKFLOW, "middle", number(1), number(2))
    assert world["source"].notary.sign(packet) == world.notary("source").sign(packet)


def test_every_changed_byte_of_a_packet_is_caught(world: ProtocolWorld):
    envelope = raw(CLAIM)
    view = world["middle"]
    for index in range(len(envelope.payload)):
        changed = bytearray(envelope.payload)
        changed[index] ^= 0x20
        with refused(view, SignatureRejection, "does not hold under the key"):
            view.notary.read(SignedEnvelope(bytes(changed), "source", envelope.signature), Claim)
    assert view.notary.read(envelope, Claim).name == "root_A"


def test_a_packet_by_somebody_the_directory_does_not_know_is_refused(world: ProtocolWorld):
    envelope = world.notary("stranger").sign(StatusQuery("stranger", WORKFLOW, "middle", number(1), number(2)))
    with refused(
        world["middle"], SignatureRejection, "by 'stranger': no public key is known for the issuer 'stranger'"
    ):
        world["middle"].notary.read(envelope, StatusQuery)


def test_a_packet_signed_by_another_key_than_its_issuers_is_refused(world: ProtocolWorld):
    envelope = world.sealed("mallory", CLAIM, name="source")
    with refused(world["middle"], SignatureRejection, r"packet [0-9a-f]{12}… by 'source': signature .* does not hold"):
        world["middle"].notary.read(envelope, Claim)


def test_a_packet_that_names_another_issuer_than_its_signer_is_refused(world: ProtocolWorld):
    envelope = world.sealed("mallory", CLAIM)
    with refused(world["middle"], MalformedRejection, "claim names the issuer 'source', but 'mallory' signed it"):
        world["middle"].notary.read(envelope, Claim)


def test_a_packet_of_another_workflow_is_refused(world: ProtocolWorld):
    envelope = world.notary("source", "other-desk").sign(
        StatusQuery("source", "other-desk", "middle", number(1), number(2))
    )
    with refused(
        world["middle"],
        WorkflowRejection,
        r"status query [0-9a-f]{12}… is of the workflow 'other-desk', expected 'order-desk'",
    ):
        world["middle"].notary.read(envelope, StatusQuery)


def test_a_packet_of_another_kind_is_refused(world: ProtocolWorld):
    envelope = raw(CLAIM)
    for kind, tag in ((Handoff, "handoff"), (Notice, "notice"), (StatusQuery, "status_query")):
        with refused(world["middle"], MalformedRejection, f"packet by 'source' is not a {tag}: Invalid value 'claim'"):
            world["middle"].notary.read(envelope, kind)


def test_a_packet_longer_than_the_limit_is_refused_before_its_signature_is_checked(world: ProtocolWorld):
    envelope = raw(claim_with(value={"note": "x" * MAX_PACKET_BYTES}))
    view = world["middle"]
    with refused(view, MalformedRejection, r"packet by 'source' is 65\d{3} bytes long, expected at most 65536"):
        view.notary.read(envelope, Claim)
    assert view.notary.verifications == 0


NOT_A_CLAIM = {
    "no bytes at all": (b"", "not a claim"),
    "no array": (msgpack.packb("claim"), "not a claim"),
    "a field is missing": (CLAIM[:6], "not a claim"),
    "a field too many": ([*CLAIM, "x"], "not a claim"),
    "bytes follow it": (msgpack.packb(CLAIM) + b"\x00", "not a claim"),
    "its end is missing": (msgpack.packb(CLAIM)[:-5], "not a claim"),
    "parents is a name": (claim_with(parents="root_B"), "Expected `array`, got `str`"),
    "a parent is no id": (claim_with(parents=[b"short"]), "Expected `bytes` of length >= 32"),
    "seventeen parents": (claim_with(parents=[number(n) for n in range(17)]), "Expected `array` of length <= 16"),
    "the name is empty": (claim_with(name=""), "Expected `str` of length >= 1"),
    "the name is too long": (claim_with(name="n" * 201), "Expected `str` of length <= 200"),
    "the value is no object": (claim_with(value=[1]), "Expected `object`, got `array`"),
    "the revision is 0": (claim_with(revision=0), "Expected `int` >= 1"),
    "the revision is beyond 2**53": (claim_with(revision=2**60), "Expected `int` <= 9007199254740991"),
    "the revision is true": (claim_with(revision=True), "Expected `int`, got `bool`"),
    "the amount is beyond 2**53": (claim_with(value=amount(2**53)), r"cents: is 9007199254740992, expected an integer"),
    "the amount is no number": (claim_with(value=amount(float("nan"))), r"cents: is nan, expected a finite number"),
    "the amount is infinite": (claim_with(value=amount(float("inf"))), r"cents: is inf, expected a finite number"),
    "the value holds bytes": (claim_with(value={"a": b"x"}), r"\$\.a: is a bytes"),
    "the value repeats a key": (msgpack.packb(CLAIM).replace(b"\xa8currency", b"\xa5order", 1), "not a claim"),
    "the value has its keys out of order": (claim_with(value={"b": 1, "a": 1}), "not a claim in canonical form"),
    "a number is written longer than needed": (
        msgpack.packb(CLAIM).replace(b"\xcd2\x00", b"\xce\x00\x002\x00", 1),
        "not a claim in canonical form",
    ),
    "the value has a number for a key": (claim_with(value={1: "x"}), "not a claim"),
    "the value has a lone surrogate": (claim_with(value={"order": "\ud800"}), "not a claim"),
    "the name has a lone surrogate": (claim_with(name="\udc00"), "not a claim"),
    "the value is nested 10,000 deep": (
        msgpack.packb(CLAIM).replace(b"\xa1A", b"\x91" * 10_000 + b"\xc0", 1),
        "not a claim",
    ),
    "the value is nested 100 deep": (
        msgpack.packb(CLAIM).replace(b"\xa1A", b"\x91" * 100 + b"\xc0", 1),
        "nested deeper than 32",
    ),
}


@pytest.mark.parametrize(("content", "problem"), NOT_A_CLAIM.values(), ids=NOT_A_CLAIM)
def test_a_signed_payload_that_is_no_claim_is_refused(world: ProtocolWorld, content: Any, problem: str):
    with refused(world["middle"], MalformedRejection, problem):
        world["middle"].notary.read(raw(content), Claim)


UNSIGNABLE = {
    "not a number": (amount(float("nan")), r"cents: is nan, expected a finite number"),  # type: ignore[arg-type]
    "an int beyond 2**53": (amount(-(2**53)), r"cents: is -9007199254740992, expected an integer"),
    "a lone surrogate": (amount(order="\ud800"), r"order: has the lone surrogate U\+D800 at index 0"),
    "an object of ours": ({"a": object()}, "is a object, which has no canonical form"),
}


@pytest.mark.parametrize(("value", "problem"), UNSIGNABLE.values(), ids=UNSIGNABLE)
def test_a_value_without_a_canonical_form_is_never_signed(world: ProtocolWorld, value: Any, problem: str):
    packet = Claim("source", WORKFLOW, "root_A", (), "relay", "total_charge", value)
    notary = world["source"].notary
    with refused(world["source"], MalformedRejection, f"claim by source cannot be signed: .*{problem}"):
        notary.sign(packet)
    assert notary.signatures == 0


def test_a_value_nested_too_deep_is_never_signed(world: ProtocolWorld):
    value: Any = 0
    for _ in range(10_000):
        value = [value]
    with refused(world["source"], MalformedRejection, "nested deeper than 32"):
        world["source"].notary.sign(Claim("source", WORKFLOW, "root_A", (), "relay", "total_charge", {"a": value}))


def test_a_name_with_a_lone_surrogate_is_never_signed(world: ProtocolWorld):
    with refused(world["source"], MalformedRejection, "claim by source cannot be signed: .*lone surrogate"):
        world["source"].notary.sign(Claim("source", WORKFLOW, "\ud800", (), "relay", "total_charge", amount()))


def test_a_packet_longer_than_the_limit_is_never_signed(world: ProtocolWorld):
    packet = Claim("source", WORKFLOW, "root_A", (), "relay", "total_charge", {"note": "x" * MAX_PACKET_BYTES})
    with refused(world["source"], MalformedRejection, r"is 65\d{3} bytes long, expected at most 65536"):
        world["source"].notary.sign(packet)
    assert world["source"].notary.signatures == 0
