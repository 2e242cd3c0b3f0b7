"""The signed envelope: opaque bytes, who says them, and a signature over both.

The bytes are made once, when issued; they travel and are kept as they are, and nobody encodes them again to
verify (design after DSSE and python-tuf's opaque payloads). What is signed is
``"trustrail-envelope-v1" || 0x00 || payload``; the prefix keeps a signature from being valid anywhere else.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from trustrail.errors import UnknownKeyError
from trustrail.foundation.keys import PublicKey, Signer, Verifier

_CONTEXT: Final = b"trustrail-envelope-v1\x00"


class SignedEnvelope:
    """One signed statement on the wire.

    Attributes:
        payload: the canonical bytes that were signed.
        issuer: name of the signer in the directory of public keys.
        signature: 64 bytes.
        id: SHA-256 of the signed bytes, 32 bytes; the name of the statement everywhere.
    """

    __slots__ = ("id", "issuer", "payload", "signature")

    def __init__(self, payload: bytes, issuer: str, signature: bytes) -> None:
        self.payload = payload
        self.issuer = issuer
        self.signature = signature
        self.id = sha256(_CONTEXT + payload).digest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SignedEnvelope):
            return NotImplemented
        return (self.payload, self.issuer, self.signature) == (other.payload, other.issuer, other.signature)

    def __hash__(self) -> int:
        return hash(self.id)

    def __len__(self) -> int:
        """Bytes on the wire: payload, signature and the issuer's name."""
        return len(self.payload) + len(self.signature) + len(self.issuer)

    def __repr__(self) -> str:
        return f"SignedEnvelope(id={self.id.hex()[:12]}…, issuer={self.issuer!r}, {len(self.payload)} bytes)"


def seal(payload: bytes, issuer: str, signer: Signer) -> SignedEnvelope:
    """Sign *payload* as *issuer*."""
    return SignedEnvelope(payload, issuer, signer.sign(_CONTEXT + payload))


def open_envelope(envelope: SignedEnvelope, directory: Mapping[str, PublicKey], verifier: Verifier) -> bytes:
    """Return the payload of *envelope* once its signature holds under the issuer's key.

    Raises:
        UnknownKeyError: if *directory* has no key for the issuer.
        SignatureError: if the signature does not hold.
    """
    key = directory.get(envelope.issuer)
    if key is None:
        raise UnknownKeyError(f"no public key is known for the issuer {envelope.issuer!r}")
    verifier.verify(key, _CONTEXT + envelope.payload, envelope.id, envelope.signature)
    return envelope.payload
