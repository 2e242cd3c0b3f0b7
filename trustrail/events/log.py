"""A hash-chained event log that is written once, line by line.

Each line is the RFC 8785 form of one event. The log's digest is the head of the chain over its lines
(`trustrail.foundation.chain`), so it commits to every line and to their order.
"""

from typing import Any

import msgspec

from trustrail.events.model import SCHEMA_VERSION
from trustrail.foundation import GENESIS, canonical_json_struct, chain_link


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
        checked: bool = False,
    ) -> int:
        """Append an event of type *kind* and return its ``seq``.

        Args:
            kind: one of the nine event types.
            body: the fields of that type.
            agent_id: who the event is about.
            parent_agent_id: who handed the work to that agent.
            turn_id: the stretch of the run the event belongs to.
            provenance: the record the event was made from.
            checked: the caller vouches that *body* holds only strings, integers within +-(2**53 - 1), booleans,
                nulls, lists and string-keyed dicts: a check that would cost as much as the writing is left out.

        Raises:
            CanonicalizationError: if *body* has no canonical form; the log is unchanged.
        """
        seq = len(self.lines)
        record = _Line(
            agent_id,
            body,
            self._conversation_id,
            parent_agent_id,
            provenance,
            SCHEMA_VERSION,
            seq,
            self._source,
            self._test_run_id,
            turn_id,
            kind,
        )
        line = canonical_json_struct(record, None if checked else body)
        self._head = chain_link(self._head, line)
        self.lines.append(line)
        return seq

    @property
    def digest(self) -> str:
        """Head of the chain over all lines, 64 hex digits."""
        return self._head.hex()

    def to_bytes(self) -> bytes:
        """Return the log as a file: one line per event, each ended by a newline."""
        return b"".join(line + b"\n" for line in self.lines)
