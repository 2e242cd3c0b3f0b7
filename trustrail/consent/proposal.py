"""What an agent asks of a customer: leave to act, or something else.

The rule: a yes answers the last yes-or-no question. Only a question that asks leave to act, or asks for a plain
confirmation of what was just said, makes a proposal; an offer to look something up, a request for a fact and a
choice do not.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from trustrail.consent.folded import fold, sentences
from trustrail.consent.language import Language, load_language


class AskKind(StrEnum):
    """What a sentence of the agent asks for."""

    LEAVE = "leave to act"  #: "shall I cancel it?"
    CONFIRMATION = "confirmation"  #: "please confirm", "is that correct?"
    ALTERNATIVES = "one of several actions"  #: "shall I cancel it, or exchange it?"
    OFFER = "an offer that changes nothing"  #: "shall I check your other orders?"
    FACT = "whether something is so"  #: "was it booked yesterday?"
    ANYTHING_ELSE = "anything else"  #: "is there anything else?"
    CHOICE = "a choice"  #: "which one?"
    INFORMATION = "information"  #: "your order number, please?"


PROPOSING = frozenset({AskKind.LEAVE, AskKind.CONFIRMATION, AskKind.ALTERNATIVES})
YES_OR_NO = PROPOSING | {AskKind.OFFER, AskKind.FACT, AskKind.ANYTHING_ELSE}
OPEN_ENDED = frozenset({AskKind.CHOICE, AskKind.INFORMATION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One sentence of the agent that asks something."""

    kind: AskKind
    sentence: str
    about: str
    """The sentence without the words that ask."""
    verb: str = ""
    """What leave is asked for, when it is a verb of an action ("change" in "shall I change it?")."""


@lru_cache(maxsize=16384)
def read_asks(text: str, code: str) -> tuple[Ask, ...]:
    """Return what the agent's *text* asks, in order, read in the language *code*."""
    language = load_language(code)
    asks: list[Ask] = []
    for sentence in sentences(fold(text)):
        sentence, kind = _without_else(sentence, language)
        besides = language.find("also_asks", sentence) if kind in PROPOSING else None
        if besides is not None and besides.start() > 0:
            asks.append(Ask(kind=AskKind.CHOICE, sentence=besides.group(), about=besides.group()))
            sentence = sentence[: besides.start()].rstrip(" ,")
            kind = _kind(sentence, language)
        joined = _joined(sentence, language) if kind is AskKind.CHOICE else 0
        if joined:
            asks.append(Ask(kind=AskKind.CHOICE, sentence=sentence[:joined], about=sentence[:joined]))
            sentence = sentence[joined:]
            kind = _kind(sentence, language)
        if kind in PROPOSING and _asks_not_to(sentence, language):
            kind = AskKind.OFFER
        if kind is not None:
            about = language.patterns["ask_confirmation"].sub(" ", sentence)
            verb = _verb(sentence, language) if kind is AskKind.LEAVE else ""
            asks.append(Ask(kind=kind, sentence=sentence, about=about, verb=verb))
    return tuple(asks)


def _asks_not_to(sentence: str, language: Language) -> bool:
    """Say whether the question is of leaving things as they are ("shall I keep it?"); a yes to it changes nothing."""
    kept = language.find("asks_not_to", sentence) if "?" in sentence else None
    return kept is not None and language.action_words.search(sentence[: kept.start()]) is None


def _without_else(sentence: str, language: Language) -> tuple[str, AskKind | None]:
    """Return *sentence* without what else may be replied ("..., or no to change it"), and what is then asked."""
    kind = _kind(sentence, language)
    asked = language.patterns["or_else"].sub("", sentence).strip()
    plain = _kind(asked, language) if kind in PROPOSING and asked != sentence else None
    return (asked, plain) if plain in PROPOSING else (sentence, kind)


def _joined(sentence: str, language: Language) -> int:
    """Return where a question that asks leave follows one that asks which ("which card, and shall I ...?"); else 0."""
    joints = [match.end() for match in language.patterns["joins"].finditer(sentence)]
    leaves = [match.start() for match in language.patterns["ask_leave"].finditer(sentence)] if joints else []
    return next((leave for leave in leaves if len(sentence[:leave].rstrip(" ,")) in joints), 0)


def _kind(sentence: str, language: Language) -> AskKind | None:
    is_question = "?" in sentence
    leave = language.find("ask_leave", sentence)
    more = language.find("anything_else", sentence)
    fact = language.find("confirm_fact", sentence)
    asked = language.find("choice", sentence)
    if leave and asked and is_question and asked.start() < leave.start():
        return AskKind.CHOICE
    if leave and fact and leave.start() <= fact.start() < leave.end():
        return AskKind.FACT if language.find("whether", fact.group()) else AskKind.INFORMATION
    confirmation = language.find("ask_confirmation", sentence)
    if confirmation and not is_question and language.find("ask_later", sentence):
        return AskKind.INFORMATION
    if leave and more and is_question and set(sentence[leave.end() : more.start()].split()) <= language.fillers | {""}:
        return AskKind.ANYTHING_ELSE
    if leave and not (more and more.start() <= leave.start()):
        kind = _kind_of_leave(sentence, leave.end(), language)
        is_confirmed = confirmation and confirmation.start() <= leave.start() and leave.end() <= confirmation.end()
        return AskKind.CONFIRMATION if kind is AskKind.OFFER and is_confirmed else kind
    if more and is_question:
        return AskKind.ANYTHING_ELSE
    if fact and language.find("leave_besides", sentence[fact.end() :]):
        return AskKind.LEAVE
    if fact and not language.find("ask_confirmation", sentence[fact.end() :]):
        return AskKind.FACT if language.find("whether", fact.group()) else AskKind.INFORMATION
    if confirmation:
        return AskKind.CONFIRMATION
    if language.find("choice", sentence) and (is_question or language.patterns["choice"].match(sentence)):
        return AskKind.CHOICE
    information = language.find("information", sentence)
    if information and (is_question or information.start() == 0):
        if language.alternative in sentence:
            return AskKind.CHOICE
        return AskKind.FACT if language.patterns["yes_no_opening"].match(sentence) else AskKind.INFORMATION
    if is_question:
        return AskKind.INFORMATION
    return None


def _told(rest: str, language: Language) -> list[str]:
    words = [word.strip("?.,!;:\"'()") for word in rest.split()]
    return [word for word in words if word and word not in language.fillers]


def _verb(sentence: str, language: Language) -> str:
    """Return the action's verb right after "shall I", unless it is one that means nothing by itself."""
    leave = language.find("ask_leave", sentence)
    told = _told(sentence[leave.end() :], language)[:1] if leave else []
    return next((w for w in told if language.action_words.fullmatch(w) and w not in language.light_verbs), "")


def _is_harmless(rest: str, language: Language) -> bool:
    """Say whether the verb of the question changes nothing; in some languages it stands last."""
    told = _told(rest, language)
    if not told:
        return False
    return told[0] in language.harmless_verbs or (language.is_verb_last and told[-1] in language.harmless_verbs)


def _kind_of_leave(sentence: str, end: int, language: Language) -> AskKind:
    rest = sentence[end:].lstrip(" ,")
    if _is_harmless(rest, language):
        other = language.find("ask_leave", rest)
        if other is None:
            return AskKind.OFFER
        return _kind_of_leave(rest, other.end(), language)
    if not language.find("leave_to_do", sentence[:end]) and not language.action_words.search(rest):
        return AskKind.OFFER
    first, _, second = rest.partition(language.alternative)
    if second and language.patterns["keeping"].match(second):
        return AskKind.ALTERNATIVES
    if second and not language.find("anything_else", second):
        named = set(language.action_words.findall(first))
        added = set(language.action_words.findall(second)) - named - language.noun_like
        if added and (language.find("ask_leave", second) or named):
            return AskKind.ALTERNATIVES
    return AskKind.LEAVE
