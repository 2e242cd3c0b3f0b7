"""To what a yes binds: which question it answers, and whether that question proposes the action in hand."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from trustrail.consent.actions import Naming, has_own_thing, naming_in, speaks_of_part, speaks_of_thing
from trustrail.consent.answer import Answer, AnswerKind
from trustrail.consent.exchange import Reading
from trustrail.consent.folded import Text, sentences
from trustrail.consent.language import Language, load_language
from trustrail.consent.proposal import PROPOSING, Ask, AskKind
from trustrail.consent.references import TOKEN, is_reference
from trustrail.consent.rules import ActionRule

_CLOSING: Final = frozenset({AnswerKind.REFUSAL, AnswerKind.HEDGE})
"""Answers after which a yes to something else does not reach back to what was proposed."""

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Whether a yes is a yes to this action, and why."""

    is_bound: bool
    reason: str
    details: tuple[Reading, ...] = ()
    """Earlier exchanges the proposal relies on for what it means."""


def bind(reading: Reading, context: Sequence[Reading], rule: ActionRule, arguments: Iterable[str]) -> Bound:
    """Decide whether the assent in *reading* agrees to the action of *rule*.

    Args:
        reading: an exchange whose answer agrees.
        context: the exchanges before it, oldest first.
        rule: the action's rule.
        arguments: the names of the call's arguments.
    """
    if reading.answer is None or reading.code is None:
        return Bound(is_bound=False, reason="the answer was not read")
    names = tuple(arguments)
    if any(naming_in(part, rule.words, names, reading.code) is Naming.OWN for part in reading.answer.apart):
        return Bound(is_bound=False, reason="the customer agreed to something else and spoke of this one apart")
    if _is_unspoken(reading, context, rule):
        return Bound(is_bound=False, reason="the agent's words do not speak of what the action is for")
    if not reading.proposes and reading.orders_with_reason:
        return _by_order_with_reason(reading, rule, names)
    if reading.answer.kind is not AnswerKind.ASSENT:
        return _by_echo(reading, context, rule, names)
    if not reading.proposes and _orders_an_option(reading, rule, names):
        return Bound(is_bound=True, reason="the customer agrees and orders one of the options set out, by name")
    if not reading.proposes and _gives_the_reason(reading, rule, names):
        return Bound(is_bound=True, reason="the customer gives the reason that was missing and orders the action")
    if not reading.proposes and _confirms_by_reference(reading, rule, names):
        return Bound(is_bound=True, reason="the customer confirms what was to be acted on, by its reference")
    if not reading.proposes:
        return _to_earlier_proposal(reading, context, rule, names)
    last = reading.last_yes_or_no
    if last is not None and last.kind not in PROPOSING and not _picks_action(reading, rule, names):
        return Bound(is_bound=False, reason=f"the yes answers {last.kind.value} ({_short(last.sentence)})")
    if _is_undecided_alternative(reading, rule, names):
        return Bound(is_bound=False, reason="the yes does not say which of the alternatives is meant")
    return _names_action(reading, context, rule, names)


def _is_unspoken(reading: Reading, context: Sequence[Reading], rule: ActionRule) -> bool:
    """Say whether only the customer speaks of what the action is for, or nobody does.

    "Shall I update the reservation?" - "Yes. Also, I'd like a bag" agrees to no bag: the agent offered none.
    """
    code = reading.code or "en"
    if not has_own_thing(rule.words, code) or speaks_of_thing(reading.proposal.folded, rule.words, code):
        return False
    if speaks_of_thing(reading.said.folded, rule.words, code):
        return True
    return not any(speaks_of_thing(earlier.proposal.folded, rule.words, code) for earlier in context)


def _orders_an_option(reading: Reading, rule: ActionRule, names: tuple[str, ...]) -> bool:
    """Say whether "yes, book DL317" answers a list of options that held DL317 with its details."""
    assert reading.answer is not None
    language = load_language(reading.code or "en")
    if not any(ask.kind is AskKind.CHOICE for ask in reading.asks):
        return False
    if not reading.answer.is_directive and language.find("affirmation", reading.answer.cue) is None:
        return False
    if naming_in(reading.answer.echo, rule.words, names, reading.code or "en") is not Naming.OWN:
        return False
    return any(reference in _references(reading.proposal) for reference in _references(reading.said))


def _gives_the_reason(reading: Reading, rule: ActionRule, names: tuple[str, ...]) -> bool:
    """Say whether "go ahead and cancel it" answers "to cancel #1 I only need the reason"."""
    assert reading.answer is not None
    is_named = _is_action_named(reading, rule, names)
    return reading.asks_reason and is_named and reading.answer.is_directive and _says_action(reading, rule, names)


def _by_order_with_reason(reading: Reading, rule: ActionRule, names: tuple[str, ...]) -> Bound:
    """Bind "please cancel it, I no longer need it" as the answer to "to cancel #1 I only need the reason"."""
    is_told = _is_action_named(reading, rule, names) and bool(_references(reading.proposal))
    is_bound = is_told and _says_action(reading, rule, names)
    reason = "the customer gives the reason that was missing and orders the action"
    return Bound(
        is_bound=is_bound, reason=reason if is_bound else "the customer gives a reason and orders nothing told"
    )


def _is_action_named(reading: Reading, rule: ActionRule, names: tuple[str, ...]) -> bool:
    return any(
        naming_in(sentence, rule.words, names, reading.code or "en") is Naming.OWN
        for sentence in sentences(reading.proposal.folded)
    )


def _confirms_by_reference(reading: Reading, rule: ActionRule, names: tuple[str, ...]) -> bool:
    """Say whether "I confirm order #1" answers "to cancel it, please confirm order #1 and the reason"."""
    assert reading.answer is not None
    language = load_language(reading.code or "en")
    asked = [sentence for sentence in sentences(reading.proposal.folded) if language.find("confirm_fact", sentence)]
    is_named = _is_action_named(reading, rule, names)
    shared = {reference.lower() for reference in _references(reading.said)}
    is_confirmed = any(reference in sentence for sentence in asked for reference in shared)
    return is_named and is_confirmed and reading.answer.is_directive


def _references(text: Text) -> frozenset[str]:
    return frozenset(token for token in TOKEN.findall(text.raw) if is_reference(token))


def _by_echo(reading: Reading, context: Sequence[Reading], rule: ActionRule, names: tuple[str, ...]) -> Bound:
    """Bind an order that repeats the proposal: "shall I cancel it?" - "cancel it, please"."""
    assert reading.answer is not None
    asked = [ask for ask in reading.asks if ask.kind in PROPOSING]
    language = load_language(reading.code or "en")
    if asked and asked[-1].kind is AskKind.ALTERNATIVES and not _is_or_nothing(asked[-1], language):
        return Bound(is_bound=False, reason="the customer picks one of several actions and confirms none")
    if asked and language.find("means", asked[-1].sentence):
        return Bound(is_bound=False, reason="the customer picks a way to pay and confirms no action")
    if naming_in(reading.answer.echo, rule.words, names, reading.code or "en") is not Naming.OWN:
        return Bound(is_bound=False, reason="the customer orders something else than what was proposed")
    if language.find("otherwise", reading.answer.echo):
        return Bound(is_bound=False, reason="the customer orders it otherwise than proposed")
    new = [
        word
        for word in _WORD.findall(reading.answer.echo)
        if word not in language.common_words
        and not language.action_words.fullmatch(word)
        and word[:5] not in reading.proposal.folded
    ]
    if new:
        return Bound(is_bound=False, reason=f"the customer orders more than was proposed ({new[0]!r})")
    return _names_action(reading, context, rule, names)


def _is_or_nothing(ask: Ask, language: Language) -> bool:
    """Say whether the alternative to the action is to leave things as they are."""
    second = ask.sentence.partition(language.alternative)[2]
    return language.patterns["keeping"].match(second) is not None


def _picks_action(reading: Reading, rule: ActionRule, names: tuple[str, ...]) -> bool:
    """Say whether the answer itself is an order, or names the action, so that it needs no last question."""
    assert reading.answer is not None
    return reading.answer.is_directive or _says_action(reading, rule, names)


def _says_action(reading: Reading, rule: ActionRule, names: tuple[str, ...]) -> bool:
    """Say whether the customer's own words name the action."""
    assert reading.answer is not None
    return any(
        naming_in(sentence, rule.words, names, reading.code or "en") is Naming.OWN
        for sentence in sentences(reading.answer.text)
    )


def _is_undecided_alternative(reading: Reading, rule: ActionRule, names: tuple[str, ...]) -> bool:
    asked = [ask for ask in reading.asks if ask.kind in PROPOSING]
    if not asked or asked[-1].kind is not AskKind.ALTERNATIVES or reading.answer is None:
        return False
    language = load_language(reading.code or "en")
    if language.everything.search(reading.answer.text):
        return False
    return not _says_action(reading, rule, names)


def _to_earlier_proposal(
    reading: Reading, context: Sequence[Reading], rule: ActionRule, names: tuple[str, ...]
) -> Bound:
    """Bind "go ahead" to a proposal that is still open because the customer only asked back.

    Past a question that changes nothing ("shall I connect you?", "do you have another card?") it has to name the
    action: "no, just cancel it".
    """
    last = reading.last_yes_or_no
    asked = f"the yes answers {last.kind.value} ({_short(last.sentence)})" if last else "nothing was proposed"
    if reading.answer is None or not reading.answer.is_directive or not context:
        return Bound(is_bound=False, reason=asked)
    if last is not None and not (last.kind in (AskKind.OFFER, AskKind.FACT) and _says_action(reading, rule, names)):
        return Bound(is_bound=False, reason=asked)
    before = context[-1]
    if not before.proposes or before.answer is None or not (_is_waiting(before.answer) or _falls_back(reading, before)):
        return Bound(is_bound=False, reason=asked)
    found = _names_action(before, context[:-1], rule, names)
    return Bound(is_bound=found.is_bound, reason=found.reason, details=(before, *found.details))


def _falls_back(reading: Reading, before: Reading) -> bool:
    """Say whether the customer wanted it otherwise, was told that it cannot be, and says to go ahead after all."""
    assert before.answer is not None
    language = load_language(reading.code or "en")
    is_told = language.find("told_failure", reading.proposal.folded) is not None
    return before.answer.kind is AnswerKind.COUNTER and is_told


def _is_waiting(answer: Answer) -> bool:
    """Say whether *answer* leaves the proposal open: it asks back, or says nothing of it."""
    return answer.kind in (AnswerKind.QUESTION, AnswerKind.NEITHER) or answer.text.endswith("?")


def _names_action(reading: Reading, context: Sequence[Reading], rule: ActionRule, names: tuple[str, ...]) -> Bound:
    code = reading.code or "en"
    asks = [_naming_of(ask, rule, names, code) for ask in reading.asks if ask.kind in PROPOSING]
    if Naming.OWN in asks:
        return Bound(is_bound=True, reason="the question names the action")
    if asks and asks[-1] is Naming.OTHER:
        return Bound(is_bound=False, reason="the question proposes another action")
    message = load_language(code).patterns["or_else"].sub(" ", reading.proposal.folded)
    whole = [naming_in(sentence, rule.words, names, code) for sentence in sentences(message)]
    if Naming.OWN in whole:
        return Bound(is_bound=True, reason="the message that asks names the action")
    if Naming.OTHER in whole:
        return Bound(is_bound=False, reason="the message that asks speaks of another action")
    is_named = reading.answer is not None and reading.answer.is_directive and _says_action(reading, rule, names)
    for back, earlier in enumerate(reversed(context), start=1):
        if _is_closed(earlier) and not is_named:
            return Bound(is_bound=False, reason="what the talk before proposed was not agreed to")
        for text in (earlier.said.folded, earlier.proposal.folded):
            told = [sentence for sentence in sentences(text) if not speaks_of_part(sentence, rule.words, code)]
            spoken = [naming_in(sentence, rule.words, names, code) for sentence in told]
            if Naming.OWN in spoken:
                return Bound(is_bound=True, reason="the talk before names the action", details=tuple(context[-back:]))
            if Naming.OTHER in spoken and not is_named:
                return Bound(is_bound=False, reason="the talk before is of another action")
    return Bound(is_bound=False, reason="no message names the action")


def _is_closed(reading: Reading) -> bool:
    """Say whether the answer turned down what was proposed, not only something offered besides."""
    is_no = reading.answer is not None and reading.answer.kind in _CLOSING
    return is_no and reading.proposes and not reading.offers_more


def _naming_of(ask: Ask, rule: ActionRule, names: tuple[str, ...], code: str) -> Naming:
    """Say what *ask* names; a verb right after "shall I" is an action even where it could be a noun."""
    language = load_language(code)
    found = naming_in(ask.about, rule.words, names, code)
    if found is Naming.OTHER:
        # "Do you approve?" names no action of its own.
        bare = language.patterns["ask_leave"].sub(" ", ask.about)
        found = found if naming_in(bare, rule.words, names, code) is Naming.OTHER else Naming.NONE
    is_verb = bool(ask.verb) and not language.find("submits_it", ask.sentence)
    if found is Naming.NONE and is_verb and naming_in(ask.verb, rule.words, names, code) is not Naming.OWN:
        return Naming.OTHER
    return found


def proposes_action(reading: Reading, rule: ActionRule, arguments: Iterable[str]) -> bool:
    """Say whether the agent asked leave for the action of *rule* in *reading* itself."""
    return reading.proposes and _names_action(reading, (), rule, tuple(arguments)).is_bound


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= 80 else f"{sentence[:77]}..."
