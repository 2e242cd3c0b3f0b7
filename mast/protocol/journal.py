"""The journal: one organization's hash-chained record of what it did and learned.

One rule: entries are only appended. The head is countersigned by others in receipts, so two different heads at
one length, both signed, prove that the journal was forked.

What happened is kept at once; it is encoded and linked when somebody looks at the entries or at the head, many entries
at a time. Nothing can come between, so what is seen is the same.
"""

import msgspec

from trustrail.foundation import GENESIS, canonical_struct, chain_link, verify_chain


class _Content(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What an entry says, in the order in which it is encoded."""

    sequence: int
    action: str
    subject: bytes | None
    reasons: tuple[str | bytes, ...]


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One line of a journal.

    Attributes:
        content: canonical bytes of ``(sequence, action, subject, reasons)``; sequences start at 1.
        head: head of the chain after this entry.
    """

    content: bytes
    head: bytes


class Journal:
    """An append-only chain of entries.

    Attributes:
        length: how many entries there are.
    """

    __slots__ = ("_entries", "_head", "_unlinked", "length")

    def __init__(self) -> None:
        self.length = 0
        self._head = GENESIS
        self._entries: list[Entry] = []
        self._unlinked: list[_Content] = []

    def append(self, action: str, subject: bytes | None = None, *reasons: str | bytes) -> None:
        """Append what happened (*action*), to what, and why: names and ids as they stand in packets."""
        self.length += 1
        self._unlinked.append(_Content(self.length, action, subject, reasons))

    @property
    def head(self) -> bytes:
        """Head of the chain, 32 bytes; zeros while the journal is empty."""
        if self._unlinked:
            self._link()
        return self._head

    @property
    def entries(self) -> list[Entry]:
        """The entries, oldest first."""
        if self._unlinked:
            self._link()
        return self._entries

    def _link(self) -> None:
        for said in self._unlinked:
            content = canonical_struct(said)
            self._head = chain_link(self._head, content)
            self._entries.append(Entry(content, self._head))
        self._unlinked.clear()

    def head_at(self, length: int) -> bytes:
        """Return the head after the first *length* entries."""
        return self.entries[length - 1].head if length else GENESIS

    def verify(self) -> None:
        """Return when every entry links to the one before.

        Raises:
            trustrail.errors.ChainError: at the first that does not.
        """
        verify_chain(((entry.content, entry.head) for entry in self.entries), head=self.head)
