"""Keys, the verifier and its three modes."""

import pytest

from trustrail.errors import SignatureError
from trustrail.foundation import PublicKey, SigningKey, Verifier, VerifyMode, digest

SEED = bytes(range(32))
MESSAGE = b"an invoice over 128.00 CNY"


def test_the_text_of_a_private_key_never_shows_its_seed():
    key = SigningKey(SEED)
    for text in (repr(key), str(key), f"{key}", repr([key]), repr(Verifier(VerifyMode.MAC).signer(key))):
        assert SEED.hex() not in text
        assert key.public.raw.hex() in text
    assert key.seed() == SEED


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_seed_of_another_length_is_refused_without_being_shown(length: int):
    with pytest.raises(SignatureError, match=f"seed is {length} bytes long, expected 32") as caught:
        SigningKey(b"\xa5" * length)
    assert "a5a5" not in str(caught.value)


def test_a_public_key_of_another_length_is_refused():
    with pytest.raises(SignatureError, match="public key is 31 bytes long, expected 32"):
        PublicKey(bytes(31))


def test_derived_keys_depend_on_every_label_and_on_where_labels_end():
    keys = [
        SigningKey.derive(*labels).public.raw for labels in [("a",), ("a", "b"), ("ab",), ("b", "a"), ("a", "", "b")]
    ]
    assert len(set(keys)) == len(keys)
    assert SigningKey.derive("a", "b").public.raw == keys[1]


def test_generated_keys_differ():
    assert SigningKey.generate().public != SigningKey.generate().public


def test_public_keys_are_equal_and_hash_alike_exactly_when_their_bytes_are():
    one, other = SigningKey(SEED).public, SigningKey.derive("other").public
    assert one == PublicKey(one.raw)
    assert hash(one) == hash(PublicKey(one.raw))
    assert one != other
    assert one != one.raw


@pytest.mark.parametrize("mode", VerifyMode)
def test_every_mode_accepts_what_was_signed_and_refuses_everything_else(mode: VerifyMode):
    verifier, key, other = Verifier(mode), SigningKey(SEED), SigningKey.derive("other")
    signature = verifier.signer(key).sign(MESSAGE)
    assert len(signature) == 64
    verifier.verify(key.public, MESSAGE, digest(MESSAGE), signature)
    changed = MESSAGE + b"0"
    flipped = bytes([signature[0] ^ 1]) + signature[1:]
    for wrong_key, message, wrong in (
        (other.public, MESSAGE, signature),
        (key.public, changed, signature),
        (key.public, MESSAGE, flipped),
    ):
        with pytest.raises(SignatureError, match=f"does not hold under the key {wrong_key.raw[:4].hex()}…"):
            verifier.verify(wrong_key, message, digest(message), wrong)


def test_a_signature_of_another_length_is_refused_with_both_lengths():
    for wrong in (b"", bytes(63), bytes(65)):
        with pytest.raises(SignatureError, match=f"signature is {len(wrong)} bytes long, expected 64"):
            SigningKey(SEED).public.verify(MESSAGE, wrong)


def test_the_cached_mode_computes_a_check_once_and_counts_it_every_time():
    verifier, key = Verifier(VerifyMode.CACHED), SigningKey(SEED)
    signature = key.sign(MESSAGE)
    for _ in range(3):
        verifier.verify(key.public, MESSAGE, digest(MESSAGE), signature)
    assert (verifier.checks, verifier.computed) == (3, 1)


def test_a_failed_check_is_not_remembered_as_good():
    verifier, key = Verifier(VerifyMode.CACHED), SigningKey(SEED)
    for _ in range(2):
        with pytest.raises(SignatureError):
            verifier.verify(key.public, MESSAGE, digest(MESSAGE), bytes(64))
    assert (verifier.checks, verifier.computed) == (2, 2)


def test_the_uncached_mode_computes_every_check():
    verifier, key = Verifier(VerifyMode.ALWAYS), SigningKey(SEED)
    signature = key.sign(MESSAGE)
    for _ in range(3):
        verifier.verify(key.public, MESSAGE, digest(MESSAGE), signature)
    assert (verifier.checks, verifier.computed) == (3, 3)


def test_a_keyed_hash_is_no_signature():
    key = SigningKey(SEED)
    with pytest.raises(SignatureError, match="does not hold"):
        key.public.verify(MESSAGE, Verifier(VerifyMode.MAC).signer(key).sign(MESSAGE))
