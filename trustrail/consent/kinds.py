"""Whether the words pay by another kind of thing than the call does ("my credit card" for a gift card)."""

import re
from typing import Any, Final

from trustrail.consent.descriptions import own_words
from trustrail.consent.folded import Text, sentences
from trustrail.consent.language import Language, load_language
from trustrail.consent.references import TOKEN, names, shape_of
from trustrail.consent.wishes import order_in

_WORD: Final = re.compile(r"\w+")


def ruled_out(values: list[Any], answer: Text, code: str) -> str | None:
    """Return how *answer* rules out the kind of *values* ("I don't want to use my gift card"), or None."""
    language = load_language(code)
    given = _given(values, language)
    said = [match.group() for match in language.patterns["without_means"].finditer(answer.folded)]
    is_ruled_out = any(_kinds(Text.of(part), language) & given for part in said) and "any" not in _kinds(
        answer, language
    )
    return "the words rule this kind out (in the answer)" if is_ruled_out else None


def of_another_kind(values: list[Any], answer: Text, proposal: Text, entity: str, code: str) -> str | None:
    """Return how *values* are of another kind than the words name ("my credit card" for ``gift_card_5``), or None.

    What the answer names decides; where it names no kind, the proposal does, and first of all what the proposal
    orders for *entity* itself.
    """
    language = load_language(code)
    given = _given(values, language)
    if not given:
        return None
    negated = language.patterns["negated_mention"]
    told = _kinds(answer, language)
    for order in () if told & given else sentences(proposal.raw):
        kinds = _kinds(Text.of(order).without(negated), language)
        if kinds and not (given | {"any"}) & kinds and _is_order_for(entity, Text.of(order), language):
            return "the words name another kind for it (in the proposal)"
    for named, place in ((told, "answer"), (_kinds(proposal.without(negated), language), "proposal")):
        if named:
            return None if (given | {"any"}) & named else f"the words name another kind (in the {place})"
    return None


def _given(values: list[Any], language: Language) -> set[str]:
    return {kind for value in values if isinstance(value, str) for kind in language.kinds if kind in own_words(value)}


def _kinds(text: Text, language: Language) -> set[str]:
    return {kind for kind, pattern in language.kinds.items() if pattern.search(text.folded)}


def _is_order_for(entity: str, order: Text, language: Language) -> bool:
    """Say whether the line *order* opens with an action's verb and acts on *entity* ("return all of #1 to PayPal").

    A line that leaves a choice, or tells another thing first ("#2, to where #1 was paid from"), is none.
    """
    if not entity or not names(order, entity) or language.alternative.strip() in _WORD.findall(order.folded):
        return False
    first = next((token for token in TOKEN.findall(order.raw) if shape_of(token) == shape_of(entity)), entity)
    return names(Text.of(first), entity) and language.action_words.match(order_in(order.folded, language)) is not None
