"""Keys on disk: a private key is its 32-byte seed, a public key its 32 bytes, each as 64 hex digits and a newline."""

import os
from pathlib import Path

from trustrail.errors import KeyFileError
from trustrail.foundation import PublicKey, SigningKey
from trustrail.foundation.files import read_at_most


def write_signing_key(path: Path, key: SigningKey) -> None:
    """Store *key* at *path*, readable by its owner only.

    Raises:
        KeyFileError: if there is a file already, or it cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise KeyFileError(f"private key {path} cannot be written: {error.strerror}") from error
    with os.fdopen(descriptor, "w") as stream:
        stream.write(key.seed().hex() + "\n")


def write_public_key(path: Path, key: PublicKey) -> None:
    """Store *key* at *path*, replacing what is there.

    Raises:
        KeyFileError: if it cannot be written.
    """
    try:
        path.write_text(key.raw.hex() + "\n")
    except OSError as error:
        raise KeyFileError(f"public key {path} cannot be written: {error.strerror}") from error


def read_signing_key(path: Path) -> SigningKey:
    """Return the private key stored at *path*.

    Raises:
        KeyFileError: if there is none.
    """
    return SigningKey(_read_hex(path, "private"))


def read_public_key(path: Path) -> PublicKey:
    """Return the public key stored at *path*.

    Raises:
        KeyFileError: if there is none.
    """
    return PublicKey(_read_hex(path, "public"))


def _read_hex(path: Path, kind: str) -> bytes:
    try:
        text = read_at_most(path, 200).strip()
        raw = bytes.fromhex(text.decode("ascii"))
    except OSError as error:
        raise KeyFileError(f"{kind} key {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise KeyFileError(f"{kind} key {path} is not 64 hex digits") from error
    if len(raw) != 32:
        raise KeyFileError(f"{kind} key {path} has {len(raw)} bytes, expected 32 as 64 hex digits")
    return raw
