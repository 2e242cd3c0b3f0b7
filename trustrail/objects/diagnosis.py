"""Everything wrong with one object file, found in one go.

A schema stops at the first stage that fails: what two fields say together is looked at only when each is valid by
itself. So the value is checked again and again, each time without the parts that were refused, until nothing new is
found. What is left out is no new problem.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from trustrail.objects.shape import WRITTEN, Place
from trustrail.objects.yaml_source import YamlSource

_MOST_ROUNDS: Final = 50
"""Times a value is checked again; each round leaves out at least one part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """One thing a schema refuses, at its place in the file."""

    place: Place
    """Where it stands; parts that the file leaves implicit are in it too."""
    detail: ErrorDetails


@dataclass(slots=True)
class Diagnosis:
    """What checking a value without its flaws found."""

    found: BaseModel | None = None
    """The object that is left, None when no object is."""
    flaws: list[Flaw] = field(default_factory=list)


def diagnose(source: YamlSource, model: type[BaseModel]) -> Diagnosis:
    """Return every flaw of *source* as a *model*."""
    diagnosis = Diagnosis()
    dropped: set[Place] = set(source.unread)
    for _ in range(_MOST_ROUNDS):
        kept = _Kept(dropped)
        value = kept.copy(source.value, (), ())
        try:
            diagnosis.found = model.model_validate(value, context={WRITTEN: source.value})
        except ValidationError as error:
            flaws = [flaw for detail in error.errors() for flaw in _flaws(detail, kept, source)]
            diagnosis.flaws += [flaw for flaw in flaws if not _follows(flaw, dropped)]
            more = {place for flaw in flaws if (place := _to_drop(flaw, source)) is not None} - dropped
            if not more:
                return diagnosis
            dropped |= more
        else:
            return diagnosis
    return diagnosis


class _Kept:
    """Copies a value without some places, and knows where each kept part stood."""

    def __init__(self, dropped: set[Place]) -> None:
        self._dropped = dropped
        self._origin: dict[Place, Place] = {(): ()}

    def copy(self, value: Any, place: Place, new: Place) -> Any:  # noqa: ANN401 - any JSON value
        self._origin[new] = place
        if isinstance(value, dict):
            return {
                key: self.copy(item, (*place, key), (*new, key))
                for key, item in value.items()
                if (*place, key) not in self._dropped
            }
        if isinstance(value, list):
            kept = [(at, item) for at, item in enumerate(value) if (*place, at) not in self._dropped]
            return [self.copy(item, (*place, at), (*new, now)) for now, (at, item) in enumerate(kept)]
        return value

    def original(self, loc: Place) -> Place:
        """Return where in the file the part at *loc* stood; one item written without its list keeps its position."""
        known: Place = ()
        shown: Place = ()
        for part in loc:
            if (*known, part) in self._origin:
                known = (*known, part)
                shown = (*shown, self._origin[known][-1])
            else:
                shown = (*shown, part)
        return shown


def _flaws(detail: ErrorDetails, kept: _Kept, source: YamlSource) -> Iterator[Flaw]:
    """Yield the flaws in *detail*: a check of a whole object may tell several, each with its place below."""
    below = detail.get("ctx", {}).get("misplaced")
    if below is None:
        yield Flaw(place=kept.original(detail["loc"]), detail=detail)
    for problem in below or ():
        place = kept.original((*detail["loc"], *problem.place))
        if problem.unless is None or not _stands(kept.original((*detail["loc"], *problem.unless)), source):
            yield Flaw(place=place, detail={**detail, "msg": problem.text})


def _stands(place: Place, source: YamlSource) -> bool:
    """Whether the file has *place*; a position in a list of one may be left out."""
    known: Place = ()
    for part in place:
        if (*known, part) in source.lines:
            known = (*known, part)
        elif not isinstance(part, int):
            return False
    return True


def _follows(flaw: Flaw, dropped: set[Place]) -> bool:
    """Whether *flaw* follows from leaving something out: it stands there or inside, or misses it from around."""
    place = flaw.place
    if any(place[: len(gone)] == gone for gone in dropped):
        return True
    return flaw.detail["type"] != "misplaced" and any(gone[: len(place)] == place for gone in dropped)


def _to_drop(flaw: Flaw, source: YamlSource) -> Place | None:
    """Return the part of the file to leave out so that the rest can be checked; None when there is none."""
    place = flaw.place[:-1] if flaw.detail["type"] == "missing" else flaw.place
    known: Place = ()
    for part in place:
        if (*known, part) in source.lines:
            known = (*known, part)
    return known or None
