"""Which amount, count, date, choice or address a text means, and whether a call's value contradicts it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from trustrail.consent.actions import split_name
from trustrail.consent.folded import Text, fold, has_word
from trustrail.consent.language import Language

_MONEY_NAMES: Final = frozenset({"amount", "price", "total", "sum", "fee", "cost", "refund", "value", "payment"})
_MONEY: Final = re.compile(
    r"[$€£¥]\s?(\d[\d,]*(?:\.\d+)?)|(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s?(?:[$€£¥]|(?:dollars?|euros?|pounds?|usd|eur|gbp)\b)"
)
_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ISO_DATE: Final = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_ON: Final = frozenset({"yes", "true"})
_YES_OR_NO: Final = frozenset({"yes", "no", "true", "false"})
_NUMBER: Final = re.compile(r"\d+")


def contradicted_numbers(numbers: Mapping[str, float], text: Text, language: Language) -> str | None:
    """Return what in *text* contradicts the *numbers* of a call, by argument, or None.

    An amount is compared with the amounts in the text. Counts of one thing ("total bags", "paid bags") are compared
    together: the text contradicts them when it counts the thing and none of them has that count.
    """
    counts: dict[str, list[str]] = {}
    for argument, value in numbers.items():
        things = [part for part in split_name(argument) if _thing_pattern(part, language)]
        for part in things:
            counts.setdefault(part, []).append(argument)
        if not things and _MONEY_NAMES & set(split_name(argument)):
            named = _amounts(text)
            if named and float(value) not in named:
                return f"{argument}: the words name another amount"
    for part, arguments in counts.items():
        counted = _counts(part, text, language)
        if counted and not any(numbers[argument] in counted for argument in arguments):
            return f"{', '.join(arguments)}: the words name another number"
    return None


def names_number(text: Text, value: float) -> bool:
    """Say whether *text* holds the number *value*, as an amount or bare ("$1,000" or "1000" for 1000)."""
    return float(value) in _amounts(text) or has_word(text.folded, f"{value:g}")


def _amounts(text: Text) -> set[float]:
    return {float((a or b).replace(",", "")) for a, b in _MONEY.findall(text.folded)}


def _thing_pattern(part: str, language: Language) -> re.Pattern[str] | None:
    for thing, pattern in language.things.items():
        if part in {thing, f"{thing}s", f"{thing}es"}:
            return pattern
    return None


def _counts(part: str, text: Text, language: Language) -> set[int]:
    pattern = _thing_pattern(part, language)
    if pattern is None:
        return set()
    counted: set[int] = set()
    number = r"(?<![\w#$.,-])(\d{1,3}|" + "|".join(map(re.escape, language.numbers)) + r")(?: [\w-]+){0,2}? "
    for match in re.finditer(number + f"(?:{pattern.pattern})", text.folded):
        word = match.group(1)
        counted.add(int(word) if word.isdigit() else language.numbers[word])
    return counted


def contradicted_text(
    values: Sequence[str], argument: str, text: Text, language: Language, choices: Sequence[Any] = ()
) -> str | None:
    """Return what in *text* contradicts the texts *values* of *argument*, or None.

    Args:
        values: what the call gives.
        argument: the argument's name.
        text: the words to compare with.
        language: the language of the text.
        choices: the closed set of values the argument may have, where the domain pack gives one.
    """
    for value in values:
        plain = fold(value).replace("_", " ")
        if plain in _YES_OR_NO and _other_switch(plain in _ON, argument, text, language):
            return f"{argument}: the words say the opposite"
        if has_word(text.folded, plain):
            continue
        if "@" in plain and _EMAIL.search(text.folded):
            return f"{argument}: the words name another address"
        if _other_choice(plain, text, choices) or _other_numbers(plain, text):
            return f"{argument}: the words name another value"
    return _other_dates(values, argument, text, language)


def settles_switch(values: Sequence[Any], argument: str, text: Text, language: Language) -> bool:
    """Say whether *text* takes in or leaves out just what the yes-or-no *values* of *argument* do."""
    plain = [fold(str(value)) for value in values]
    return set(plain) <= _YES_OR_NO and all(_other_switch(word not in _ON, argument, text, language) for word in plain)


def _other_switch(is_on: bool, argument: str, text: Text, language: Language) -> bool:  # noqa: FBT001
    """Say whether *text* leaves out what the call takes in, or takes in what it leaves out."""
    for part in split_name(argument):
        pattern = _thing_pattern(part, language)
        thing = pattern.pattern if pattern is not None else rf"(?<!\w){re.escape(part)}(?!\w)"
        absent, present = language.patterns["absent"].pattern, language.patterns["present"].pattern
        is_absent = re.search(rf"{absent} (?:\w+ ){{0,5}}?{thing}|{thing}\W{{1,8}}{absent}", text.folded)
        is_present = re.search(rf"{present} (?:\w+ ){{0,3}}?{thing}|{thing}\W{{1,8}}{present}", text.folded)
        if (is_on and is_absent and not is_present) or (not is_on and is_present and not is_absent):
            return True
    return False


def _other_choice(plain: str, text: Text, choices: Sequence[Any]) -> bool:
    if {fold(str(choice)) for choice in choices} <= _YES_OR_NO:
        return False
    others = sorted((fold(str(choice)).replace("_", " ") for choice in choices), key=len, reverse=True)
    left = text.folded.replace("_", " ")
    named = set()
    for choice in others:
        if has_word(left, choice):
            named.add(choice)
            left = left.replace(choice, " ")
    return bool(named) and plain not in named


def _other_numbers(plain: str, text: Text) -> bool:
    """Say whether *text* holds *plain* with another number in it: "443 maple drive" for "445 maple drive"."""
    words = plain.split()
    if len(words) < 2 or not _NUMBER.search(plain) or all(word.isdigit() for word in words):
        return False
    pattern = r"(?<!\w)" + r"\s+".join(_NUMBER.sub(r"\\d+", re.escape(word)) for word in words) + r"(?!\w)"
    return re.search(pattern, text.folded) is not None


def _other_dates(values: Sequence[str], argument: str, text: Text, language: Language) -> str | None:
    if "date" not in argument.lower():
        return None
    given = {(int(m.group(2)), int(m.group(3))) for value in values if (m := _ISO_DATE.fullmatch(value))}
    if not given:
        return None
    # A date of birth or of booking stands beside the day in question without meaning it.
    told = re.sub(language.patterns["other_date"].pattern + r"\W{0,4}\S+(?: \d\S*){0,2}", " ", text.folded)
    named = {(int(month), int(day)) for _, month, day in _ISO_DATE.findall(told)}
    for number, month in enumerate(language.months, start=1):
        if month in told:
            for before, after in re.findall(rf"(\d{{1,2}})?\S{{0,3}} ?(?:of |de )?{month} ?(\d{{1,2}})?(?!\d)", told):
                named |= {(number, int(day)) for day in (before, after) if day}
    return f"{argument}: the words name another day" if named and not (named & given) else None
