"""The shared ground: canonical bytes, digests, keys, envelopes, hash chains, the clock port.

Nothing in the three packages is signed or hashed except through here, and this package imports
nothing of ours but the error classes.
"""

from trustrail.foundation.canonical import (
    MAX_DEPTH,
    MAX_SAFE_INTEGER,
    canonical_json,
    canonical_json_lines,
    canonical_msgpack,
    canonical_struct,
    check_value,
    parse_json,
    parse_msgpack,
    require_canonical,
)
from trustrail.foundation.chain import GENESIS, HashChain, chain_link, chain_links, verify_chain
from trustrail.foundation.clock import Clock, FixedClock, SystemClock
from trustrail.foundation.digest import digest, digest_hex
from trustrail.foundation.envelope import SignedEnvelope, open_envelope, seal
from trustrail.foundation.keys import PublicKey, SigningKey, Verifier, VerifyMode

__all__ = [
    "GENESIS",
    "MAX_DEPTH",
    "MAX_SAFE_INTEGER",
    "Clock",
    "FixedClock",
    "HashChain",
    "PublicKey",
    "SignedEnvelope",
    "SigningKey",
    "SystemClock",
    "Verifier",
    "VerifyMode",
    "canonical_json",
    "canonical_json_lines",
    "canonical_msgpack",
    "canonical_struct",
    "chain_link",
    "chain_links",
    "check_value",
    "digest",
    "digest_hex",
    "open_envelope",
    "parse_json",
    "parse_msgpack",
    "require_canonical",
    "seal",
    "verify_chain",
]
