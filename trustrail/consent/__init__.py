"""What a customer agreed to: proposals, answers, and the confirmation that binds them. Pure, no model.

Words are read by rules that are data, one file per language; what cannot be read leaves a call undecided.
"""

from trustrail.consent.answer import Answer, AnswerKind, read_answer
from trustrail.consent.bind import BoundStream, bind_consent, read_and_bind
from trustrail.consent.executions import Execution, Pairing
from trustrail.consent.folded import Text
from trustrail.consent.language import available_languages
from trustrail.consent.outcome import Outcome, outcome_of
from trustrail.consent.proposal import Ask, AskKind, read_asks
from trustrail.consent.records import Records
from trustrail.consent.references import Stance, stance
from trustrail.consent.rules import ConsentRules, rules_for
from trustrail.consent.trail import DERIVED_SOURCE, CallConsent, ConsentStatus, read_consent

__all__ = [
    "DERIVED_SOURCE",
    "Answer",
    "AnswerKind",
    "Ask",
    "AskKind",
    "BoundStream",
    "CallConsent",
    "ConsentRules",
    "ConsentStatus",
    "Execution",
    "Outcome",
    "Pairing",
    "Records",
    "Stance",
    "Text",
    "available_languages",
    "bind_consent",
    "outcome_of",
    "read_and_bind",
    "read_answer",
    "read_asks",
    "read_consent",
    "rules_for",
    "stance",
]
