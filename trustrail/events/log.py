"""A hash-chained event log that is written once, line by line.

Each line is the RFC 8785 form of one event. The log's digest is the head of the chain over its lines
(`trustrail.foundation.chain`), so it commits to every line and to their order.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from trustrail.events.model import SCHEMA_VERSION
from trustrail.foundation import GENESIS, canonical_json_lines, chain_link


class Entry(NamedTuple):
    """An event to be written."""

    kind: str
    """One of the nine event types."""
    body: dict[str, Any]
    """The fields of that type."""
    agent_id: str | None = None
    """Who the event is about."""
    turn_id: str | None = None
    """The stretch of the run the event belongs to."""
    provenance: str | None = None
    """The record the event was made from."""
    parent_agent_id: str | None = None
    """Who handed the work to that agent."""
    checked: bool = False
    """The caller vouches that the body holds only strings, integers within +-(2**53 - 1), booleans, nulls, lists and
    string-keyed dicts: a check that would cost as much as the writing is left out."""


class _Line(msgspec.Struct, frozen=True):
    """The wire form of an event (`trustrail.events.codec`), its fields in the order RFC 8785 sorts them."""

    agent_id: str | None
    body: dict[str, Any]
    conversation_id: str | None
    parent_agent_id: str | None
    provenance: str | None
    schema_version: str
    seq: int
    source: str
    test_run_id: str
    turn_id: str | None
    type: str


class EventLog:
    """Events of one run, in order, as canonical lines.

    Attributes:
        lines: one canonical JSON line per event, without line ends.
    """

    __slots__ = ("_conversation_id", "_head", "_source", "_test_run_id", "lines")

    def __init__(self, *, test_run_id: str, source: str, conversation_id: str | None = None) -> None:
        self._test_run_id = test_run_id
        self._source = source
        self._conversation_id = conversation_id
        self._head = GENESIS
        self.lines: list[bytes] = []

    def append(
        self,
        kind: str,
        body: dict[str, Any],
        *,
        agent_id: str | None = None,
        parent_agent_id: str | None = None,
        turn_id: str | None = None,
        provenance: str | None = None,
    ) -> int:
        """Append an event of type *kind* and return its ``seq``.

        Raises:
            CanonicalizationError: if *body* has no canonical form; the log is unchanged.
        """
        self.extend([Entry(kind, body, agent_id, turn_id, provenance, parent_agent_id)])
        return len(self.lines) - 1

    def extend(self, entries: Sequence[Entry]) -> None:
        """Append many events at once, for a fifth of what each alone would cost.

        Raises:
            CanonicalizationError: if a body has no canonical form; the log is unchanged.
        """
        records = [
            _Line(
                entry.agent_id,
                entry.body,
                self._conversation_id,
                entry.parent_agent_id,
                entry.provenance,
                SCHEMA_VERSION,
                seq,
                self._source,
                self._test_run_id,
                entry.turn_id,
                entry.kind,
            )
            for seq, entry in enumerate(entries, start=len(self.lines))
        ]
        head = self._head
        lines = canonical_json_lines(records, [entry.body for entry in entries if not entry.checked])
        for line in lines:
            head = chain_link(head, line)
        self._head = head
        self.lines += lines

    @property
    def digest(self) -> str:
        """Head of the chain over all lines, 64 hex digits."""
        return self._head.hex()

    def to_bytes(self) -> bytes:
        """Return the log as a file: one line per event, each ended by a newline."""
        return b"".join(line + b"\n" for line in self.lines)
