"""Hash chains: each head commits to every entry before it.

``head[0] = GENESIS`` and ``head[i] = SHA-256(head[i-1] || entry[i-1])``. Heads have a fixed length, so the
concatenation is unambiguous.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from trustrail.errors import ChainError

GENESIS: Final = bytes(32)
"""Head of the empty chain: 32 zero bytes."""


def chain_link(head: bytes, entry: bytes) -> bytes:
    """Return the head that follows *head* once *entry* is appended."""
    return sha256(head + entry).digest()


def chain_links(head: bytes, entries: Iterable[bytes]) -> bytes:
    """Return the head that follows *head* once every one of *entries* is appended, in order."""
    for entry in entries:
        head = sha256(head + entry).digest()
    return head


class HashChain:
    """An append-only record that keeps only its length and its head."""

    __slots__ = ("head", "length")

    def __init__(self, head: bytes = GENESIS, length: int = 0) -> None:
        self.head = head
        self.length = length

    def append(self, entry: bytes) -> bytes:
        """Append *entry* and return the new head."""
        self.head = sha256(self.head + entry).digest()
        self.length += 1
        return self.head


def verify_chain(links: Iterable[tuple[bytes, bytes]], *, head: bytes | None = None) -> bytes:
    """Check that each ``(entry, head after it)`` pair continues the chain, and return the last head.

    Args:
        links: the entries in order, each with the head recorded after it.
        head: the head the chain must end on, when known from elsewhere.

    Raises:
        ChainError: at the first entry that does not fit, or when the chain ends on another head.
    """
    current = GENESIS
    count = 0
    for count, (entry, recorded) in enumerate(links, start=1):
        current = chain_link(current, entry)
        if current != recorded:
            raise ChainError(count - 1, f"head is {recorded.hex()}, expected {current.hex()}")
    if head is not None and current != head:
        raise ChainError(count, f"chain ends on {current.hex()}, expected {head.hex()}")
    return current
