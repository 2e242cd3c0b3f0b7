"""One exchange of a conversation: what the agent said since the customer last spoke, and the reply."""

from dataclasses import dataclass, field

from trustrail.consent.answer import Answer, AnswerKind, read_answer
from trustrail.consent.detect import language_of
from trustrail.consent.folded import Text, sentences
from trustrail.consent.language import load_language
from trustrail.consent.proposal import (
    OPEN_ENDED,
    PROPOSING,
    YES_OR_NO,
    Ask,
    AskKind,
    read_asks,
)

_ORDERING = frozenset({AnswerKind.CHOICE, AnswerKind.NEITHER, AnswerKind.QUESTION})
_TELLING = frozenset({AnswerKind.CHOICE, AnswerKind.NEITHER})


@dataclass(frozen=True, slots=True)
class Said:
    """A message: its event and its words (None: not recorded)."""

    seq: int
    text: str | None


@dataclass(slots=True)
class Exchange:
    """The agent's messages, then the customer's."""

    agent: tuple[Said, ...]
    customer: list[Said] = field(default_factory=list)

    @property
    def proposal_seq(self) -> int | None:
        """``seq`` of the agent's last message."""
        return self.agent[-1].seq if self.agent else None

    @property
    def answer_seq(self) -> int:
        """``seq`` of the customer's last message."""
        return self.customer[-1].seq

    @property
    def proposal_text(self) -> str:
        """The agent's words."""
        return "\n".join(said.text for said in self.agent if said.text)

    @property
    def answer_text(self) -> str:
        """The customer's words."""
        return "\n".join(said.text for said in self.customer if said.text)

    @property
    def is_silent(self) -> bool:
        """True when the recorder dropped words of either side."""
        return any(said.text is None for said in (*self.agent, *self.customer))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An exchange, read."""

    exchange: Exchange
    code: str | None
    """Language of the answer; None when it is none of the profile's."""
    is_agent_read: bool
    """False when the agent spoke no language of the profile."""
    asks: tuple[Ask, ...]
    answer: Answer | None
    proposal: Text
    said: Text

    @property
    def proposes(self) -> bool:
        """True when the agent asked leave to act or for a confirmation."""
        return any(ask.kind in PROPOSING for ask in self.asks)

    @property
    def offers_more(self) -> bool:
        """True when the agent asked leave only to take something in besides ("shall I add the chair?")."""
        language = load_language(self.code or "en")
        asked = [
            {ask.verb} if ask.verb else set(language.action_words.findall(ask.about))
            for ask in self.asks
            if ask.kind in PROPOSING
        ]
        return bool(asked) and all(verbs and verbs <= language.part_verbs for verbs in asked)

    @property
    def is_open_ended(self) -> bool:
        """True when the agent also asked which, what or how."""
        return any(ask.kind in OPEN_ENDED for ask in self.asks)

    @property
    def last_yes_or_no(self) -> Ask | None:
        """The question a bare yes answers."""
        return next((ask for ask in reversed(self.asks) if ask.kind in YES_OR_NO), None)

    @property
    def asks_reason(self) -> bool:
        """True when the agent's last open question asks why."""
        asked = [ask for ask in self.asks if ask.kind in OPEN_ENDED]
        return bool(asked) and load_language(self.code or "en").find("asks_reason", asked[-1].sentence) is not None

    @property
    def only_announces(self) -> bool:
        """True when the agent asked for a choice, and no question of the agent's asks leave to act."""
        asked = [ask.kind for ask in self.asks if ask.kind in PROPOSING and "?" in ask.sentence]
        announced = all(ask.kind is AskKind.CONFIRMATION for ask in self.asks if ask.kind in PROPOSING)
        return not asked and announced and any(ask.kind is AskKind.CHOICE for ask in self.asks)

    @property
    def orders_with_reason(self) -> bool:
        """True when the customer, asked why, also orders or wants an action ("please cancel it, I need it no more")."""
        if self.answer is None or self.answer.kind not in _TELLING or not self.asks_reason:
            return False
        language = load_language(self.code or "en")
        wishes = (language.find("wish_to_act", part) for part in sentences(self.answer.text))
        return bool(self.answer.echo) or any(
            language.action_words.search(wish.string, wish.end()) for wish in wishes if wish is not None
        )

    @property
    def is_assent(self) -> bool:
        """True when the answer agrees, whatever to."""
        return self.answer is not None and self.answer.kind is AnswerKind.ASSENT

    @property
    def may_grant(self) -> bool:
        """True when the answer agrees, or orders something after being asked."""
        if self.answer is None:
            return False
        orders = self.proposes and bool(self.answer.echo) and self.answer.kind in _ORDERING
        return self.is_assent or orders or self.orders_with_reason


def read_exchange(exchange: Exchange, languages: tuple[str, ...]) -> Reading:
    """Read both sides of *exchange* in one of *languages*."""
    said = exchange.answer_text
    code = language_of(said, languages) if languages else None
    proposed = exchange.proposal_text
    spoken = (language_of(proposed, languages) if languages else None) if proposed else code
    asks: tuple[Ask, ...] = ()
    if spoken is not None:
        asks = tuple(ask for message in exchange.agent if message.text for ask in read_asks(message.text, spoken))
    expects_no = any(ask.kind is AskKind.ANYTHING_ELSE for ask in asks)
    answer: Answer | None = None
    if code is not None:
        expects_choice = any(ask.kind in OPEN_ENDED for ask in asks)
        answer = read_answer(
            said, code, is_no_expected=expects_no, is_choice_expected=expects_choice, proposal=proposed
        )
    return Reading(
        exchange=exchange,
        code=code,
        is_agent_read=spoken is not None or not proposed,
        asks=asks,
        answer=answer,
        proposal=Text.of(proposed),
        said=Text.of(said),
    )
