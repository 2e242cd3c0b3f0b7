"""What a customer's words do to a proposal: agree, refuse, hesitate, set a condition, change it, or none of these.

The rule: words take effect in the order refusal, hesitation, condition, change, assent. A phrase that one kind
takes is not read again for another, so "I do not confirm" holds no "confirm". Assent stands only where
nothing before it in that order stands, unless the customer took the hesitation back ("never mind, just do it").
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final

from trustrail.consent.cues import Cue, Cues, Expects, is_later
from trustrail.consent.folded import fold, sentences
from trustrail.consent.language import Language, load_language
from trustrail.consent.spelling import respell
from trustrail.consent.wishes import countering, is_further, keeps_what_stays, leaves_out_alike, order_in, ordered

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


class AnswerKind(StrEnum):
    """What an answer does."""

    ASSENT = "assent"  #: agrees to what was proposed, as it was proposed
    REFUSAL = "refusal"  #: says no, or stops it
    HEDGE = "hedge"  #: has not decided
    CONDITION = "condition"  #: agrees only if something holds
    COUNTER = "counter-proposal"  #: wants it otherwise than proposed
    DOUBT = "assent with an open question"  #: says yes and asks back in one breath
    QUESTION = "question"  #: asks, and says neither yes nor no
    CHOICE = "choice"  #: picks an option or states a wish
    NEITHER = "no answer"  #: says something else


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One customer turn, read."""

    kind: AnswerKind
    cue: str
    """The words that decided, as they stand in the folded text."""
    is_directive: bool = False
    """True for "go ahead", "cancel it"; False for a bare "yes" or "fine", which needs a question to answer."""
    text: str
    """The folded text."""
    apart: tuple[str, ...] = ()
    """Sentences that speak of another topic ("as for the address, ..."); they take no part in the reading."""
    echo: str = ""
    """A sentence that orders something ("cancel it, please"), from its verb on."""


@lru_cache(maxsize=16384)
def read_answer(
    text: str, code: str, *, is_no_expected: bool = False, is_choice_expected: bool = False, proposal: str = ""
) -> Answer:
    """Read a customer's turn in the language *code*.

    Args:
        text: the words of the turn.
        code: a language with rules.
        is_no_expected: the agent also asked whether anything else is wanted, so that a leading "no" may answer
            that question.
        is_choice_expected: the agent also asked which or how, so that a preference may answer that question.
        proposal: what the agent said before; words that only repeat it ask for nothing else.
    """
    language = load_language(code)
    folded = respell(fold(text), language)
    parts = sentences(folded)
    if is_no_expected:
        parts = _without_leading_no(parts, language)
    parts, apart = _without_other_topic(parts, language)
    proposed = fold(proposal)
    is_more_expected = is_no_expected or language.find("asks_if_all", proposed) is not None
    expects = Expects(choice=is_choice_expected, more=is_more_expected)
    reading = Cues(language, parts, proposed, expects=expects)
    narrowed = _narrowed_orders(reading)
    if narrowed:
        apart = (*apart, *(parts[number] for number in narrowed))
        parts = tuple(part for number, part in enumerate(parts) if number not in narrowed)
        reading = Cues(language, parts, proposed, expects=expects)
    return replace(_decide(reading, folded), echo=ordered(reading), apart=apart)


def _without_leading_no(parts: tuple[str, ...], language: Language) -> tuple[str, ...]:
    """Drop a leading plain "no" that answers "anything else?"."""
    if not parts:
        return parts
    refusal = language.patterns["refusal"].match(parts[0])
    if refusal is None or len(refusal.group().split()) > 1:
        return parts
    rest = parts[0][refusal.end() :].lstrip(" ,.;:!-")
    return ((rest,) if rest else ()) + parts[1:]


def _without_other_topic(parts: tuple[str, ...], language: Language) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Cut off what the customer says about another topic after having answered.

    "By the way, hold off" names no topic: it stops what was proposed.
    """
    for number, part in enumerate(parts):
        match = language.patterns["topic"].match(part) if number else None
        rest = part[match.end() :].lstrip(" ,") if match else ""
        named = [word for word in _WORD.findall(rest) if word not in language.common_words]
        is_topic = any(not language.action_words.fullmatch(word) for word in named)
        if match is not None and (is_topic or language.patterns["refusal"].match(rest) is None):
            return parts[:number], parts[number:]
    return parts, ()


def _narrowed_orders(reading: Cues) -> frozenset[int]:
    """Return the sentences that order one of several actions otherwise, where another sentence orders another one.

    "Cancel the pending ones. Return the others, except for the lamp." takes the cancelling as it was proposed.
    """
    narrowed = frozenset(cue.sentence for cue in reading.counters if not is_further(cue, reading))
    if not narrowed or reading.refusals or reading.hedges or reading.conditions or len(reading.original) < 2:
        return frozenset()
    families = {number: _families(part, reading) for number, part in enumerate(reading.original)}
    others = frozenset().union(*(told for number, told in families.items() if number not in narrowed))
    apart = all(families[number] and not families[number] & others for number in narrowed)
    return narrowed if others and apart else frozenset()


def _families(part: str, reading: Cues) -> frozenset[str]:
    """Return the families of actions that *part* orders; none when it is no order."""
    verb = reading.language.action_words.match(order_in(part, reading.language))
    families = reading.language.actions.items()
    return frozenset(family for family, words in families if verb and words.fullmatch(verb.group()))


def _decide(reading: Cues, folded: str) -> Answer:
    strong, weak = reading.strong, reading.weak
    for decide in (_refused, _hedged, _conditional):
        answer = decide(reading, folded)
        if answer is not None:
            return answer
    counter = countering(reading)
    if counter is not None:
        return Answer(kind=AnswerKind.COUNTER, cue=counter.words, text=folded)
    if strong or weak:
        return _agreed(reading, folded)
    if any(part.rstrip(" _\"')").endswith("?") for part in reading.original):
        return Answer(kind=AnswerKind.QUESTION, cue=reading.original[-1], text=folded)
    for part in reading.left:
        match = reading.language.find("desire", part)
        if match:
            return Answer(kind=AnswerKind.CHOICE, cue=match.group(), text=folded)
    return Answer(kind=AnswerKind.NEITHER, cue="", text=folded)


def _refused(reading: Cues, folded: str) -> Answer | None:
    refusals = [
        cue for cue in reading.refusals if not keeps_what_stays(cue, reading) and not leaves_out_alike(cue, reading)
    ]
    if not refusals:
        return None
    last = refusals[-1]
    taken_back = all(reading.language.find("retraction", cue.words) for cue in refusals)
    after = [cue for cue in reading.strong + reading.resume if is_later(cue, last)]
    if after and (taken_back or reading.resume):
        return Answer(kind=AnswerKind.ASSENT, cue=after[0].words, is_directive=True, text=folded)
    assents = reading.strong + reading.weak
    if reading.counters or any(is_later(cue, last) for cue in assents):
        return Answer(kind=AnswerKind.COUNTER, cue=last.words, text=folded)
    return Answer(kind=AnswerKind.REFUSAL, cue=last.words, text=folded)


def _hedged(reading: Cues, folded: str) -> Answer | None:
    if not reading.hedges:
        return None
    last = reading.hedges[-1]
    directive = [cue for cue in reading.strong if not reading.is_question(cue)]
    after = [cue for cue in directive if is_later(cue, last)]
    if after and not reading.conditions and not reading.counters:
        return Answer(kind=AnswerKind.ASSENT, cue=after[0].words, is_directive=True, text=folded)
    other_sentence = [cue for cue in directive if cue.sentence != last.sentence]
    kind = AnswerKind.DOUBT if other_sentence else AnswerKind.HEDGE
    return Answer(kind=kind, cue=last.words, text=folded)


def _conditional(reading: Cues, folded: str) -> Answer | None:
    conditions = [cue for cue in reading.conditions if not is_further(cue, reading)]
    if not conditions:
        return None
    cue = conditions[0]
    apart = [agreed for agreed in reading.strong if agreed.sentence != cue.sentence and not reading.is_question(agreed)]
    if apart and reading.is_question(cue):
        return None
    if any(is_later(agreed, cue) for agreed in apart) and _restates(cue, reading):
        return None
    inner = reading.language.find("assent_strong", cue.words)
    if inner and _restates(cue, reading):
        return Answer(kind=AnswerKind.ASSENT, cue=inner.group(), is_directive=True, text=folded)
    return Answer(kind=AnswerKind.CONDITION, cue=cue.words, text=folded)


def _restates(cue: Cue, reading: Cues) -> bool:
    """Say whether the only condition *cue* repeats what the proposal says ("if the red one is available, do it")."""
    language = reading.language
    if len(reading.conditions) > 1 or reading.refusals or reading.hedges or reading.counters:
        return False
    if any(language.find(key, reading.original[cue.sentence]) for key in ("absent", "otherwise", "claims_failed")):
        return False
    words = language.patterns["assent_strong"].sub(" ", cue.words)
    content = [word for word in _WORD.findall(words) if word not in language.common_words]
    told = [word for word in content if word[:5] in reading.proposal or language.action_words.fullmatch(word)]
    return len(content) > 1 and len(told) == len(content)


def _agreed(reading: Cues, folded: str) -> Answer:
    directive = [cue for cue in reading.strong if not reading.language.patterns["affirmation"].fullmatch(cue.words)]
    plain = [cue for cue in reading.strong + reading.weak if not reading.is_question(cue)]
    polite = [cue for cue in directive if reading.is_question(cue)]
    asks_back = [
        number
        for number, part in enumerate(reading.original)
        if part.rstrip(" _\"')").endswith("?") and not any(cue.sentence == number for cue in directive)
    ]
    if not plain and not polite:
        same = (reading.strong + reading.weak)[0]
        rest = reading.original[same.sentence][same.start + len(same.words) :].strip(" ?!.,")
        if same.start == 0 and reading.language.patterns["information"].match(rest):
            return Answer(kind=AnswerKind.ASSENT, cue=same.words, text=folded)
        kind = AnswerKind.DOUBT if rest else AnswerKind.QUESTION
        return Answer(kind=kind, cue=same.words, text=folded)
    asks_back = [number for number in asks_back if not is_further(Cue(number, 0, ""), reading)]
    doubts = (reading.language.contrast, reading.language.patterns["worry"])
    if any(doubt.search(reading.original[number]) for number in asks_back for doubt in doubts):
        return Answer(kind=AnswerKind.DOUBT, cue=reading.original[asks_back[0]], text=folded)
    doubted = _doubt_after(reading, reading.strong + reading.weak)
    if doubted:
        return Answer(kind=AnswerKind.DOUBT, cue=doubted, text=folded)
    cue = min((directive or plain or polite), key=lambda found: (found.sentence, found.start))
    return Answer(kind=AnswerKind.ASSENT, cue=cue.words, is_directive=bool(directive), text=folded)


def _doubt_after(reading: Cues, assents: list[Cue]) -> str:
    """Return what a "but" puts behind every assent; empty when there is none, or an assent follows it."""
    for number, part in enumerate(reading.left):
        match = reading.language.contrast.search(part)
        rest = part[match.end() :].strip(" ,.!?_") if match else ""
        if match is None or not rest or reading.language.find("benign_contrast", rest):
            continue
        if keeps_what_stays(Cue(number, match.start(), f"{match.group()} {rest}"), reading):
            continue
        before = [cue for cue in assents if cue.sentence == number and cue.start < match.start()]
        after = [cue for cue in assents if (cue.sentence, cue.start) > (number, match.start())]
        if before and not after:
            return f"{match.group()} {rest}"
    return ""
