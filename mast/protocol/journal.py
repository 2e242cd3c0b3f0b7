"""The journal: one organization's hash-chained record of what it did and learned.

One rule: entries are only appended. The head is countersigned by others in receipts, so two different heads at
one length, both signed, prove that the journal was forked.
"""

import msgspec

from trustrail.foundation import GENESIS, canonical_struct, chain_link, verify_chain


class _Content(msgspec.Struct, frozen=True, array_like=True):
    """What an entry says, in the order in which it is encoded."""

    sequence: int
    action: str
    subject: bytes | None
    reasons: tuple[str | bytes, ...]


class Entry(msgspec.Struct, frozen=True):
    """One line of a journal.

    Attributes:
        content: canonical bytes of ``(sequence, action, subject, reasons)``; sequences start at 1.
        head: head of the chain after this entry.
    """

    content: bytes
    head: bytes


class Journal:
    """An append-only chain of entries."""

    __slots__ = ("entries", "head", "length")

    def __init__(self) -> None:
        self.head = GENESIS
        """Head of the chain, 32 bytes; zeros while the journal is empty."""
        self.length = 0
        self.entries: list[Entry] = []

    def append(self, action: str, subject: bytes | None = None, *reasons: str | bytes) -> None:
        """Append what happened (*action*), to what, and why."""
        self.length += 1
        content = canonical_struct(_Content(self.length, action, subject, reasons))
        self.head = chain_link(self.head, content)
        self.entries.append(Entry(content, self.head))

    def head_at(self, length: int) -> bytes:
        """Return the head after the first *length* entries."""
        return self.entries[length - 1].head if length else GENESIS

    def verify(self) -> None:
        """Return when every entry links to the one before.

        Raises:
            trustrail.errors.ChainError: at the first that does not.
        """
        verify_chain(((entry.content, entry.head) for entry in self.entries), head=self.head)
