"""How an action is spoken of: which sentences name a tool, and which name another one.

A tool's words come from three places: the word stems its domain pack gives, the family its name belongs to
(`cancel_pending_order` is in the family ``cancel``), and the names of its arguments.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from trustrail.consent.folded import fold
from trustrail.consent.language import Language, load_language

_NAME_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_GENERIC: Final = frozenset(
    {"create", "make", "submit", "file", "raise", "open", "place", "execute", "run", "request", "start", "do"}
)
"""First words of tool names that leave the action itself to a later word."""


class Naming(StrEnum):
    """What a sentence says about a tool."""

    OWN = "names it"
    OTHER = "names another action"
    NONE = "names no action"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionWords:
    """The words of one tool, and of its siblings that could be confused with it."""

    tool: str
    families: frozenset[str]
    parts: frozenset[str]
    """Words of the tool's name and of its arguments' names."""
    stems: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Word stems from the domain pack, by language."""
    sibling_parts: frozenset[str] = frozenset()
    """Words of the names of tools of the same family."""


def split_name(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a tool or argument name (``blockCard``, ``block_card``)."""
    return tuple(part.lower() for part in _NAME_PART.findall(name))


def families_of(tool: str) -> frozenset[str]:
    """Return the families of actions the *tool*'s name belongs to; its first word when it is in none."""
    language = load_language("en")
    words = split_name(tool)
    known = [
        (word, language.synonyms.get(word, word))
        for word in words
        if word in language.synonyms or word in language.actions
    ]
    if not known:
        return frozenset(words[:1])
    leading = words[0]
    if leading in _GENERIC:
        return frozenset(family for _, family in known)
    return frozenset({known[0][1]})


def describe_tools(
    tools: Mapping[str, tuple[Iterable[str], Mapping[str, tuple[str, ...]]]],
) -> dict[str, ActionWords]:
    """Return the words of each tool, given its argument names and its stems by language."""
    families = {tool: families_of(tool) for tool in tools}
    described: dict[str, ActionWords] = {}
    for tool, (arguments, stems) in tools.items():
        siblings = [other for other in tools if other != tool and families[other] & families[tool]]
        parts = {part for name in (tool, *arguments) for part in split_name(name)}
        described[tool] = ActionWords(
            tool=tool,
            families=families[tool],
            parts=frozenset(parts),
            stems=tuple(sorted((code, tuple(map(fold, words))) for code, words in stems.items())),
            sibling_parts=frozenset(part for other in siblings for part in split_name(other)),
        )
    return described


def naming_in(sentence: str, words: ActionWords, arguments: Iterable[str], code: str) -> Naming:
    """Say whether *sentence* (folded, in the language *code*) names the tool of *words* or another action.

    Args:
        sentence: one sentence of a message.
        words: the tool's words.
        arguments: names of the arguments the call in question has.
        code: a language with rules.
    """
    language = load_language(code)
    sentence = language.patterns["instead_of"].sub(" ", sentence)
    own, stems = _own_patterns(words, code)
    has_family = own.search(sentence) is not None
    has_stem = stems.search(sentence) is not None
    others = {
        word
        for word in language.action_words.findall(_without_paperwork(sentence, language))
        if not own.fullmatch(word) and not stems.fullmatch(word) and word not in language.noun_like
    }
    if has_family and not _speaks_of_sibling(sentence, words, arguments, code):
        return Naming.OWN
    if has_family:
        return Naming.OTHER
    if has_stem and not others:
        return Naming.OWN
    return Naming.OTHER if others else Naming.NONE


def _without_paperwork(sentence: str, language: Language) -> str:
    """Return *sentence* without what follows the action itself, or sends it off: it names no other action."""
    rest = language.patterns["consequence"].sub(" ", sentence)
    return language.patterns["submits_it"].sub(" ", rest)


def speaks_of_part(sentence: str, words: ActionWords, code: str) -> bool:
    """Say whether *sentence* (folded) takes something into the action itself ("add insurance" to a booking)."""
    language = load_language(code)
    own = _things_of(words.parts, "en")
    spoken = set(language.action_words.findall(sentence)) - language.noun_like
    return (
        bool(spoken)
        and spoken <= language.part_verbs
        and any(thing in own and pattern.search(sentence) for thing, pattern in language.things.items())
    )


def has_own_thing(words: ActionWords, code: str) -> bool:
    """Say whether the tool of *words* is told from the others of its family by what it is for ("bags")."""
    stems = dict(words.stems).get(code, ())
    verbs = load_language(code).action_words
    return bool(words.sibling_parts and stems) and not any(
        verbs.match(f"{stem}e") or verbs.match(stem) for stem in stems
    )


def speaks_of_thing(text: str, words: ActionWords, code: str) -> bool:
    """Say whether *text* (folded, in the language *code*) has the domain pack's words for the tool of *words*."""
    return _own_patterns(words, code)[1].search(text) is not None


def spans_of_action(sentence: str, words: ActionWords, code: str) -> list[tuple[int, int]]:
    """Return where *sentence* (folded, in the language *code*) speaks of the tool of *words*, from start to end.

    Where the domain pack tells the tool from others of its family, only the pack's words count.
    """
    family, stems = _own_patterns(words, code)
    is_told_apart = bool(words.sibling_parts) and code in dict(words.stems)
    return [
        match.span()
        for pattern in (stems, *(() if is_told_apart else (family,)))
        for match in pattern.finditer(sentence)
    ]


def speaks_by_name(text: str, tool: str) -> bool:
    """Say whether *text* (folded) has the very word for the action in the name of *tool*, whatever its form."""
    stems = [family.removesuffix("e") for family in families_of(tool)]
    return any(re.search(rf"(?<!\w){re.escape(stem)}", text) is not None for stem in stems)


@cache
def _own_patterns(words: ActionWords, code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    language = load_language(code)
    own = [language.actions[family].pattern for family in sorted(words.families) if family in language.actions]
    own += [rf"(?<!\w){re.escape(family)}\w*" for family in sorted(words.families)]
    stems = [rf"(?<!\w){re.escape(stem)}\w*" for stem in dict(words.stems).get(code, ())]
    return re.compile("|".join(own)), re.compile("|".join(stems) if stems else r"(?!)")


def _speaks_of_sibling(sentence: str, words: ActionWords, arguments: Iterable[str], code: str) -> bool:
    """Say whether *sentence* speaks of a thing that a sibling tool is for and this tool is not."""
    if not words.sibling_parts:
        return False
    language = load_language(code)
    spoken = {thing for thing, pattern in language.things.items() if pattern.search(sentence)}
    if not spoken:
        return False
    own_parts = words.parts | {part for name in arguments for part in split_name(name)}
    own = _things_of(frozenset(own_parts), "en")
    own |= {thing for stem in dict(words.stems).get(code, ()) for thing in spoken if stem in thing or thing in stem}
    siblings = _things_of(words.sibling_parts, "en")
    return not (spoken & own) and bool(spoken & siblings)


@cache
def _things_of(parts: frozenset[str], code: str) -> frozenset[str]:
    language = load_language(code)
    return frozenset(
        thing
        for thing, pattern in language.things.items()
        if thing in parts or any(pattern.fullmatch(part) for part in parts)
    )
