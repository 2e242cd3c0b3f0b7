"""The observer: turns what organizations record into canonical events, in the order of delivery."""

from typing import NamedTuple

from mast.organizations.messages import Record
from trustrail.events import EventLog
from trustrail.events.log import Entry

SOURCE = "mast"
"""``source`` of every event of a simulated run."""


class Observed(NamedTuple):
    """What one organization recorded in one step, and when."""

    now: int
    organization: str
    records: list[Record]


class Observer:
    """Writes the event log of one run.

    Attributes:
        log: the canonical events; its digest is the digest of the run.
    """

    def __init__(self, run_id: str, workflow: str) -> None:
        self.log = EventLog(test_run_id=run_id, conversation_id=workflow, source=SOURCE)

    def write(self, observed: list[Observed]) -> None:
        """Append the records as events; the turn says at which tick and in which stage they happened."""
        self.log.extend(
            [
                Entry(
                    kind,
                    body,
                    seen.organization,
                    f"{seen.now}/{turn}",
                    provenance.hex() if provenance is not None else None,
                    # Everything but the values of claims is a name or a count of ours.
                    checked=not free,
                )
                for seen in observed
                for kind, body, turn, provenance, free in seen.records
            ]
        )
