"""One recorded run as canonical events, and the writer that numbers them.

The writer keeps the one rule all adapters share: ``seq`` follows the order things happened in, the calls of
one model response stand before their results, and a customer message opens a new turn.
"""

from dataclasses import dataclass, field

from trustrail.events import CustomerMessage, Event
from trustrail.events.model import Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Everything one recorded run says, as canonical events."""

    test_run_id: str
    adapter: str
    """Name of the adapter that read it."""
    events: tuple[Event, ...]
    gaps: tuple[str, ...] = ()
    """What the source did not carry or what could not be read from it, in the order met."""


@dataclass(slots=True, kw_only=True)
class RunWriter:
    """Collects the events of one run in order."""

    test_run_id: str
    source: str
    file: str
    """What to call the recording in messages."""
    conversation_id: str | None = None
    gaps: list[str] = field(default_factory=list)
    _events: list[Event] = field(default_factory=list)
    _turn: int = 0
    _responses: int = 0

    def add(
        self,
        body: Body,
        *,
        provenance: str | None = None,
        agent_id: str | None = None,
        parent_agent_id: str | None = None,
    ) -> None:
        """Append *body* as the next event; a customer message starts the next turn, what is missing is a gap."""
        if isinstance(body, CustomerMessage):
            self._turn += 1
        missing = getattr(body, "missing", None)
        if missing is not None:
            self.gap(f"{provenance}: {missing}")
        self._events.append(
            Event(
                seq=len(self._events),
                test_run_id=self.test_run_id,
                conversation_id=self.conversation_id,
                turn_id=f"turn-{self._turn}",
                agent_id=agent_id,
                parent_agent_id=parent_agent_id,
                source=self.source,
                provenance=provenance,
                body=body,
            )
        )

    @property
    def next_seq(self) -> int:
        """The ``seq`` the next event will have."""
        return len(self._events)

    def next_response(self) -> str:
        """Return a name for the next model response; calls it asked for share it as ``model_turn``."""
        self._responses += 1
        return f"response-{self._responses}"

    def gap(self, words: str) -> None:
        """Note once that the source lacks something."""
        if words not in self.gaps:
            self.gaps.append(words)

    def finish(self) -> Run:
        """Return the run."""
        return Run(
            test_run_id=self.test_run_id,
            adapter=self.source,
            events=tuple(self._events),
            gaps=tuple(self.gaps),
        )
