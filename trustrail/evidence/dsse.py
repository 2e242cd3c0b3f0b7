"""DSSE envelopes (Dead Simple Signing Envelope, version 1) with Ed25519.

What is signed is the pre-authentication encoding of the payload's type and bytes, so that neither can be
reinterpreted. The payload is never encoded again: its bytes are kept and checked as they came.

References:
    https://github.com/secure-systems-lab/dsse/blob/v1.0.0/protocol.md
"""

from collections.abc import Sequence
from dataclasses import dataclass

from trustrail.errors import SignatureError
from trustrail.foundation import PublicKey, SigningKey, digest_hex


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A signed payload."""

    payload_type: str
    payload: bytes
    key_id: str
    """Names the key that signed; a hint only, no key is trusted for its name."""
    signature: bytes


def pre_authentication_encoding(payload_type: str, payload: bytes) -> bytes:
    """Return the bytes a DSSE signature covers (protocol.md, "Signature definition")."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def key_id(key: PublicKey) -> str:
    """Return the name of *key*: the SHA-256 of its 32 bytes, 64 hex digits."""
    return digest_hex(key.raw)


def sign(payload_type: str, payload: bytes, key: SigningKey) -> Envelope:
    """Sign *payload* with *key*."""
    return Envelope(
        payload_type=payload_type,
        payload=payload,
        key_id=key_id(key.public),
        signature=key.sign(pre_authentication_encoding(payload_type, payload)),
    )


def check_signature(envelope: Envelope, trusted: Sequence[PublicKey]) -> PublicKey:
    """Return the key of *trusted* under which the signature of *envelope* holds.

    Raises:
        SignatureError: if it holds under none of them.
    """
    message = pre_authentication_encoding(envelope.payload_type, envelope.payload)
    for key in trusted:
        try:
            key.verify(message, envelope.signature)
        except SignatureError:
            continue
        return key
    given = ", ".join(f"{key_id(key)[:12]}…" for key in trusted) or "none"
    raise SignatureError(f"signature by the key {envelope.key_id[:12]}… holds under none of the trusted keys ({given})")
