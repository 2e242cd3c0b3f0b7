"""Ed25519 keys (RFC 8032) through PyNaCl, and the verifier that counts and may remember what it checked.

PyNaCl's functions are called directly: its classes wrap them in objects that cost a tenth of a signature.
"""

from enum import StrEnum
from hashlib import blake2b
from typing import Final, Protocol

import nacl.exceptions
import nacl.signing
from nacl.bindings import crypto_sign, crypto_sign_open, crypto_sign_seed_keypair

from trustrail.errors import SignatureError

SEED_BYTES: Final = 32
PUBLIC_KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64


class PublicKey:
    """A public key that checks signatures.

    Attributes:
        raw: the 32 bytes of the key.
    """

    __slots__ = ("raw",)

    def __init__(self, raw: bytes) -> None:
        if len(raw) != PUBLIC_KEY_BYTES:
            raise SignatureError(f"public key is {len(raw)} bytes long, expected {PUBLIC_KEY_BYTES}")
        self.raw = raw

    def verify(self, message: bytes, signature: bytes) -> None:
        """Return when *signature* holds over *message*.

        Raises:
            SignatureError: if it does not.
        """
        if len(signature) != SIGNATURE_BYTES:
            raise SignatureError(f"signature is {len(signature)} bytes long, expected {SIGNATURE_BYTES}")
        try:
            crypto_sign_open(signature + message, self.raw)
        except nacl.exceptions.BadSignatureError as error:
            raise SignatureError(
                f"signature {signature[:4].hex()}… does not hold under the key {self.raw[:4].hex()}…"
            ) from error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicKey) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return f"PublicKey({self.raw.hex()})"


class SigningKey:
    """A private key. Its text form shows the public half only.

    Attributes:
        public: the public key.
    """

    __slots__ = ("_secret", "public")

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise SignatureError(f"seed is {len(seed)} bytes long, expected {SEED_BYTES}")
        public, self._secret = crypto_sign_seed_keypair(seed)
        self.public = PublicKey(public)

    @classmethod
    def generate(cls) -> "SigningKey":
        """Return a key from the operating system's randomness (never inside a simulation)."""
        return cls(bytes(nacl.signing.SigningKey.generate()))

    @classmethod
    def derive(cls, *labels: str) -> "SigningKey":
        """Return the key that belongs to *labels*: reproducible, and therefore for simulation and tests only."""
        seed = blake2b(digest_size=SEED_BYTES, person=b"trustrail-key")
        for label in labels:
            encoded = label.encode()
            seed.update(len(encoded).to_bytes(4, "big") + encoded)
        return cls(seed.digest())

    def seed(self) -> bytes:
        """Return the 32 secret bytes, for storage by the caller."""
        return self._secret[:SEED_BYTES]

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature of *message*; the same message always gets the same one."""
        return crypto_sign(message, self._secret)[:SIGNATURE_BYTES]

    def __repr__(self) -> str:
        return f"SigningKey(public={self.public.raw.hex()})"


class VerifyMode(StrEnum):
    """How signatures are made and checked in a simulation."""

    ALWAYS = "always"  #: Ed25519, every check computed
    CACHED = "cached"  #: Ed25519, a check already made in this process is remembered
    MAC = "mac"  #: a keyed hash in place of Ed25519, for large sweeps; proves nothing to a third party


class Signer(Protocol):
    """What makes a signature over some bytes."""

    public: PublicKey

    def sign(self, message: bytes) -> bytes:
        """Return the signature of *message*."""
        ...


class MacKey:
    """The stand-in for a private key in `VerifyMode.MAC`: BLAKE2b (RFC 7693) keyed with the public key."""

    __slots__ = ("public",)

    def __init__(self, key: SigningKey) -> None:
        self.public = key.public

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte keyed hash of *message*."""
        return blake2b(message, key=self.public.raw).digest()

    def __repr__(self) -> str:
        return f"MacKey(public={self.public.raw.hex()})"


class Verifier:
    """Checks signatures in one mode and counts the checks.

    Attributes:
        mode: how signatures are checked.
        checks: checks asked for, whether computed or remembered.
        computed: checks computed: what the process really paid.
    """

    __slots__ = ("_check", "_known", "checks", "computed", "mode")

    def __init__(self, mode: VerifyMode = VerifyMode.ALWAYS) -> None:
        self.mode = mode
        self.checks = 0
        self.computed = 0
        self._check = _check_mac if mode is VerifyMode.MAC else PublicKey.verify
        self._known: set[tuple[bytes, bytes, bytes]] | None = set() if mode is VerifyMode.CACHED else None

    def signer(self, key: SigningKey) -> Signer:
        """Return what signs for the holder of *key* in this mode."""
        return MacKey(key) if self.mode is VerifyMode.MAC else key

    def verify(self, key: PublicKey, message: bytes, message_digest: bytes, signature: bytes) -> None:
        """Return when *signature* holds over *message*, whose SHA-256 digest is *message_digest*.

        Raises:
            SignatureError: if it does not.
        """
        self.checks += 1
        known = self._known
        triple = (key.raw, message_digest, signature)
        if known is not None and triple in known:
            return
        self.computed += 1
        self._check(key, message, signature)
        if known is not None:
            known.add(triple)


def _check_mac(key: PublicKey, message: bytes, signature: bytes) -> None:
    if blake2b(message, key=key.raw).digest() != signature:
        raise SignatureError(f"keyed hash {signature[:4].hex()}… does not hold under the key {key.raw[:4].hex()}…")
