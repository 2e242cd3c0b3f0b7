"""Whether the customer spares what a call acts on ("the first yes, ZX1ABC no"; "yes, but keep ZX1ABC")."""

import re
from typing import Final

from trustrail.consent.folded import Text, fold, has_word
from trustrail.consent.language import load_language
from trustrail.consent.references import is_reference

_CLAUSE: Final = re.compile(r"[.,;:!?\n]+\s*")


def spared(entity: str, answer: Text, code: str) -> str | None:
    """Return how a clause of *answer* that names the reference *entity* says no to it, or None.

    A clause that names an action ("cancel ZX1ABC, I need it no more") says what to do, not what to spare.
    """
    if not is_reference(entity):
        return None
    language = load_language(code)
    for clause in _CLAUSE.split(answer.folded):
        if not has_word(clause, fold(entity)) or language.action_words.search(clause):
            continue
        if language.find("spares", clause):
            return f"the customer spares {entity} (in the answer)"
    return None
