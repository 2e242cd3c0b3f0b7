"""The walk over a run that decides, call by call, whether the customer had agreed to exactly that call.

The rules:

1. A yes binds to the last open question. It makes a *grant* only when that question asks leave to act.
2. A grant covers a call when its proposal names the call's action and contradicts none of its arguments.
3. A grant is used up by one call; a proposal that lists several things covers each of them once.
4. A call that is sent again unchanged after a clean tool error stays covered.
5. A refusal, a hesitation, a condition or a counter-proposal ends every grant not yet used.
6. A recorded approval of the framework (`confirmation_event`) decides before any words do.
7. Words that were not recorded, or are in a language outside the profile, leave the call undecided.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from trustrail.consent.answer import AnswerKind
from trustrail.consent.approvals import Approvals
from trustrail.consent.exchange import Exchange, Reading, Said, read_exchange
from trustrail.consent.executions import Execution, Pairing
from trustrail.consent.folded import LONGEST_TEXT, Text
from trustrail.consent.grant import Grant, Tried, is_asked_again, is_chosen_later, is_told_later, try_grant
from trustrail.consent.language import load_language
from trustrail.consent.outcome import Outcome
from trustrail.consent.records import Records
from trustrail.consent.rules import ActionRule, ConsentRules
from trustrail.events import AgentMessage, ConfirmationEvent, CustomerMessage, Event, ToolCall, ToolResult
from trustrail.foundation import canonical_json

DERIVED_SOURCE: Final = "trustrail.consent"
"""``source`` of the confirmation events that consent derives from words."""

_CONTEXT: Final = 6
"""Exchanges looked back over for what "shall I proceed?" means; ours."""

_GRANTS_KEPT: Final = 6
"""Unused grants remembered; ours, more than any recorded customer gave before acting on them."""

_ENDING: Final = frozenset({AnswerKind.REFUSAL, AnswerKind.HEDGE, AnswerKind.CONDITION, AnswerKind.COUNTER})


class ConsentStatus(StrEnum):
    """Whether a call was agreed to."""

    COVERED = "covered"
    REFUSED = "not covered"
    UNDECIDED = "undecided"
    NOT_NEEDED = "not needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallConsent:
    """What consent says about one consequential call."""

    call_seq: int
    tool: str
    status: ConsentStatus
    reason: str
    proposal_seq: int | None = None
    answer_seq: int | None = None
    covers: tuple[dict[str, Any], ...] = ()
    """The call as far as the agreed words name it."""
    is_recorded: bool = False
    """True when a confirmation event of the recorder decided, not words."""
    is_agreement: bool = False
    """True when the answer agreed to the proposal, whether or not the call is what was agreed to."""

    @property
    def events(self) -> tuple[int, ...]:
        """``seq`` of the events relied on, ascending."""
        found = (self.call_seq, self.proposal_seq, self.answer_seq)
        return tuple(sorted({seq for seq in found if seq is not None}))


def read_consent(events: Iterable[Event], rules: ConsentRules) -> tuple[CallConsent, ...]:
    """Decide for every consequential call of *events*, in order, whether it was agreed to."""
    walk = _Walk(rules)
    for event in events:
        walk.take(event)
    return tuple(walk.decided)


class _Walk:
    """What was said, agreed and done so far."""

    def __init__(self, rules: ConsentRules) -> None:
        self.rules = rules
        self.decided: list[CallConsent] = []
        self.records = Records()
        self.approvals = Approvals()
        self.pairing = Pairing()
        self.agent: list[Said] = []
        self.unread: list[Exchange] = []
        self.readings: list[Reading] = []
        self.grants: list[Grant] = []
        self.sent: dict[bytes, tuple[Execution, CallConsent]] = {}

    def take(self, event: Event) -> None:
        body = event.body
        if isinstance(body, ToolCall):
            execution = self.pairing.call(event, body)
            rule = self.rules.actions.get(body.tool)
            if rule is not None:
                self._judge(execution, rule)
        elif isinstance(body, ToolResult):
            self.pairing.result(event, body)
            if body.status == "ok":
                self.records.add(event.seq, body.result)
        elif isinstance(body, AgentMessage):
            if not body.partial:
                self.agent.append(Said(event.seq, body.text))
        elif isinstance(body, CustomerMessage):
            if self.agent or not self.unread:
                self.unread.append(Exchange(tuple(self.agent)))
                self.agent = []
            is_read = body.text is not None and len(body.text) <= LONGEST_TEXT
            self.unread[-1].customer.append(Said(event.seq, body.text if is_read else None))
        elif isinstance(body, ConfirmationEvent) and event.source != DERIVED_SOURCE:
            self.approvals.add(event.seq, body)

    def _judge(self, execution: Execution, rule: ActionRule) -> None:
        self._catch_up()
        consent = self._decide(execution, rule)
        self.decided.append(consent)
        if execution.call.arguments is not None:
            self.sent[_key(execution.call)] = (execution, consent)

    def _catch_up(self) -> None:
        """Read the exchanges since the last call; of those too far back only whether they take a yes back."""
        for exchange in self.unread[:-_CONTEXT] if self.grants or self.sent else ():
            if _ends_grants(read_exchange(exchange, self.rules.readable)):
                self.grants.clear()
                self.sent.clear()
        for exchange in self.unread[-_CONTEXT:]:
            reading = read_exchange(exchange, self.rules.readable)
            if reading.may_grant:
                self.grants.append(Grant(reading, tuple(self.readings[-_CONTEXT:])))
                del self.grants[:-_GRANTS_KEPT]
            elif _ends_grants(reading):
                self.grants.clear()
                self.sent.clear()
            self.readings.append(reading)
            del self.readings[: -_CONTEXT - 1]
        self.unread = []

    def _decide(self, execution: Execution, rule: ActionRule) -> CallConsent:
        if not rule.is_required:
            return _consent(execution, ConsentStatus.NOT_NEEDED, "the domain pack asks for no confirmation")
        again = self._sent_again(execution, rule)
        if again is not None:
            return again
        approval = self.approvals.find(execution.call)
        if approval is not None:
            return CallConsent(
                call_seq=execution.seq,
                tool=execution.call.tool,
                status=ConsentStatus.COVERED if approval.confirmed else ConsentStatus.REFUSED,
                reason=approval.reason,
                answer_seq=approval.seq,
                covers=approval.covers,
                is_recorded=True,
            )
        return self._by_words(execution, rule)

    def _sent_again(self, execution: Execution, rule: ActionRule) -> CallConsent | None:
        """Cover a call that repeats a covered one whose first sending did nothing."""
        if execution.call.arguments is None:
            return None
        earlier, consent = self.sent.get(_key(execution.call), (None, None))
        if earlier is None or consent is None or consent.status is not ConsentStatus.COVERED:
            return None
        outcome = rule.outcome(earlier.result)
        if outcome is Outcome.DONE or self._is_superseded(consent):
            return None
        status, reason = (
            ConsentStatus.COVERED,
            f"the agreed call of seq {earlier.seq} again, unchanged; it had {outcome}",
        )
        if outcome is Outcome.UNKNOWN and earlier.call.call_id != execution.call.call_id:
            status = ConsentStatus.UNDECIDED
            reason = f"repeats the agreed call of seq {earlier.seq}, whose outcome is not recorded"
        return CallConsent(
            call_seq=execution.seq,
            tool=execution.call.tool,
            status=status,
            reason=reason,
            proposal_seq=consent.proposal_seq,
            answer_seq=consent.answer_seq,
            covers=consent.covers,
            is_recorded=consent.is_recorded,
            is_agreement=consent.is_agreement,
        )

    def _is_superseded(self, consent: CallConsent) -> bool:
        """Say whether the customer has agreed to something else since *consent*."""
        return any(grant.reading.exchange.answer_seq > (consent.answer_seq or -1) for grant in self.grants)

    def _by_words(self, execution: Execution, rule: ActionRule) -> CallConsent:
        first: CallConsent | None = None
        for number in reversed(range(len(self.grants))):
            grant = self.grants[number]
            plan = self._agreed_before(self.grants[:number], execution.call, rule)
            tried = try_grant(grant, execution.call, rule, self.records, plan)
            consent = _from_words(execution, grant.reading, tried)
            if tried.is_bound and consent.status is not ConsentStatus.COVERED:
                return consent
            if consent.status is ConsentStatus.COVERED:
                refused = self._overtaken(grant, execution, rule)
                if refused is not None:
                    return refused
                grant.used.append(execution.call)
                return consent
            first = first or consent
        return self._uncovered(execution, first)

    def _agreed_before(self, grants: Sequence[Grant], call: ToolCall, rule: ActionRule) -> Text | None:
        """Return the proposals of *grants* whose agreed call to the same end failed: a new one may adjust them."""
        main = rule.entity_arguments[0] if rule.entity_arguments else ""
        thing = (call.arguments or {}).get(main)
        plans = [
            earlier.reading.proposal.raw
            for earlier in grants
            for done in earlier.used
            if done.tool == call.tool and thing is not None and (done.arguments or {}).get(main) == thing
            if (sent := self.sent.get(_key(done))) and rule.outcome(sent[0].result) is Outcome.FAILED
        ]
        return Text.of("\n".join(plans)) if plans else None

    def _overtaken(self, grant: Grant, execution: Execution, rule: ActionRule) -> CallConsent | None:
        """Refuse a call whose yes the talk after it has left behind; None when it still holds."""
        if grant.reading not in self.readings:
            return None
        later = self.readings[self.readings.index(grant.reading) + 1 :]
        again = next((reading for reading in later if is_asked_again(reading, execution.call, rule)), None)
        if again is not None:
            return _consent(execution, ConsentStatus.REFUSED, "the agent asked again and got no yes", again)
        changed = is_chosen_later(grant, execution.call, rule, self.records, later)
        if changed is not None:
            reason = "the customer chose otherwise when asked after the yes"
            return _consent(execution, ConsentStatus.REFUSED, reason, changed)
        told = is_told_later(grant, execution.call, rule, later)
        if told is not None:
            reason = "what the call takes was told after the yes, as one of several options"
            return _consent(execution, ConsentStatus.REFUSED, reason, told)
        return None

    def _uncovered(self, execution: Execution, tried: CallConsent | None) -> CallConsent:
        """Say why no yes covers the call, or why nobody can tell."""
        if not self.readings:
            return _consent(execution, ConsentStatus.UNDECIDED, "no customer message before the call is recorded")
        last = self.readings[-1]
        if last.exchange.is_silent:
            return _consent(execution, ConsentStatus.UNDECIDED, "words before the call were not recorded", last)
        if last.code is None or not last.is_agent_read:
            spoken = ", ".join(self.rules.languages)
            reason = f"what was said before the call is in no language of the profile ({spoken}) that has rules"
            return _consent(execution, ConsentStatus.UNDECIDED, reason, last)
        if last.answer is not None and last.answer.kind is AnswerKind.DOUBT and last.proposes:
            return _consent(execution, ConsentStatus.UNDECIDED, f"{last.answer.kind}: {last.answer.cue!r}", last)
        if tried is not None and last.is_assent:
            return tried
        kind = last.answer.kind if last.answer is not None else AnswerKind.NEITHER
        cue = f" ({last.answer.cue!r})" if last.answer is not None and last.answer.cue else ""
        if last.proposes or kind in _ENDING:
            reason = f"the customer's last words are {_articled(kind)}{cue}, not a yes"
        else:
            reason = "nothing was proposed; the customer's own words are no answer to a proposal"
        return _consent(execution, ConsentStatus.REFUSED, reason, last)


def _ends_grants(reading: Reading) -> bool:
    if reading.answer is None or reading.answer.kind not in _ENDING:
        return False
    language = load_language(reading.code or "en")
    is_plain_no = language.patterns["plain_no"].fullmatch(reading.answer.cue.strip()) is not None
    if is_plain_no and reading.offers_more and not language.action_words.search(reading.answer.text):
        return False
    return reading.proposes or not (is_plain_no or reading.answer.kind is AnswerKind.HEDGE)


def _articled(kind: AnswerKind) -> str:
    return str(kind) if kind is AnswerKind.NEITHER else f"a {kind}"


def _key(call: ToolCall) -> bytes:
    return canonical_json([call.tool, call.arguments])


def _consent(execution: Execution, status: ConsentStatus, reason: str, reading: Reading | None = None) -> CallConsent:
    return CallConsent(
        call_seq=execution.seq,
        tool=execution.call.tool,
        status=status,
        reason=reason,
        proposal_seq=reading.exchange.proposal_seq if reading else None,
        answer_seq=reading.exchange.answer_seq if reading else None,
    )


def _from_words(execution: Execution, reading: Reading, tried: Tried) -> CallConsent:
    status = ConsentStatus.COVERED if tried.covers is not None else ConsentStatus.REFUSED
    if tried.is_bound and tried.covers is None and tried.is_undecided:
        status = ConsentStatus.UNDECIDED
    return CallConsent(
        call_seq=execution.seq,
        tool=execution.call.tool,
        status=status,
        reason=tried.reason,
        proposal_seq=reading.exchange.proposal_seq,
        answer_seq=reading.exchange.answer_seq,
        covers=(tried.covers,) if tried.covers is not None else (),
        is_agreement=tried.is_bound and not tried.is_used_up,
    )
