"""The telling phrases of one customer turn, each taken once.

The rule: phrases are taken in a fixed order, and what one kind takes is blanked out before the next kind looks.
"""

from dataclasses import dataclass

from trustrail.consent.language import Language


@dataclass(slots=True)
class Cue:
    """A phrase found, with the sentence it stands in."""

    sentence: int
    start: int
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expects:
    """What the agent asked besides leave to act."""

    choice: bool
    """True when the agent asked which or how."""
    more: bool
    """True when the agent asked whether anything else is wanted."""


class Cues:
    """The cues of one turn, by kind."""

    def __init__(self, language: Language, parts: tuple[str, ...], proposal: str, *, expects: Expects) -> None:
        self.language = language
        self.is_choice_expected = expects.choice
        self.is_more_expected = expects.more
        self.proposal = proposal
        self.original = parts
        self.left = list(parts)
        self._blank("harmless")
        self.retraction = self._take("retraction", blank=False)
        self.resume = self._take("resume", blank=False)
        self._blank("harmless_condition")
        if any("if " in part for part in parts) and language.find("told_failure", proposal):
            self._blank("told_condition")
        self.conditions = self._take("condition")
        self.refusals = self._take("refusal")
        self.hedges = self._take("hedge")
        self.counters = self._take("counter") + self._contrasts()
        self.strong = self._take("affirmation") + self._take("assent_strong")
        self.weak = self._take("assent")

    def _blank(self, key: str) -> None:
        pattern = self.language.patterns[key]
        self.left = [pattern.sub(lambda match: "_" * len(match.group()), part) for part in self.left]

    def _take(self, key: str, *, blank: bool = True) -> list[Cue]:
        pattern = self.language.patterns[key]
        cues = [
            Cue(number, match.start(), match.group())
            for number, part in enumerate(self.left)
            for match in pattern.finditer(part)
            if match.group().strip()
        ]
        if blank:
            self._blank(key)
        return cues

    def _contrasts(self) -> list[Cue]:
        """Return the parts after a "but" that ask for something different."""
        cues = []
        for number, part in enumerate(self.left):
            match = self.language.contrast.search(part)
            if match is None:
                continue
            rest = part[match.end() :].lstrip(" ,")
            words = f"{match.group()} {rest}"
            asks_back = part.endswith("?") and self.language.patterns["information"].match(rest)
            if not asks_back and self.language.find("change", rest):
                cues.append(Cue(number, match.start(), words))
        return cues

    def is_question(self, cue: Cue) -> bool:
        """Say whether *cue* stands in a question."""
        return self.original[cue.sentence].rstrip(" _\"')").endswith("?")

    def follows_yes(self, cue: Cue) -> bool:
        """Say whether an earlier sentence than that of *cue* agrees outright."""
        return any(found.sentence < cue.sentence and not self.is_question(found) for found in self.strong)


def is_later(cue: Cue, other: Cue) -> bool:
    """Say whether *cue* stands behind *other* in the turn."""
    return (cue.sentence, cue.start) > (other.sentence, other.start)
