"""The journal: one organization's hash-chained record of what it did and learned.

One rule: entries are only appended. The head is countersigned by others in receipts, so two different heads at
one length, both signed, prove that the journal was forked.
"""

from dataclasses import dataclass

from trustrail.foundation import GENESIS, HashChain, canonical_msgpack, verify_chain


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a journal.

    Attributes:
        content: canonical bytes of ``(sequence, action, subject, reasons)``; sequences start at 1.
        head: head of the chain after this entry.
    """

    content: bytes
    head: bytes


class Journal:
    """An append-only chain of entries."""

    __slots__ = ("_chain", "entries")

    def __init__(self) -> None:
        self._chain = HashChain()
        self.entries: list[Entry] = []

    def append(self, action: str, subject: bytes | None = None, *reasons: str | bytes) -> None:
        """Append what happened (*action*), to what, and why."""
        content = canonical_msgpack((self._chain.length + 1, action, subject, reasons))
        self.entries.append(Entry(content, self._chain.append(content)))

    @property
    def head(self) -> bytes:
        """Head of the chain, 32 bytes; zeros while the journal is empty."""
        return self._chain.head

    @property
    def length(self) -> int:
        """Number of entries."""
        return self._chain.length

    def head_at(self, length: int) -> bytes:
        """Return the head after the first *length* entries."""
        return self.entries[length - 1].head if length else GENESIS

    def verify(self) -> None:
        """Return when every entry links to the one before.

        Raises:
            trustrail.errors.ChainError: at the first that does not.
        """
        verify_chain(((entry.content, entry.head) for entry in self.entries), head=self.head)
