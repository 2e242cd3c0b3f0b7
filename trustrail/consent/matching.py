"""Whether the words a customer agreed to allow exactly this call.

A yes covers what its proposal names. What the proposal is silent about is not contradicted; what it names
differently is. A value that only the answer names is agreed to when the proposal left it open ("and which card,
please?"), and is a change when the proposal had named another.
"""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from trustrail.consent.descriptions import description, has_own_name, own_names, stands_in
from trustrail.consent.folded import Text, fold, has_word, sentences
from trustrail.consent.kinds import of_another_kind, ruled_out
from trustrail.consent.language import load_language
from trustrail.consent.records import Records, scalars_of
from trustrail.consent.references import (
    called_instead,
    contradicted,
    is_described,
    is_reference,
    names,
    replaced_by_other,
    told_in,
)
from trustrail.consent.rules import ActionRule
from trustrail.consent.sparing import spared
from trustrail.consent.values import contradicted_numbers, contradicted_text, names_number, settles_switch

_POST_CODE: Final = re.compile(r"\d{5}")
_HOUSE: Final = re.compile(r"(?<![\w.#$])(\d+[a-z]?) [^\W\d]")
_ADDRESS: Final = 160
"""Characters of an address before its code; ours, twice the longest in the recorded corpora."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What was said around one yes."""

    proposal: Text
    answer: Text
    is_open_ended: bool
    """True when the proposal also asked which, what or how."""
    code: str
    asked: Text | None = None
    """The asking message alone, where the proposal holds the talk before it as well."""
    agreed_before: Text | None = None
    """An agreed plan whose call failed; the proposal may tell only what it changes in it."""


def list_in_text(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return *value*, or the list it spells: some recorders write ``"['1', '2']"``."""
    if isinstance(value, str) and value[:1] == "[" and value[-1:] == "]":
        try:
            found = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
        return found if isinstance(found, list) else value
    return value


def grouped(arguments: Mapping[str, Any], ignored: frozenset[str]) -> dict[tuple[str, str], list[Any]]:
    """Return the scalars of *arguments*, grouped by argument and innermost key."""
    groups: dict[tuple[str, str], list[Any]] = {}
    for argument, value in sorted(arguments.items()):
        if argument in ignored:
            continue
        for key, scalar in scalars_of({argument: list_in_text(value)}):
            groups.setdefault((argument, key), []).append(scalar)
    return groups


def contradiction(arguments: Mapping[str, Any], rule: ActionRule, words: Words, records: Records) -> str | None:
    """Return how *arguments* differ from what was agreed to, or None when they do not."""
    answer = _without_what_follows(words.answer, words.code)
    answer = answer.without(load_language(words.code).patterns["negated_mention"])
    groups = grouped(arguments, rule.ignored)
    kept = spared(_entity(arguments, rule), words.answer, words.code)
    if kept is not None:
        return kept
    for (argument, key), values in groups.items():
        elsewhere = frozenset(
            value for other, held in groups.items() if other[0] != argument for value in held if isinstance(value, str)
        )
        if _is_another_thing(argument, values, rule, words, records):
            return f"{key}: the words name another one than the call"
        unnamed = _names_only_some(argument, values, rule, words, records)
        if unnamed:
            return f"{key}: the words do not name all that the call does"
        proposed = _against(words.proposal, argument, key, values, rule, words.code, records, elsewhere)
        answered = _against(answer, argument, key, values, rule, words.code, records, elsewhere)
        is_rest = _is_rest_of_plan(values, words, records)
        is_taken = (is_rest and _only_keeps(answer, words.code)) or _takes_all(argument, values, rule, words, records)
        if answered is not None and not is_taken:
            return f"{answered} (in the answer)"
        kind = of_another_kind(values, answer, words.proposal, _entity(arguments, rule), words.code)
        kind = kind or ruled_out(values, words.answer, words.code) or _left_by_plan(values, words, records)
        if kind is not None:
            return f"{key}: {kind}"
        if argument in rule.kept_lists and rule.entity_arguments:
            both = Text.of(f"{words.proposal.raw}\n{words.answer.raw}")
            texts = [value for value in values if isinstance(value, str)]
            entity = _entity(arguments, rule)
            replaced = replaced_by_other(texts, key, both, records, entity=entity)
            if replaced is not None:
                return replaced
        is_open = words.is_open_ended and is_named(values, words.answer, records)
        is_settled = is_open or _settles_offer(values, key, words)
        if proposed is not None and not (is_settled or is_rest):
            return f"{proposed} (in the proposal)"
    return _other_street(arguments, words) or _numbers_against(arguments, rule, words)


def _is_another_thing(argument: str, values: list[Any], rule: ActionRule, words: Words, records: Records) -> bool:
    """Say whether the words call another thing of the same list by its name, and the one the call takes by none."""
    if len(values) != 1 or argument not in rule.entity_arguments[1:] or words.agreed_before is not None:
        return False
    both = Text.of(f"{words.proposal.raw}\n{words.answer.raw}")
    return called_instead(str(values[0]), both, records) is not None


def _other_street(arguments: Mapping[str, Any], words: Words) -> str | None:
    """Return how the words tell an address by its code, and another house than *arguments* do; None when they do not.

    People write "St." for "Street", so the number of the house is compared, not its street's name.
    """
    said = Text.of(f"{words.proposal.raw}\n{words.answer.raw}")
    texts = {name: value for name, value in sorted(arguments.items()) if isinstance(value, str)}
    codes = [value for value in texts.values() if _POST_CODE.fullmatch(value) and names(said, value)]
    if not any(_HOUSE.search(said.folded[max(0, place - _ADDRESS) : place]) for place in map(said.folded.find, codes)):
        return None
    houses = ((name, match) for name, value in texts.items() if (match := _HOUSE.match(fold(value))))
    other = next((name for name, match in houses if not has_word(said.folded, match.group(1))), None)
    return f"{other}: the words name another one than the call" if other is not None else None


def _entity(arguments: Mapping[str, Any], rule: ActionRule) -> str:
    """Return the reference of what the call acts on; empty when it has none."""
    return str(arguments.get(rule.entity_arguments[0], "")) if rule.entity_arguments else ""


def _takes_all(argument: str, values: list[Any], rule: ActionRule, words: Words, records: Records) -> bool:
    """Say whether the answer takes all the proposed actions ("both of them"), whatever else it names one thing for."""
    is_all = load_language(words.code).find("all_of_it", words.answer.folded) is not None
    return is_all and argument in rule.entity_arguments[:1] and bool(told_in(values, words.proposal, records))


def _settles_offer(values: list[Any], key: str, words: Words) -> bool:
    """Say whether the answer settles what the proposal only offered ("would you like to add insurance?")."""
    language = load_language(words.code)
    offered = [part for part in sentences(words.proposal.folded) if language.find("ask_leave", part)]
    is_offered = any(language.part_verbs & set(part.split()) for part in offered)
    return is_offered and settles_switch(values, key, words.answer, language)


def _is_rest_of_plan(values: list[Any], words: Words, records: Records) -> bool:
    """Say whether the proposal goes on with the rest of the agreed plan, and *values* are of that rest.

    "The red lamp is gone. Shall I change the other items and leave the lamp?" names the lamp to leave it out.
    """
    plan = words.agreed_before
    if plan is None or not load_language(words.code).find("rest_of_plan", words.proposal.folded):
        return False
    known = [value for value in values if records.sightings(str(value))]
    is_left_out = any(_is_mentioned(value, words.proposal, records) for value in values)
    is_planned = all(_told(known, plan, records)) if len(known) > 1 else bool(told_in(known, plan, records))
    return not is_left_out and is_planned


def _is_mentioned(value: Any, text: Text, records: Records) -> bool:  # noqa: ANN401 - any JSON value
    return names(text, str(value)) or any(stands_in(fold(name), text) for name in own_names(str(value), records))


def _only_keeps(answer: Text, code: str) -> bool:
    """Say whether *answer* names things to keep them as they are, and narrows nothing else."""
    language = load_language(code)
    return language.find("kept_part", answer.folded) is not None and not language.find("restricting", answer.folded)


def _left_by_plan(values: list[Any], words: Words, records: Records) -> str | None:
    """Return which of *values* the proposal leaves as it is while it goes on with the rest of a plan, or None."""
    language = load_language(words.code)
    if words.agreed_before is None or not language.find("rest_of_plan", words.proposal.folded):
        return None
    kept = [
        match.string[match.start() :]
        for part in sentences(words.proposal.folded)
        if (match := language.find("kept_part", part))
    ]
    left = (value for value in values if any(_is_mentioned(value, Text.of(part), records) for part in kept))
    return next((f"the call takes {value!r} too, which the words keep" for value in left), None)


def _without_what_follows(answer: Text, code: str) -> Text:
    """Return *answer* without the sentences that speak of what comes after the action ("once that's done, ...")."""
    afterwards = load_language(code).patterns["afterwards"]
    first, *rest = sentences(answer.raw) or ("",)
    kept = [sentence for sentence in rest if afterwards.match(fold(sentence)) is None]
    return answer if len(kept) == len(rest) else Text.of("\n".join([first, *kept]))


def _names_only_some(argument: str, values: list[Any], rule: ActionRule, words: Words, records: Records) -> bool:
    """Say whether the words name some of several things the call takes, and leave out one that has a name."""
    if len(values) < 2 or argument in rule.kept_lists or argument not in rule.entity_arguments:
        return False
    language = load_language(words.code)
    everything = language.everything
    answered = _told(values, words.answer.without(language.patterns["negated_mention"]), records)
    if language.find("restricting", words.answer.folded) and any(answered):
        return not all(answered)
    if words.asked is not None and language.find("restricting", words.asked.folded):
        # "Only the lamp then. Shall I?" takes back what the talk before named besides.
        kept = _told(values, words.asked, records)
        if any(kept) and not all(kept):
            return True
    if any(everything.search(text.folded) for text in (words.proposal, words.answer)):
        return False
    told = _told(values, words.proposal, records)
    if words.agreed_before is not None and not language.find("restricting", words.proposal.folded):
        if everything.search(words.agreed_before.folded):
            return False
        planned = _told(values, words.agreed_before, records)
        told = [is_told or is_planned for is_told, is_planned in zip(told, planned, strict=True)]
    if words.is_open_ended or not any(told):
        # What the answer adds to a list that the proposal had closed is a change, not part of the yes.
        told = [is_told or is_answered for is_told, is_answered in zip(told, answered, strict=True)]
    return any(told) and any(
        has_own_name(str(value), records) for value, is_told in zip(values, told, strict=True) if not is_told
    )


def _told(values: list[Any], text: Text, records: Records) -> list[bool]:
    """Say which of several things *text* names; what can be said of all of them names none."""
    things = [str(value) for value in values]
    about = [description(thing, records.sightings(thing), records) for thing in things]
    shared = frozenset.intersection(*about)
    return [
        names(text, thing) or any(stands_in(word, text) for word in words - shared)
        for thing, words in zip(things, about, strict=True)
    ]


def _numbers_against(arguments: Mapping[str, Any], rule: ActionRule, words: Words) -> str | None:
    """Compare the numbers among *arguments*: amounts each, counts of one thing together."""
    numbers = {
        name: value
        for name, value in sorted(arguments.items())
        if isinstance(value, int | float) and not isinstance(value, bool) and name not in rule.ignored
    }
    language = load_language(words.code)
    for text, place in ((words.answer, "answer"), (words.proposal, "proposal")):
        found = contradicted_numbers(numbers, text, language)
        if found is not None:
            return f"{found} (in the {place})"
    return None


def _against(
    text: Text,
    argument: str,
    key: str,
    values: list[Any],
    rule: ActionRule,
    code: str,
    records: Records,
    elsewhere: frozenset[str],
) -> str | None:
    language = load_language(code)
    is_whole_list = argument in rule.kept_lists
    texts = [value for value in values if isinstance(value, str) and value]
    references = [value for value in texts if is_reference(value) or _is_looked_up(value, records)]
    if references and argument not in rule.choices:
        found = contradicted(references, key, text, records, is_whole_list=is_whole_list, elsewhere=elsewhere)
        is_another = argument in rule.entity_arguments[:1] and language.find("other_things", text.folded) is not None
        if found is not None and not is_another:
            return found
    plain = [value for value in texts if value not in references or argument in rule.choices]
    if plain:
        choices = rule.choices.get(argument, ())
        found = contradicted_text(plain, key, text, language, choices)
        if found is not None:
            return found
    return None


def _is_looked_up(value: str, records: Records) -> bool:
    return "_" in value and any(sighting.siblings for sighting in records.sightings(value))


def is_named(values: list[Any], text: Text, records: Records) -> bool:
    """Say whether *text* names any of *values*, by itself or by what the lookups say about it."""
    return any(
        names_number(text, value)
        if isinstance(value, int | float) and not isinstance(value, bool)
        else names(text, str(value)) or is_described(str(value), text, records)
        for value in values
    )


def is_named_apart(value: Any, others: Iterable[Any], text: Text, records: Records) -> bool:  # noqa: ANN401 - any JSON
    """Say whether *text* names *value* in words that do not name one of *others* as well ("my gift card")."""
    if not isinstance(value, str):
        return is_named([value], text, records)
    if told_in([value], text, records):
        return True
    shared = frozenset().union(*(description(str(other), records.sightings(other), records) for other in others))
    return any(stands_in(word, text) for word in description(value, records.sightings(value), records) - shared)


def named_arguments(arguments: Mapping[str, Any], rule: ActionRule, words: Words, records: Records) -> dict[str, Any]:
    """Return the part of *arguments* that the proposal or the answer names."""
    named: dict[str, Any] = {}
    for argument, value in sorted(arguments.items()):
        groups = grouped({argument: value}, rule.ignored)
        if any(
            is_named(values, words.proposal, records) or is_named(values, words.answer, records)
            for values in groups.values()
        ):
            named[argument] = value
    return named
