"""A yes, and which calls it still covers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from trustrail.consent.actions import speaks_by_name
from trustrail.consent.answer import AnswerKind
from trustrail.consent.binding import bind, proposes_action
from trustrail.consent.exchange import Reading
from trustrail.consent.folded import Text
from trustrail.consent.language import load_language
from trustrail.consent.matching import (
    Words,
    contradiction,
    grouped,
    is_named,
    is_named_apart,
    named_arguments,
)
from trustrail.consent.parts import limited_to_parts
from trustrail.consent.records import Records
from trustrail.consent.references import names, references_in, shape_of
from trustrail.consent.rules import ActionRule
from trustrail.events import ToolCall

_GIVES: Final = frozenset({AnswerKind.CHOICE, AnswerKind.NEITHER})
"""Answers that may hold what an open question asked for, and neither agree nor refuse."""


@dataclass(slots=True)
class Grant:
    """A yes in its exchange, with the exchanges before it and the calls it has covered."""

    reading: Reading
    context: tuple[Reading, ...]
    used: list[ToolCall] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """Whether a grant covers a call."""

    is_bound: bool
    """True when the yes is a yes to the call's action, whatever its arguments."""
    reason: str
    covers: dict[str, Any] | None = None
    """The call as far as the words name it; None when it is not covered."""
    is_used_up: bool = False
    """True when the yes was to this action, and has covered its calls already."""
    is_undecided: bool = False
    """True when the record lacks what would decide."""


def try_grant(
    grant: Grant, call: ToolCall, rule: ActionRule, records: Records, agreed_before: Text | None = None
) -> Tried:
    """Decide whether the yes of *grant* covers *call*, whose plan may only adjust what was *agreed_before*."""
    arguments = call.arguments or {}
    bound = bind(grant.reading, grant.context, rule, arguments)
    if not bound.is_bound:
        return Tried(is_bound=False, reason=bound.reason)
    if bound.details and any(done.tool != call.tool for done in grant.used):
        return Tried(is_bound=False, reason="the yes was given for another action, which has been done")
    if _is_spent_on_another(grant, call, rule, records):
        return Tried(
            is_bound=False, reason="the yes was used for another action, and the proposal names no further one"
        )
    if call.arguments is None:
        why = f": {call.missing}" if call.missing else ""
        reason = f"a yes to this action came before, but the call's arguments were not recorded{why}"
        return Tried(is_bound=True, reason=reason, is_undecided=True)
    words = replace(_words(grant.reading, bound.details), agreed_before=agreed_before)
    difference = contradiction(arguments, rule, words, records)
    difference = difference or limited_to_parts(arguments, rule, grant.reading, records)
    if difference is not None:
        return Tried(is_bound=True, reason=f"the call differs from what was agreed: {difference}")
    named = named_arguments(arguments, rule, words, records)
    unnamed = [
        name
        for name in rule.must_name
        if name in arguments
        and name not in named
        and not _is_told_before({name: arguments[name]}, grant, rule, records)
    ]
    if unnamed:
        return Tried(is_bound=True, reason=f"the proposal does not name {', '.join(unnamed)}")
    if grant.used and not _is_another_item(grant, call, rule, words, records):
        return Tried(is_bound=True, reason="the yes was used up by an earlier call", is_used_up=True)
    cue = grant.reading.answer.cue if grant.reading.answer else ""
    reason = f"the customer agreed{f' ({cue!r})' if cue else ' in words of their own'}; {bound.reason}"
    return Tried(is_bound=True, reason=reason, covers={"tool": call.tool, "arguments": named})


def _is_spent_on_another(grant: Grant, call: ToolCall, rule: ActionRule, records: Records) -> bool:
    """Say whether the yes has covered another tool on another thing, and the proposal does not tell of this one's."""
    main = rule.entity_arguments[0] if rule.entity_arguments else ""
    thing = (call.arguments or {}).get(main)
    others = [done for done in grant.used if done.tool != call.tool and (done.arguments or {}).get(main) != thing]
    if thing is None or not others:
        return False
    proposal = grant.reading.proposal
    everything = load_language(grant.reading.code or "en").everything
    return not is_named([thing], proposal, records) and everything.search(proposal.folded) is None


def _is_told_before(argument: dict[str, Any], grant: Grant, rule: ActionRule, records: Records) -> bool:
    """Say whether the agent told *argument* in the talk before the yes, and nothing else for it since."""
    for earlier in reversed(grant.context):
        words = Words(
            proposal=earlier.proposal, answer=Text.of(""), is_open_ended=False, code=grant.reading.code or "en"
        )
        if contradiction(argument, rule, words, records) is not None:
            return False
        if named_arguments(argument, rule, words, records):
            return True
    return False


def is_asked_again(reading: Reading, call: ToolCall, rule: ActionRule) -> bool:
    """Say whether the agent asked leave for *call*'s action in *reading* and got no yes.

    Where the agent asked for the reason as well, giving it is an answer: the yes before it stands. So it does where
    the agent asked for a choice and only announced what follows it ("once confirmed, I'll proceed with both").
    """
    if reading.asks_reason and reading.answer is not None and reading.answer.kind in _GIVES:
        return False
    if reading.only_announces and reading.answer is not None and reading.answer.kind in _GIVES:
        return False
    return not reading.may_grant and proposes_action(reading, rule, call.arguments or {})


def is_chosen_later(
    grant: Grant, call: ToolCall, rule: ActionRule, records: Records, later: Sequence[Reading]
) -> Reading | None:
    """Return the exchange in which the customer, asked which, named another one than *call* takes; else None.

    "Shall I exchange it?" - "Yes" - "With PayPal or your Visa?" - "The Visa" covers no payment by PayPal.
    """
    if grant.used:
        return None
    for reading in later:
        is_choice = reading.is_open_ended and reading.answer is not None and reading.answer.kind in _GIVES
        words = Words(proposal=Text.of(""), answer=reading.said, is_open_ended=False, code=reading.code or "en")
        if is_choice and contradiction(call.arguments or {}, rule, words, records) is not None:
            return reading
    return None


def is_told_later(grant: Grant, call: ToolCall, rule: ActionRule, later: Sequence[Reading]) -> Reading | None:
    """Return the exchange after the yes that first told what *call* takes, as one of several options; else None.

    "Shall I book a new flight?" - "Yes" agrees to none of the flights that are listed afterwards.
    """
    if not later:
        return None
    before = [text for reading in (grant.reading, *grant.context) for text in (reading.proposal, reading.said)]
    groups = grouped(call.arguments or {}, rule.ignored)
    given = {value for values in groups.values() for value in values if isinstance(value, str)}
    for value in sorted(given):
        shape = shape_of(value)
        if shape is None or any(names(text, value) for text in before):
            continue
        for reading in later:
            if names(reading.proposal, value) and references_in(reading.proposal, shape) - given:
                return reading
    return None


def _words(reading: Reading, details: tuple[Reading, ...]) -> Words:
    said = [text for earlier in details for text in (earlier.proposal.raw, earlier.said.raw)]
    proposal = Text.of("\n".join([*said, reading.proposal.raw])) if said else reading.proposal
    return Words(
        proposal=proposal,
        answer=reading.said,
        is_open_ended=reading.is_open_ended or any(earlier.is_open_ended for earlier in details),
        code=reading.code or "en",
        asked=reading.proposal if said else None,
    )


def _is_another_item(grant: Grant, call: ToolCall, rule: ActionRule, words: Words, records: Records) -> bool:
    """Say whether *call* is another of several things the words list, not one of those already done.

    "Both" or "all" covers another entity; a further call on the same entity has to differ in something the words
    name.
    """
    everything = load_language(words.code).everything
    asked = [ask.sentence for ask in grant.reading.asks]
    is_all = any(everything.search(text) for text in (*asked, words.answer.folded))
    mine = grouped(call.arguments or {}, rule.ignored)
    main = rule.entity_arguments[0] if rule.entity_arguments else None
    acted_on = [argument for argument in rule.entity_arguments[:2] if not argument.startswith("$")]
    said = "\n".join([*asked, words.proposal.folded, words.answer.folded])
    for done in grant.used:
        is_other = done.tool not in rule.siblings or speaks_by_name(said, call.tool)
        if done.tool != call.tool and is_other:
            continue
        theirs = grouped(done.arguments or {}, rule.ignored)
        new = {key: value for key, values in mine.items() for value in values if value not in theirs.get(key, [])}
        if not new or (len(acted_on) == 2 and not any(argument in acted_on for argument, _ in new)):
            # The same things with other values are the same item done otherwise: one yes does not cover both.
            return False
        is_other_entity = any(argument == main for argument, _ in new)
        is_told = any(
            is_named_apart(value, theirs.get(key, []), text, records)
            for key, value in new.items()
            for text in (words.proposal, words.answer)
        )
        if not is_told and not (is_all and is_other_entity):
            return False
    return True
