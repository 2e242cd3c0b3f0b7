"""SHA-256 digests (FIPS 180-4), raw and as lower-case hex."""

from hashlib import sha256


def digest(data: bytes) -> bytes:
    """Return the 32-byte SHA-256 digest of *data*."""
    return sha256(data).digest()


def digest_hex(data: bytes) -> str:
    """Return the SHA-256 digest of *data* as 64 lower-case hex digits."""
    return sha256(data).hexdigest()
