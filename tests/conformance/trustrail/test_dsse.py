"""DSSE: the published encoding vector, and what a signature does and does not cover.

The vector is the one of the specification (secure-systems-lab/dsse, protocol.md and implementation/signing_spec.py).
"""

import pytest

from trustrail.errors import SignatureError
from trustrail.evidence import Envelope, check_signature, key_id, pre_authentication_encoding, sign
from trustrail.foundation import PublicKey, SigningKey

KEY = SigningKey.derive("dsse", "test")
OTHER = SigningKey.derive("dsse", "other")


def test_the_published_vector_is_encoded_as_published():
    encoded = pre_authentication_encoding("http://example.com/HelloWorld", b"hello world")

    assert encoded == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_lengths_are_in_bytes_not_characters():
    # "é" is two bytes in UTF-8 (RFC 3629).
    assert pre_authentication_encoding("é", "é".encode()) == b"DSSEv1 2 \xc3\xa9 2 \xc3\xa9"


def test_type_and_payload_cannot_be_shifted_into_each_other():
    assert pre_authentication_encoding("a 1", b"b") != pre_authentication_encoding("a", b"1 b")


def test_the_signature_is_ed25519_over_the_encoding():
    envelope = sign("t", b"payload", KEY)

    KEY.public.verify(b"DSSEv1 1 t 7 payload", envelope.signature)
    assert len(envelope.signature) == 64


def test_a_signature_holds_under_any_of_the_trusted_keys():
    assert check_signature(sign("t", b"p", KEY), [OTHER.public, KEY.public]) == KEY.public


CHANGED = {
    "another payload": {"payload": b"q"},
    "another type": {"payload_type": "u"},
    "a cut signature": {"signature": sign("t", b"p", KEY).signature[:-1]},
    "an empty signature": {"signature": b""},
    "another key's signature": {"signature": sign("t", b"p", OTHER).signature},
}


@pytest.mark.parametrize("changes", CHANGED.values(), ids=CHANGED)
def test_a_signature_does_not_hold_for(changes):
    good = sign("t", b"p", KEY)
    fields = {name: getattr(good, name) for name in ("payload_type", "payload", "key_id", "signature")}

    with pytest.raises(SignatureError, match="holds under none of the trusted keys"):
        check_signature(Envelope(**(fields | changes)), [KEY.public])


def test_no_key_is_trusted_for_its_name():
    signature = sign("t", b"p", OTHER).signature
    forged = Envelope(payload_type="t", payload=b"p", key_id=key_id(KEY.public), signature=signature)

    with pytest.raises(SignatureError):
        check_signature(forged, [KEY.public])


def test_without_trusted_keys_nothing_holds():
    with pytest.raises(SignatureError, match="none"):
        check_signature(sign("t", b"p", KEY), [])


def test_a_key_is_named_by_the_digest_of_its_bytes():
    # RFC 8032 section 7.1, test 1: the public key of the published secret key.
    public = PublicKey(bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))

    assert key_id(public) == "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"
