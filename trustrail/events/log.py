"""A hash-chained event log that is written once, line by line.

Each line is the RFC 8785 form of one event. The log's digest is the head of the chain over its lines
(`trustrail.foundation.chain`), so it commits to every line and to their order.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from trustrail.events.model import SCHEMA_VERSION
from trustrail.foundation import GENESIS, canonical_json_lines, chain_links

Entry = tuple[str, dict[str, Any], str | None, str | None, str | None, str | None]
"""An event to be written: one of the nine types, the fields of that type, who it is about (``agent_id``), the stretch
of the run (``turn_id``), the record it was made from (``provenance``), who handed the work on (``parent_agent_id``)."""


class _Line(msgspec.Struct, frozen=True, gc=False):
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
        self.extend([(kind, body, agent_id, turn_id, provenance, parent_agent_id)], free=[body])
        return len(self.lines) - 1

    def extend(self, entries: Iterable[Entry], *, free: Sequence[Any]) -> None:
        """Append many events at once, for a fifth of what each alone would cost.

        Args:
            entries: the events, in order.
            free: the parts of their bodies that may be of any form; the caller vouches for the rest, as
                `trustrail.foundation.canonical_json_lines` says. Looking at all of it would cost as much as writing.

        Raises:
            CanonicalizationError: if a free part has no canonical form; the log is unchanged.
        """
        conversation, source, run = self._conversation_id, self._source, self._test_run_id
        records = [
            _Line(agent, body, conversation, parent, provenance, SCHEMA_VERSION, seq, source, run, turn, kind)
            for seq, (kind, body, agent, turn, provenance, parent) in enumerate(entries, start=len(self.lines))
        ]
        lines = canonical_json_lines(records, free)
        self._head = chain_links(self._head, lines)
        self.lines += lines

    @property
    def digest(self) -> str:
        """Head of the chain over all lines, 64 hex digits."""
        return self._head.hex()

    def to_bytes(self) -> bytes:
        """Return the log as a file: one line per event, each ended by a newline."""
        return b"".join(line + b"\n" for line in self.lines)
