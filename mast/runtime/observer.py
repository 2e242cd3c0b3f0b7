"""The observer: turns what organizations record into canonical events, in the order of delivery."""

from mast.organizations.messages import Record
from trustrail.events import EventLog

SOURCE = "mast"
"""``source`` of every event of a simulated run."""


Observed = tuple[int, str, list[Record]]
"""(tick, organization, what it recorded in one step)."""


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
                (
                    record.kind,
                    record.body,
                    organization,
                    f"{now}/{record.turn}",
                    None if record.provenance is None else record.provenance.hex(),
                    None,
                )
                for now, organization, records in observed
                for record in records
            ],
            # Everything but the values of claims is a name or a count of ours.
            free=[value for _, _, records in observed for record in records for value in record.values],
        )
