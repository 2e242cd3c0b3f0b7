"""Object files to objects: strict YAML, then the object's schema, all problems reported together."""

import types
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin

from pydantic import BaseModel

from trustrail.errors import ObjectFileError, Problem
from trustrail.objects.control import Control
from trustrail.objects.diagnosis import Flaw, diagnose
from trustrail.objects.domain_pack import DomainPack
from trustrail.objects.evidence_profile import EvidenceProfiles
from trustrail.objects.fixture import Fixture
from trustrail.objects.nearest import did_you_mean
from trustrail.objects.policy_profile import PolicyProfile
from trustrail.objects.testcase import Testcase
from trustrail.objects.yaml_source import YamlSource, parse_yaml, read_yaml

TrustrailObject = Control | DomainPack | PolicyProfile | Fixture | Testcase | EvidenceProfiles
"""Any object a file can hold."""

OBJECT_TYPES: Final[dict[str, type[TrustrailObject]]] = {
    "trustrail.control.v0.1": Control,
    "trustrail.domain_pack.v0.1": DomainPack,
    "trustrail.policy_profile.v0.1": PolicyProfile,
    "trustrail.fixture.v0.1": Fixture,
    "trustrail.testcase.v0.1": Testcase,
    "trustrail.evidence_profiles.v0.1": EvidenceProfiles,
}
"""The object type each ``schema_version`` stands for."""


def read_object(path: Path) -> TrustrailObject:
    """Read the object file at *path*; its ``schema_version`` decides the type.

    Raises:
        ObjectFileError: listing every problem as ``file:line: text``.
    """
    return build_object(read_yaml(path))


def parse_object(data: bytes, *, file: str) -> TrustrailObject:
    """Read an object from *data*; *file* is its name for messages.

    Raises:
        ObjectFileError: listing every problem as ``file:line: text``.
    """
    return build_object(parse_yaml(data, file=file))


def build_object(source: YamlSource) -> TrustrailObject:
    """Return the object that *source* holds.

    Raises:
        ObjectFileError: listing every problem as ``file:line: text``.
    """
    found, problems = inspect_object(source)
    if problems or found is None:
        raise ObjectFileError(problems)
    return found


def inspect_object(source: YamlSource) -> tuple[TrustrailObject | None, list[Problem]]:
    """Return the object in *source*, and everything wrong with it; the object is None when a problem leaves none."""
    if not isinstance(source.value, dict):
        return None, [Problem(file=source.file, line=1, text="holds no fields; expected an object")]
    model = object_type(source)
    if model is None:
        name = source.value.get("schema_version")
        text = f"schema_version is {name!r}{did_you_mean(str(name), OBJECT_TYPES)}"
        return None, [Problem(file=source.file, line=source.line_of(("schema_version",)), text=text)]
    diagnosis = diagnose(source, model)
    problems = [_problem(source, model, flaw) for flaw in diagnosis.flaws]
    return (diagnosis.found if isinstance(diagnosis.found, model) else None), list(dict.fromkeys(problems))


def object_type(source: YamlSource) -> type[TrustrailObject] | None:
    """Return the type that the ``schema_version`` of *source* stands for; None when it stands for none."""
    name = source.value.get("schema_version") if isinstance(source.value, dict) else None
    return OBJECT_TYPES.get(name) if isinstance(name, str) else None


def _problem(source: YamlSource, model: type[BaseModel], flaw: Flaw) -> Problem:
    place, detail = flaw.place, flaw.detail
    line = source.line_of(place)
    shown = _shown_place(source, place)
    parent = _shown_place(source, place[:-1])
    match detail["type"]:
        case "extra_forbidden":
            remedy = did_you_mean(str(place[-1]), _field_names(model, place[:-1]))
            text = f"{parent + ' has' if parent else 'has'} the unknown field {place[-1]!r}{remedy}"
        case "missing":
            text = f"{parent + ' lacks' if parent else 'lacks'} the field {place[-1]!r}"
        case "literal_error" | "enum":
            expected = str(detail.get("ctx", {}).get("expected", ""))
            valid = expected.replace(" or ", ", ").replace("'", "").split(", ")
            text = f"{shown} is {detail['input']!r}{did_you_mean(str(detail['input']), valid)}"
        case "tuple_type":
            text = f"{shown} is {detail['input']!r:.60}: input should be a list"
        case "misplaced":
            text = detail["msg"]
        case "value_error":
            message = detail["msg"].removeprefix("Value error, ")
            text = f"{shown} {message}" if shown else message
        case _:
            message = detail["msg"]
            text = f"{shown} is {detail['input']!r:.60}: {message[:1].lower()}{message[1:]}"
    return Problem(file=source.file, line=line, text=text)


def _shown_place(source: YamlSource, place: tuple[str | int, ...]) -> str:
    """Return *place* as an author would write it, without positions that the file does not have."""
    shown = ""
    known: tuple[str | int, ...] = ()
    for index, part in enumerate(place):
        is_last = index == len(place) - 1
        if (*known, part) in source.lines:
            known = (*known, part)
        elif isinstance(part, int) or not is_last:
            continue
        shown += f"[{part}]" if isinstance(part, int) else f".{part}" if shown else str(part)
    return shown


def _field_names(model: Any, place: tuple[str | int, ...]) -> list[str]:  # noqa: ANN401 - any annotation
    """Return the fields valid at *place* inside *model*."""
    if not place:
        return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []
    if isinstance(model, type) and issubclass(model, BaseModel):
        found = model.model_fields.get(str(place[0]))
        return _field_names(_inner(found.annotation), place[1:]) if found else []
    arguments = get_args(model)
    return _field_names(_inner(arguments[-1 if get_origin(model) is dict else 0]), place[1:]) if arguments else []


def _inner(annotation: Any) -> Any:  # noqa: ANN401 - any annotation
    """Return *annotation* without ``None`` and ``Annotated``."""
    if get_origin(annotation) in (Union, types.UnionType):
        return _inner(next(part for part in get_args(annotation) if part is not type(None)))
    if hasattr(annotation, "__metadata__"):
        return _inner(get_args(annotation)[0])
    return annotation
