"""A hash-chained event log that is written once, line by line.

Each line is the RFC 8785 form of one event. The log's digest is the head of the chain over its lines
(`trustrail.foundation.chain`), so it commits to every line and to their order.
"""

from typing import Any

from trustrail.events.model import SCHEMA_VERSION
from trustrail.foundation import HashChain, canonical_json


class EventLog:
    """Events of one run, in order, as canonical lines.

    Attributes:
        lines: one canonical JSON line per event, without line ends.
    """

    __slots__ = ("_chain", "_constant", "lines")

    def __init__(self, *, test_run_id: str, source: str, conversation_id: str | None = None) -> None:
        self._constant = {
            "schema_version": SCHEMA_VERSION,
            "test_run_id": test_run_id,
            "conversation_id": conversation_id,
            "source": source,
        }
        self._chain = HashChain()
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
        seq = len(self.lines)
        line = canonical_json(
            {
                **self._constant,
                "type": kind,
                "seq": seq,
                "agent_id": agent_id,
                "parent_agent_id": parent_agent_id,
                "turn_id": turn_id,
                "provenance": provenance,
                "body": body,
            }
        )
        self._chain.append(line)
        self.lines.append(line)
        return seq

    @property
    def digest(self) -> str:
        """Head of the chain over all lines, 64 hex digits."""
        return self._chain.head.hex()

    def to_bytes(self) -> bytes:
        """Return the log as a file: one line per event, each ended by a newline."""
        return b"".join(line + b"\n" for line in self.lines)
