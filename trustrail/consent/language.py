"""One language's words and rules, read from its file under ``languages/`` and compiled once.

A new language is one new file with the same keys; no code knows any word of any language.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import yaml

from trustrail.consent.folded import fold
from trustrail.errors import UnknownLanguageError

_FOLDER: Final = resources.files("trustrail.consent") / "languages"
_NEVER: Final = re.compile(r"(?!)")

PATTERN_KEYS: Final = (
    "harmless", "retraction", "resume", "refusal", "hedge", "harmless_condition", "condition", "change",
    "counter", "affirmation", "assent_strong", "assent", "imperative_lead", "desire", "ask_leave",
    "ask_confirmation", "confirm_fact", "anything_else", "choice", "information", "whether", "yes_no_opening",
    "topic", "addition", "otherwise", "plain_no", "absent", "present", "keeping", "benign_contrast", "leave_to_do",
    "negated_mention", "claims_failed", "claims_no_failure", "claims_done", "whole", "not_whole", "only_parts",
    "kept_part", "not_kept",
    "rest_stays", "container", "also_asks", "consequence",
    "restricting", "afterwards", "other_date", "means", "asks_reason", "holder", "one_part",
    "told_condition", "told_failure", "wish_to_act", "rest_of_plan", "submits_it", "joins", "other_things",
    "worry", "asks_if_all", "passing", "still_with", "leave_besides", "all_of_it", "or_else", "without_means",
    "ask_later", "same_affair", "asks_not_to", "instead_of", "spares",
)  # fmt: skip
"""Keys of a language file that hold lists of regular expressions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """What one language's file says, ready for matching over folded text."""

    code: str
    patterns: dict[str, re.Pattern[str]]
    """One compiled alternation per name in `PATTERN_KEYS`."""
    common_words: frozenset[str]
    spelling: frozenset[str]
    abbreviations: dict[str, str]
    contrast: re.Pattern[str]
    harmless_verbs: frozenset[str]
    fillers: frozenset[str]
    """Words that may stand between "shall I" and its verb."""
    is_verb_last: bool
    """True when the verb of "shall I ...?" stands at its end."""
    noun_like: frozenset[str]
    light_verbs: frozenset[str]
    """Verbs that get their meaning from the noun behind them."""
    part_verbs: frozenset[str]
    """Verbs that take a part into an action or out of it."""
    alternative: str
    """The word between two alternatives, with its spaces."""
    actions: dict[str, re.Pattern[str]]
    """Family of actions to the words that name it."""
    action_words: re.Pattern[str]
    """Any word of any family."""
    synonyms: dict[str, str]
    """English words of tool names to the family they belong to."""
    takes_whole: frozenset[str]
    """Families of actions that take all of a thing unless an argument picks parts of it."""
    changes_whole: frozenset[str]
    """Families of actions that change all of a thing: done to a part, they change the other parts too."""
    things: dict[str, re.Pattern[str]]
    kinds: dict[str, re.Pattern[str]]
    """Kinds of one thing that its reference tells by itself, to the words for each; a yes to one is none to another."""
    everything: re.Pattern[str]
    numbers: dict[str, int]
    months: tuple[str, ...]
    said: re.Pattern[str]
    """Any word that tells an answer: recognising one is reading this language."""

    def find(self, key: str, text: str) -> re.Match[str] | None:
        """Return the first match of the patterns under *key* in *text*."""
        return self.patterns[key].search(text)


_WORD_START: Final = r"(?<![\w'])"


def _alternation(entries: list[str], *, where: str, start: str = _WORD_START) -> re.Pattern[str]:
    if not entries:
        return _NEVER
    try:
        return re.compile(start + r"(?:" + "|".join(entries) + r")(?!\w)")
    except re.error as error:
        raise UnknownLanguageError(f"{where}: {error}") from error


def _words(value: str | list[str]) -> list[str]:
    listed = value.split() if isinstance(value, str) else value
    return sorted((re.escape(fold(str(word))) for word in listed), key=lambda word: (-len(word), word))


def _compile(code: str, data: dict[str, Any]) -> Language:
    patterns = {key: _alternation(data.get(key, []), where=f"languages/{code}.yaml: {key}") for key in PATTERN_KEYS}
    start = str(data.get("word_start", _WORD_START))
    actions = {
        family: _alternation(_words(words), where=family, start=start) for family, words in data["actions"].items()
    }
    said = [
        entry for key in ("affirmation", "assent_strong", "assent", "refusal", "hedge") for entry in data.get(key, [])
    ]
    return Language(
        code=code,
        patterns=patterns,
        common_words=frozenset(fold(data["common_words"]).split()),
        spelling=frozenset(fold(data.get("spelling", "")).split()),
        abbreviations={fold(str(k)): fold(str(v)) for k, v in data.get("abbreviations", {}).items()},
        contrast=_alternation(_words(data.get("contrast", [])), where="contrast"),
        harmless_verbs=frozenset(fold(data.get("harmless_verbs", "")).split()),
        light_verbs=frozenset(fold(data.get("light_verbs", "")).split()),
        part_verbs=frozenset(fold(data.get("part_verbs", "")).split()),
        alternative=f" {data['alternative']} ",
        fillers=frozenset(fold(data.get("fillers", "")).split()),
        is_verb_last=bool(data.get("is_verb_last", False)),
        noun_like=frozenset(fold(data.get("noun_like", "")).split()),
        actions=actions,
        action_words=_alternation(
            sorted({word for words in data["actions"].values() for word in _words(words)}, key=lambda w: (-len(w), w)),
            where="actions",
            start=start,
        ),
        synonyms={str(k): str(v) for k, v in data.get("synonyms", {}).items()},
        takes_whole=frozenset(data.get("takes_whole", "").split()),
        changes_whole=frozenset(data.get("changes_whole", "").split()),
        things={thing: _alternation(_words(words), where=thing) for thing, words in data.get("things", {}).items()},
        kinds={kind: _alternation(_words(words), where=kind) for kind, words in data.get("kinds", {}).items()},
        everything=_alternation(_words(data.get("everything", [])), where="everything"),
        numbers={fold(k): int(v) for k, v in data.get("numbers", {}).items()},
        months=tuple(fold(month) for month in data.get("months", [])),
        said=_alternation(said, where="said"),
    )


@cache
def load_language(code: str) -> Language:
    """Return the rules of the language *code* (two letters, lower case).

    Raises:
        UnknownLanguageError: if there is no file for it; nothing was read.
    """
    source = _FOLDER / f"{code}.yaml"
    if code not in available_languages():
        known = ", ".join(available_languages())
        raise UnknownLanguageError(f"no consent rules for language {code!r}; there are rules for {known}")
    return _compile(code, yaml.safe_load(source.read_text(encoding="utf-8")))


@cache
def available_languages() -> tuple[str, ...]:
    """Return the codes of the languages that have rules, sorted."""
    names = (entry.name for entry in _FOLDER.iterdir())
    return tuple(sorted(name[:2] for name in names if re.fullmatch(r"[a-z]{2}\.yaml", name)))


@cache
def foreign_words() -> dict[str, frozenset[str]]:
    """Return common words of languages without rules, to tell them from gibberish; by language code."""
    data = yaml.safe_load((_FOLDER / "others.yaml").read_text(encoding="utf-8"))
    return {code: frozenset(fold(words).split()) for code, words in sorted(data.items())}
