"""Published vectors: RFC 8032 section 7.1 (Ed25519), FIPS 180-4 (SHA-256), RFC 8785 (canonical JSON)."""

import json
import struct
from typing import NamedTuple

import pytest

from trustrail.errors import CanonicalizationError, SignatureError
from trustrail.foundation import PublicKey, SigningKey, canonical_json, digest, digest_hex, parse_json


class Ed25519Vector(NamedTuple):
    seed: str
    public: str
    message: str
    signature: str


ED25519 = {
    "test 1: the empty message": Ed25519Vector(
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        "d25bf5f0595bbe24655141438e7a100b",
    ),
    "test 2: one byte": Ed25519Vector(
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        "387b2eaeb4302aeeb00d291612bb0c00",
    ),
    "test 3: two bytes": Ed25519Vector(
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        "4a7c15e9716ed28dc027beceea1ec40a",
    ),
    "test SHA(abc): 64 bytes": Ed25519Vector(
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
        "454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030"
        "3dca179c138ac17ad9bef1177331a704",
    ),
}


@pytest.mark.parametrize("vector", ED25519.values(), ids=ED25519)
def test_keys_and_signatures_are_those_of_rfc_8032(vector: Ed25519Vector):
    key = SigningKey(bytes.fromhex(vector.seed))
    message = bytes.fromhex(vector.message)
    assert key.public.raw.hex() == vector.public
    assert key.sign(message).hex() == vector.signature
    PublicKey(bytes.fromhex(vector.public)).verify(message, bytes.fromhex(vector.signature))
    with pytest.raises(SignatureError, match="does not hold under the key"):
        key.public.verify(message + b"\x00", bytes.fromhex(vector.signature))


SHA256 = {
    "empty": (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    "abc": (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    "two blocks": (
        b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ),
}


@pytest.mark.parametrize(("message", "expected"), SHA256.values(), ids=SHA256)
def test_digests_are_those_of_fips_180_4(message: bytes, expected: str):
    assert digest_hex(message) == expected
    assert digest(message) == bytes.fromhex(expected)


NUMBERS = {
    "zero": ("0000000000000000", "0"),
    "minus zero": ("8000000000000000", "0"),
    "smallest positive": ("0000000000000001", "5e-324"),
    "smallest negative": ("8000000000000001", "-5e-324"),
    "largest positive": ("7fefffffffffffff", "1.7976931348623157e+308"),
    "largest negative": ("ffefffffffffffff", "-1.7976931348623157e+308"),
    "2**53": ("4340000000000000", "9007199254740992"),
    "-2**53": ("c340000000000000", "-9007199254740992"),
    "about 2**68": ("4430000000000000", "295147905179352830000"),
    "just below 1e+23": ("44b52d02c7e14af5", "9.999999999999997e+22"),
    "1e+23": ("44b52d02c7e14af6", "1e+23"),
    "just above 1e+23": ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    "999999999999999700000": ("444b1ae4d6e2ef4e", "999999999999999700000"),
    "999999999999999900000": ("444b1ae4d6e2ef4f", "999999999999999900000"),
    "1e+21": ("444b1ae4d6e2ef50", "1e+21"),
    "9.999999999999997e-7": ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    "0.000001": ("3eb0c6f7a0b5ed8d", "0.000001"),
    "333333333.3333332": ("41b3de4355555553", "333333333.3333332"),
    "333333333.33333325": ("41b3de4355555554", "333333333.33333325"),
    "333333333.3333333": ("41b3de4355555555", "333333333.3333333"),
    "333333333.3333334": ("41b3de4355555556", "333333333.3333334"),
    "333333333.33333343": ("41b3de4355555557", "333333333.33333343"),
    "-0.0000033333333333333333": ("becbf647612f3696", "-0.0000033333333333333333"),
    "round to even": ("43143ff3c1cb0959", "1424953923781206.2"),
}


@pytest.mark.parametrize(("bits", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_written_as_in_appendix_b_of_rfc_8785(bits: str, expected: str):
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_json(number) == expected.encode()


@pytest.mark.parametrize("bits", ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])
def test_numbers_that_appendix_b_calls_errors_are_refused(bits: str):
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    with pytest.raises(CanonicalizationError, match=r"^\$\.total: is .*, expected a finite number"):
        canonical_json({"total": number})


def test_keys_are_sorted_as_in_section_3_2_3_of_rfc_8785():
    document = r"""{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"}"""
    written = json.loads(canonical_json(parse_json(document)))
    assert list(written.values()) == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


def test_the_sample_object_of_rfc_8785_has_the_bytes_of_section_3_2_4():
    document = r"""{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"""
    expected = (
        "7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65"
        "72 73 22 3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30 2c 34 2e 35 2c 30 2e 30"
        "30 32 2c 31 65 2d 32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c"
        "22 5c 5c 5c 5c 5c 22 2f 22 7d"
    )
    assert canonical_json(parse_json(document)) == bytes.fromhex(expected)
