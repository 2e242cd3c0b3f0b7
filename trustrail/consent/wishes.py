"""What in a customer's turn wants it otherwise than proposed, and what only seems to.

A phrase that repeats the proposal, goes without an extra it offered, or keeps what it left alone changes nothing.
"""

import re
from typing import Final

from trustrail.consent.cues import Cue, Cues, is_later
from trustrail.consent.folded import sentences
from trustrail.consent.language import Language

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_CLAUSE: Final = re.compile(r"[^,;:.!?()]*")


def countering(reading: Cues) -> Cue | None:
    """Return the first phrase of the turn that wants something else than was proposed; None when none does."""
    language = reading.language
    if _goes_ahead_anyway(reading):
        return None
    for cue in reading.counters:
        agreed = [found for found in reading.strong if is_later(cue, found) and not reading.is_question(found)]
        if reading.is_choice_expected and (_chooses(cue, reading) or _chooses_means(cue, reading)):
            continue
        if is_further(cue, reading) or _stays_with(cue, reading) or _narrows_alike(cue, reading):
            continue
        if _fills_means(cue, reading):
            continue
        if _declines_extra(cue, reading) or _goes_on(cue, reading) or _is_all_there_is(cue, reading):
            continue
        if language.contrast.match(cue.words) and keeps_what_stays(cue, reading):
            continue
        repeats = _repeats_proposal(cue, reading) and (bool(agreed) or _orders_the_same(cue, reading))
        if not repeats and not (agreed and _asks_for_more(cue, agreed, reading)):
            return cue
    return None


def _goes_ahead_anyway(reading: Cues) -> bool:
    """Say whether a go-ahead that says "anyway" stands in a sentence of its own behind every wish for another way."""
    told = [cue.sentence for cue in reading.strong if not reading.is_question(cue)]
    last = max((cue.sentence for cue in reading.counters), default=-1)
    return any(cue.sentence > last and cue.sentence in told for cue in reading.resume)


def _repeats_proposal(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue* orders with the proposal's own words what the proposal offers ("yes, use my Visa instead").

    Behind a yes it may narrow the proposal ("return only the lamp"); what the call takes beyond that is not covered.
    """
    language = reading.language
    is_narrowed = reading.follows_yes(cue)
    if language.contrast.match(cue.words) and not (is_narrowed and language.patterns["restricting"].match(cue.words)):
        return False
    words = _WORD.findall(cue.words)
    otherwise = [
        word
        for word in words
        if language.find("otherwise", word) and not (is_narrowed and language.find("restricting", word))
    ]
    content = [
        word for word in words if word not in language.common_words and not language.action_words.fullmatch(word)
    ]
    told = [word for word in (*content, *otherwise) if word[:5] in reading.proposal]
    return bool(told) and len(told) == len(content) + len(otherwise)


def _orders_the_same(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue* stands in an order, and narrows it only as the proposal did ("use just your Visa?")."""
    narrowing = reading.language.patterns["restricting"].findall(cue.words)
    is_order = bool(ordered(reading)) and not reading.is_question(cue)
    return is_order and all(word in reading.proposal for word in narrowing)


def _declines_extra(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue* goes without what the proposal only offered to add ("go ahead without the insurance")."""
    language = reading.language
    content = [word for word in _WORD.findall(cue.words) if word not in language.common_words]
    extra = [word for word in content if not language.find("absent", word)]
    offered = [part for part in sentences(reading.proposal) if language.part_verbs & set(_WORD.findall(part))]
    is_offered = any(all(word in part for word in extra) for part in offered)
    return bool(reading.strong and extra) and language.patterns["absent"].match(cue.words) is not None and is_offered


def _goes_on(cue: Cue, reading: Cues) -> bool:
    """Say whether a "but" leads back to what was proposed ("I'd have liked red. But let's go with the blue one.")."""
    language = reading.language
    contrast = language.contrast.match(cue.words)
    rest = cue.words[contrast.end() :].strip(" ,") if contrast else ""
    return (
        language.patterns["assent_strong"].match(rest) is not None
        and not language.find("otherwise", rest)
        and _is_told(rest, reading)
    )


def _is_all_there_is(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue*, asked for anything else, says that the proposal is all ("No, just the lamp. Go ahead.").

    "Just exchange it" and "just return everything" take less than the proposal in no case.
    """
    language = reading.language
    is_only = language.patterns["restricting"].match(cue.words) is not None
    if not is_only or not _is_told(cue.words, reading):
        return False
    is_bare = not any(
        word not in language.common_words and not language.action_words.fullmatch(word)
        for word in _WORD.findall(language.patterns["restricting"].sub(" ", cue.words))
    )
    acts = [word for word in language.action_words.findall(cue.words) if word[:5] in reading.proposal]
    is_act_told = bool(acts) and len(acts) == len(language.action_words.findall(cue.words))
    if is_act_told and (is_bare or language.everything.search(cue.words)):
        return True
    return reading.is_more_expected and bool(reading.strong)


def _is_told(words: str, reading: Cues) -> bool:
    """Say whether the proposal holds all the telling words of *words*."""
    language = reading.language
    content = [
        word
        for word in _WORD.findall(language.patterns["restricting"].sub(" ", words))
        if word not in language.common_words and not language.action_words.fullmatch(word)
    ]
    return all(word[:5] in reading.proposal for word in content)


def _chooses(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue* states a preference in a sentence of its own, after a yes ("Yes. I'd prefer my gift card.")."""
    language = reading.language
    is_plain = not language.find("otherwise", cue.words) and not language.contrast.search(cue.words)
    is_wish = language.find("desire", reading.original[cue.sentence]) is not None
    return is_plain and is_wish and reading.follows_yes(cue)


def _chooses_means(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue* only rules out what was not chosen of a kind ("Yes. I'd like PayPal instead of the card.")."""
    language = reading.language
    chosen = reading.original[cue.sentence][: cue.start]
    is_ruled_out = language.patterns["negated_mention"].match(cue.words) is not None
    is_same_thing = any(thing.search(chosen) and thing.search(cue.words) for thing in language.things.values())
    return is_ruled_out and is_same_thing and bool(language.find("desire", chosen)) and reading.follows_yes(cue)


def _fills_means(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue*, behind a yes, names a way to pay where the proposal names none ("Could you use my Visa?")."""
    kinds = reading.language.kinds.values()
    is_means = any(kind.search(cue.words) for kind in kinds) and not reading.language.find("otherwise", cue.words)
    return is_means and not any(kind.search(reading.proposal) for kind in kinds) and reading.follows_yes(cue)


def _narrows_alike(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue* narrows only as the proposal does, in its words ("removing only the jacket?" - "yes, only")."""
    language = reading.language
    narrowing = language.patterns["restricting"].match(cue.words)
    if narrowing is None or not reading.strong or language.contrast.search(cue.words[narrowing.end() :]):
        return False
    asked = [part for part in sentences(reading.proposal) if language.find("restricting", part)]
    content = {word for word in _WORD.findall(cue.words[narrowing.end() :]) if word not in language.common_words}
    telling = {word for word in content if not language.action_words.fullmatch(word)}
    return any(all(word[:5] in part for word in telling) for part in asked) and _is_told(cue.words, reading)


def _stays_with(cue: Cue, reading: Cues) -> bool:
    """Say whether a "but" only repeats what the proposal has as well ("..., but still with the leather strap")."""
    language = reading.language
    contrast = language.contrast.match(cue.words)
    rest = cue.words[contrast.end() :].lstrip(" ,") if contrast else ""
    content = [word for word in _WORD.findall(rest) if word not in language.common_words]
    is_same = language.patterns["still_with"].match(rest) is not None and not language.find("otherwise", rest)
    return bool(content and reading.strong) and is_same and all(word[:5] in reading.proposal for word in content)


def is_further(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue* belongs to a further request that has nothing to do with what a yes before it agreed to.

    "Yes, go ahead. Also, has the puzzle left? If not, I'd like an easier one." sets no condition on the address.
    """
    language = reading.language
    opens = language.patterns["addition"].match
    start = next((number for number, part in enumerate(reading.original) if number and opens(part)), len(reading.left))
    if cue.sentence < start or not reading.follows_yes(Cue(start, 0, "")):
        return False
    wants = reading.is_question(cue) or language.find("desire", reading.original[cue.sentence])
    if not wants or language.find("same_affair", reading.original[start]):
        return False
    if any(language.find("whole", part) for part in reading.original[start:]):
        return False
    words = {word for part in reading.original[start:] for word in _WORD.findall(part)}
    telling = {
        word
        for word in words - language.common_words
        if not language.action_words.fullmatch(word) and not language.patterns["passing"].fullmatch(word)
    }
    return bool(telling) and not any(word[:5] in reading.proposal for word in telling)


def _asks_for_more(cue: Cue, agreed: list[Cue], reading: Cues) -> bool:
    """Say whether *cue* wants a further thing in a sentence of its own ("Go ahead. Also, could I get ...?")."""
    sentence = reading.original[cue.sentence]
    apart = all(found.sentence < cue.sentence for found in agreed)
    wants = reading.is_question(cue) or reading.language.find("desire", sentence) is not None
    return apart and wants and reading.language.patterns["addition"].match(sentence) is not None


def keeps_what_stays(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue*, behind a yes, keeps what the proposal left as it is ("Yes. Let's keep the boots, though.")."""
    language = reading.language
    keeps = language.find("kept_part", cue.words)
    if keeps is None or language.find("otherwise", cue.words):
        return False
    clause = _CLAUSE.match(reading.original[cue.sentence], cue.start + keeps.end())
    kept = [word for word in _WORD.findall(clause.group() if clause else "") if word not in language.common_words]
    rest = language.find("rest_stays", reading.original[cue.sentence])
    if rest is not None and rest.start() <= cue.start + keeps.end() <= rest.end() and _comes_after_yes(cue, reading):
        return True
    if _keeps_another(kept, cue, reading):
        return True
    if not reading.follows_yes(cue):
        return False
    staying = [part for part in sentences(reading.proposal) if language.find("rest_stays", part) and "?" not in part]
    acts = any(language.action_words.fullmatch(word) for word in kept)
    return not acts and any(word[:5] in part for word in kept for part in staying)


def leaves_out_alike(cue: Cue, reading: Cues) -> bool:
    """Say whether *cue* rules out what the proposal leaves out too ("... and I won't touch #2?" - "Yes. Not #2.").

    The line of the proposal has to leave it out in as many words: all that the customer names stands in it.
    """
    language = reading.language
    clause = _CLAUSE.match(reading.original[cue.sentence], cue.start)
    named = {word for word in _WORD.findall(clause.group() if clause else "") if word not in language.common_words}
    telling = {word for word in named if not language.action_words.fullmatch(word)}
    part = reading.original[cue.sentence]
    apart = ("," in part[found.start : cue.start] for found in reading.strong if found.sentence == cue.sentence)
    if not telling or not (reading.follows_yes(cue) or any(apart)) or language.find("whole", part):
        return False
    keys = ("refusal", "rest_stays", "kept_part", "absent")
    lines = [part for part in sentences(reading.proposal) if any(language.find(key, part) for key in keys)]
    acts = [line for line in sentences(reading.proposal) if line not in lines and language.action_words.search(line)]
    is_acted_on = any(all(word in line for word in telling) for line in acts)
    return any(all(word in line for word in telling) for line in lines) and not is_acted_on


def _comes_after_yes(cue: Cue, reading: Cues) -> bool:
    return any(is_later(cue, found) and not reading.is_question(found) for found in reading.strong)


def _keeps_another(kept: list[str], cue: Cue, reading: Cues) -> bool:
    """Say whether a customer who orders the action keeps what it has nothing to do with ("... but keep the chair")."""
    language = reading.language
    is_thing = any(pattern.search(word) for word in kept for pattern in language.things.values())
    acts = any(language.action_words.search(word) for word in kept)
    told = any(word[:5] in reading.proposal for word in kept)
    before = [*reading.original[: cue.sentence], reading.original[cue.sentence][: cue.start]]
    orders = any(language.action_words.match(order_in(part, language)) for part in before)
    return bool(kept and reading.strong and orders) and not (is_thing or acts or told)


def ordered(reading: Cues) -> str:
    """Return the first sentence that is an order, from its verb on; empty when there is none."""
    for part in reading.original:
        rest = order_in(part, reading.language)
        if reading.language.action_words.match(rest):
            return rest
    return ""


def order_in(part: str, language: Language) -> str:
    """Return *part* from where an order's verb would stand in it."""
    lead, wish = language.patterns["imperative_lead"], language.patterns["wish_to_act"]
    rest = part.lstrip(" ,-\"'(")
    while match := lead.match(rest) or wish.match(rest):
        rest = rest[match.end() :].lstrip(" ,!.-")
    return rest
