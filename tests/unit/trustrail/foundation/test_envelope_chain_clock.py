"""The signed envelope, the hash chain and the clock that stands still."""

import pytest

from trustrail.errors import ChainError, SignatureError, UnknownKeyError
from trustrail.foundation import (
    GENESIS,
    FixedClock,
    HashChain,
    SignedEnvelope,
    SigningKey,
    Verifier,
    chain_link,
    digest,
    open_envelope,
    seal,
    verify_chain,
)

KEY = SigningKey(bytes(range(32)))
DIRECTORY = {"acme": KEY.public, "globex": SigningKey.derive("globex").public}
PAYLOAD = b"\x93\xa5claim\x01\x02"


def test_an_envelope_opens_to_the_bytes_that_were_sealed():
    envelope = seal(PAYLOAD, "acme", KEY)
    assert open_envelope(envelope, DIRECTORY, Verifier()) == PAYLOAD


def test_an_envelope_is_named_by_the_digest_of_the_bytes_signed_and_not_by_its_signature():
    envelope = seal(PAYLOAD, "acme", KEY)
    assert envelope.id == digest(b"trustrail-envelope-v1\x00" + PAYLOAD)
    assert SignedEnvelope(PAYLOAD, "acme", bytes(64)).id == envelope.id
    assert SignedEnvelope(PAYLOAD, "acme", bytes(64)) != envelope


def test_a_signature_made_outside_an_envelope_does_not_hold_in_one():
    bare = SignedEnvelope(PAYLOAD, "acme", KEY.sign(PAYLOAD))
    with pytest.raises(SignatureError, match="does not hold under the key"):
        open_envelope(bare, DIRECTORY, Verifier())


def test_an_envelope_of_an_unknown_issuer_is_not_opened():
    with pytest.raises(UnknownKeyError, match="no public key is known for the issuer 'initech'"):
        open_envelope(seal(PAYLOAD, "initech", KEY), DIRECTORY, Verifier())


def test_an_envelope_under_somebody_elses_name_is_not_opened():
    with pytest.raises(SignatureError, match="does not hold"):
        open_envelope(seal(PAYLOAD, "globex", KEY), DIRECTORY, Verifier())


def test_changing_any_byte_of_payload_or_signature_keeps_an_envelope_shut():
    envelope = seal(PAYLOAD, "acme", KEY)
    for index in range(len(PAYLOAD)):
        changed = PAYLOAD[:index] + bytes([PAYLOAD[index] ^ 0x40]) + PAYLOAD[index + 1 :]
        with pytest.raises(SignatureError):
            open_envelope(SignedEnvelope(changed, "acme", envelope.signature), DIRECTORY, Verifier())
    for index in range(64):
        signature = bytearray(envelope.signature)
        signature[index] ^= 0x01
        with pytest.raises(SignatureError):
            open_envelope(SignedEnvelope(PAYLOAD, "acme", bytes(signature)), DIRECTORY, Verifier())


def test_envelopes_are_equal_exactly_when_they_came_alike():
    envelope = seal(PAYLOAD, "acme", KEY)
    assert envelope == seal(PAYLOAD, "acme", KEY)
    assert len({envelope, seal(PAYLOAD, "acme", KEY)}) == 1
    assert envelope != seal(PAYLOAD, "globex", KEY)
    assert envelope != PAYLOAD


def test_the_size_of_an_envelope_is_payload_signature_and_name():
    assert len(seal(PAYLOAD, "acme", KEY)) == len(PAYLOAD) + 64 + len("acme")


def test_the_text_of_an_envelope_names_it_and_hides_its_content():
    envelope = seal(b"secret terms", "acme", KEY)
    assert repr(envelope) == f"SignedEnvelope(id={envelope.id.hex()[:12]}…, issuer='acme', 12 bytes)"


ENTRIES = [b"first", b"", b"third"]


def chained() -> list[tuple[bytes, bytes]]:
    chain = HashChain()
    return [(entry, chain.append(entry)) for entry in ENTRIES]


def test_the_empty_chain_has_the_head_of_zeros():
    assert (HashChain().head, HashChain().length) == (bytes(32), 0)
    assert verify_chain([]) == GENESIS


def test_each_head_is_the_digest_of_the_head_before_and_the_entry():
    first = digest(bytes(32) + b"first")
    second = digest(first + b"")
    third = digest(second + b"third")
    assert [recorded for _, recorded in chained()] == [first, second, third]
    assert chain_link(second, b"third") == third
    assert verify_chain(chained(), head=third) == third


BROKEN = {
    "an entry is changed": (lambda links: [links[0], (b"x", links[1][1]), links[2]], 1),
    "an entry is left out": (lambda links: [links[0], links[2]], 1),
    "two entries are swapped": (lambda links: [links[1], links[0], links[2]], 0),
    "a head is changed": (lambda links: [*links[:2], (links[2][0], bytes(32))], 2),
}


@pytest.mark.parametrize(("damage", "index"), BROKEN.values(), ids=BROKEN)
def test_a_damaged_chain_is_refused_at_the_first_entry_that_does_not_fit(damage, index: int):
    with pytest.raises(ChainError, match=f"entry {index}: head is [0-9a-f]{{64}}, expected [0-9a-f]{{64}}") as caught:
        verify_chain(damage(chained()))
    assert caught.value.index == index


def test_a_chain_that_was_cut_short_does_not_end_on_its_known_head():
    links = chained()
    with pytest.raises(ChainError, match="entry 2: chain ends on"):
        verify_chain(links[:2], head=links[2][1])


def test_a_chain_goes_on_from_a_kept_head_and_length():
    links = chained()
    resumed = HashChain(links[1][1], 2)
    assert (resumed.append(ENTRIES[2]), resumed.length) == (links[2][1], 3)


def test_a_fixed_clock_moves_only_when_told():
    clock = FixedClock(10.0)
    assert (clock.now(), clock.now()) == (10.0, 10.0)
    clock.advance(2.5)
    assert clock.now() == 12.5
