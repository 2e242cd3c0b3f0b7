"""TR-ENTITY-002: the entity acted on is the one the customer selected.

Selected means: the customer named it, or agreed to a proposal that named it, or there was only one to choose. The
newest words count: who asks for another one after agreeing has selected the other one.
"""

import re
from bisect import bisect_left
from typing import Final

from trustrail.consent import Stance, Text, stance
from trustrail.consent.detect import language_of
from trustrail.consent.language import load_language
from trustrail.consent.records import scalars_of
from trustrail.controls.action_call import ActionCall
from trustrail.controls.per_action import judge_each
from trustrail.controls.retrieved import candidates
from trustrail.controls.tr_entity_001 import entity_values
from trustrail.controls.verdict import ControlReport, Verdict
from trustrail.controls.view import RunView
from trustrail.events import AgentMessage, CustomerMessage, Event
from trustrail.objects import EntityArgument

CONTROL_ID: Final = "TR-ENTITY-002"

_LOOK_BACK: Final = 12
"""Messages of each side, before the call, in which a selection is looked for; ours."""


def evaluate(run: RunView) -> ControlReport:
    """Judge every consequential call of *run*."""
    return judge_each(CONTROL_ID, run, _decide, passed="each entity acted on is the one the customer selected")


def _decide(run: RunView, action: ActionCall) -> tuple[Verdict, str, set[int]]:
    if action.arguments is None:
        return Verdict.INCONCLUSIVE, action.lost_arguments, set()
    chosen = [entity for entity in run.pack.entities.get(action.tool, ()) if entity.selected_by_customer]
    if not chosen:
        return Verdict.PASS, "the action takes no entity that the customer selects", set()
    events: set[int] = set()
    open_reason: str | None = None
    for number, entity in enumerate(chosen):
        values = entity_values(entity, action.arguments)
        if not values:
            continue
        verdict, reason, seqs = _selected(run, action, entity, values)
        events |= seqs
        if verdict is Verdict.FAIL:
            return verdict, reason, events
        if verdict is Verdict.INCONCLUSIVE and number == 0:
            open_reason = open_reason or reason
    if open_reason is not None:
        return Verdict.INCONCLUSIVE, open_reason, events
    return Verdict.PASS, "named by the customer or in what the customer agreed to", events


def _selected(
    run: RunView, action: ActionCall, entity: EntityArgument, values: list[str]
) -> tuple[Verdict, str, set[int]]:
    is_whole_list = any(kept.argument in entity.argument for kept in action.action.keeps_lists)
    name = entity.argument.rsplit(".", 1)[-1]
    elsewhere = frozenset(
        str(value) for _, value in scalars_of(action.arguments) if isinstance(value, str) and value not in values
    )
    for event, text in _words_before(run, action):
        found = stance(values, name, text, run.records, negated=_negated(run, text), elsewhere=elsewhere)
        if found is Stance.CONTRADICTED and not is_whole_list:
            by = "the customer named" if isinstance(event.body, CustomerMessage) else "the agreed proposal named"
            return Verdict.FAIL, f"{entity.argument}: {by} another {entity.entity_type}", {event.seq}
        if found is Stance.NAMED:
            return Verdict.PASS, f"{entity.argument}: named", {event.seq}
    only = _only_candidate(run, action, entity)
    if only is not None:
        return Verdict.PASS, f"{entity.argument}: the only {entity.entity_type} retrieved", {only}
    return Verdict.INCONCLUSIVE, f"{entity.argument}: no words select this {entity.entity_type}", set()


def _negated(run: RunView, text: Text) -> re.Pattern[str]:
    """Return what rules a thing out in the language of *text*."""
    languages = run.rules.readable or ("en",)
    return load_language(language_of(text.raw, languages) or languages[0]).patterns["negated_mention"]


def _words_before(run: RunView, action: ActionCall) -> list[tuple[Event, Text]]:
    """Return the customer's messages and the agreed proposal before the call, newest first."""
    consent = run.consents[action.seq]
    found = run.spoken_before(action.seq, _LOOK_BACK)
    words: list[tuple[Event, Text]] = []
    for event in found:
        body = event.body
        is_agreed = consent.is_agreement and event.seq == consent.proposal_seq
        if isinstance(body, AgentMessage) and not is_agreed:
            continue
        if isinstance(body, CustomerMessage | AgentMessage) and body.text:
            words.append((event, Text.of(body.text)))
    return words


def _only_candidate(run: RunView, action: ActionCall, entity: EntityArgument) -> int | None:
    """Return the last retrieval before the call when all of them yield one and the same entity."""
    retrieved = candidates(run, entity.entity_type)
    before = retrieved[: bisect_left(retrieved, action.seq, key=lambda found: found[0])]
    return before[-1][0] if before and before[-1][1] == 1 else None
