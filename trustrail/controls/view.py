"""One pass over a run's events that every control shares, and what the domain pack says about them.

Controls never see a framework's structures: what they may know of a run is what this view offers. What costs more
than a glance at each event (reading words, indexing results) is done when a control first asks for it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from trustrail.consent import (
    CallConsent,
    Execution,
    Pairing,
    Records,
    outcome_of,
    read_consent,
    rules_for,
)
from trustrail.consent.rules import ConsentRules
from trustrail.controls.action_call import ActionCall
from trustrail.events import (
    AgentMessage,
    ConfirmationEvent,
    CustomerMessage,
    Event,
    ToolCall,
    ToolResult,
    is_login,
)
from trustrail.objects import DomainPack, EvidenceProfile, Fixture, PolicyProfile

_WORD = re.compile(r"[#\w][\w@.-]*\w")
_LONGEST_REPORT = 64
"""Messages of the agent without an answer that are read as one report; ours."""


class RunView:
    """What controls may know of a run. Build it with `RunView.build`."""

    def __init__(
        self,
        events: Sequence[Event],
        pack: DomainPack,
        profile: PolicyProfile,
        evidence: EvidenceProfile,
        fixture: Fixture | None,
        consents: Sequence[CallConsent] | None,
    ) -> None:
        self.events = events
        self.pack = pack
        self.profile = profile
        self.evidence = evidence
        self.fixture = fixture
        self._consents = consents
        self.agent_messages: list[Event] = []
        self.customer_messages: list[Event] = []
        self.logins: list[Event] = []
        self.confirmations: list[Event] = []
        self.executions: list[Execution] = []
        self.candidates_by_type: dict[str, list[tuple[int, int]]] = {}
        self.retrievals: dict[tuple[str, str], list[int]] = {}
        """Where each entity (its type and id) was retrieved, as far as a control has asked."""
        self.is_lossy = False
        """True when a tool was used whose call was not recorded."""
        self._index()

    @classmethod
    def build(
        cls,
        events: Sequence[Event],
        *,
        pack: DomainPack,
        profile: PolicyProfile,
        evidence: EvidenceProfile,
        fixture: Fixture | None = None,
        consents: Sequence[CallConsent] | None = None,
    ) -> "RunView":
        """Return the view of a run.

        Args:
            events: the run's stream.
            pack: what its tools mean.
            profile: what it is held to.
            evidence: how much a PASS may claim.
            fixture: the customer and the state it was run with.
            consents: what consent says about the stream's calls, where it was read already.
        """
        return cls(events, pack, profile, evidence, fixture, consents)

    def _index(self) -> None:
        pairing = Pairing()
        for event in self.events:
            body = event.body
            if isinstance(body, ToolCall):
                self.executions.append(pairing.call(event, body))
            elif isinstance(body, ToolResult):
                answered = pairing.result(event, body)
                self.is_lossy = self.is_lossy or (answered is None and body.tool is None)
            elif isinstance(body, AgentMessage):
                self.agent_messages.append(event)
            elif isinstance(body, CustomerMessage):
                self.customer_messages.append(event)
            elif isinstance(body, ConfirmationEvent):
                self.confirmations.append(event)
            elif is_login(event):
                self.logins.append(event)

    @cached_property
    def actions(self) -> tuple[ActionCall, ...]:
        """The consequential calls, in order."""
        known = self.pack.actions
        found = [execution for execution in self.executions if execution.call.tool in known]
        return tuple(
            ActionCall(
                index,
                execution,
                known[execution.call.tool],
                outcome_of(execution.result, known[execution.call.tool]),
            )
            for index, execution in enumerate(found)
        )

    @cached_property
    def rules(self) -> ConsentRules:
        """The consent rules of the profile's languages."""
        return rules_for(self.pack, self.profile.languages)

    @cached_property
    def consents(self) -> dict[int, CallConsent]:
        """What consent says about each consequential call, by the call's ``seq``."""
        if not self.actions:
            return {}
        if self._consents is not None:
            return {consent.call_seq: consent for consent in self._consents}
        last = self.actions[-1].seq
        return {consent.call_seq: consent for consent in read_consent(self.events[: last + 1], self.rules)}

    @cached_property
    def records(self) -> Records:
        """Everything tools returned without error, findable by value."""
        records = Records()
        for execution in self.executions:
            result = execution.result
            if result is not None and result.status == "ok" and execution.result_seq is not None:
                records.add(execution.result_seq, result.result)
        return records

    @cached_property
    def by_result(self) -> dict[int, Execution]:
        """The executions that have a result, by the result's ``seq``."""
        return {e.result_seq: e for e in self.executions if e.result_seq is not None}

    @cached_property
    def patterns(self) -> dict[str, re.Pattern[str]]:
        """The pack's id patterns, compiled."""
        given = [kind.id_pattern for kind in self.pack.entity_types.values()]
        return {pattern: re.compile(pattern) for pattern in given if pattern is not None}

    @cached_property
    def sighted_in_text(self) -> dict[str, dict[str, list[int]]]:
        """Ids that lookups returned inside text: entity type to id to the results' ``seq``."""
        sighted: dict[str, dict[str, list[int]]] = {}
        for execution, entity_type, _ in self._lookups():
            pattern = self.pack.entity_types[entity_type].id_pattern
            result = execution.result.result if execution.result is not None else None
            if pattern is not None and isinstance(result, str) and execution.result_seq is not None:
                for found in self.patterns[pattern].findall(result):
                    _note(sighted, entity_type, found, execution.result_seq)
        return sighted

    @cached_property
    def sighted_as_argument(self) -> dict[str, dict[str, list[int]]]:
        """Ids that a clean lookup took as its argument: entity type to id to the results' ``seq``."""
        sighted: dict[str, dict[str, list[int]]] = {}
        for execution, entity_type, argument in self._lookups():
            given = (execution.call.arguments or {}).get(argument) if argument is not None else None
            if given is not None and execution.result_seq is not None:
                _note(sighted, entity_type, str(given), execution.result_seq)
        return sighted

    @cached_property
    def _spoken(self) -> tuple[list[Event], list[int]]:
        """Final messages of both sides in order, and their ``seq``."""
        final = [e for e in self.agent_messages if isinstance(e.body, AgentMessage) and not e.body.partial]
        messages = sorted([*final, *self.customer_messages], key=lambda event: event.seq)
        return messages, [event.seq for event in messages]

    def spoken_before(self, seq: int, count: int) -> list[Event]:
        """Return the last *count* messages of either side before *seq*, newest first."""
        messages, places = self._spoken
        end = bisect_left(places, seq)
        return messages[max(0, end - count) : end][::-1]

    def spoken_between(self, start: int, end: int) -> list[Event]:
        """Return the messages of either side after *start* and before *end*."""
        messages, places = self._spoken
        return messages[bisect_right(places, start) : bisect_left(places, end)]

    def reports_after(self, seq: int) -> list[Event]:
        """Return what the agent says after *seq*, before the customer speaks again."""
        messages, places = self._spoken
        found = []
        for event in messages[bisect_right(places, seq) : bisect_right(places, seq) + _LONGEST_REPORT]:
            if isinstance(event.body, CustomerMessage):
                break
            found.append(event)
        return found

    @cached_property
    def identity_checks(self) -> tuple[Execution, ...]:
        """The calls of the pack's identity checks, in order."""
        return tuple(e for e in self.executions if e.call.tool in self.pack.identity_checks)

    @cached_property
    def conversations(self) -> dict[str, set[str]]:
        """The conversations each agent was seen in."""
        seen: dict[str, set[str]] = {}
        for event in self.events:
            if event.conversation_id is not None and event.agent_id is not None:
                seen.setdefault(event.agent_id, set()).add(event.conversation_id)
        return seen

    @cached_property
    def words_of_customer(self) -> dict[str, int]:
        """Each word the customer used, with the first message it stands in."""
        used: dict[str, int] = {}
        for event in self.customer_messages:
            if isinstance(event.body, CustomerMessage) and event.body.text:
                for word in _WORD.findall(event.body.text):
                    used.setdefault(word, event.seq)
        return used

    @cached_property
    def open_lookups(self) -> dict[str, list[int]]:
        """Lookups whose results were not recorded, by entity type."""
        found: dict[str, list[int]] = {}
        for execution, entity_type, _ in self._lookups():
            if execution.result is None or execution.result.status == "unknown":
                found.setdefault(entity_type, []).append(execution.seq)
        return found

    def _lookups(self) -> Iterator[tuple[Execution, str, str | None]]:
        known = self.pack.lookups
        for execution in self.executions:
            for lookup in known.get(execution.call.tool, ()):
                yield execution, self.pack.entity_type_of(lookup), lookup.entity_id_argument

    @property
    def is_empty(self) -> bool:
        """True when the stream holds no event."""
        return not self.events


def _note(sighted: dict[str, dict[str, list[int]]], entity_type: str, value: str, seq: int) -> None:
    sighted.setdefault(entity_type, {}).setdefault(value, []).append(seq)
