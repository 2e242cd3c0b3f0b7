"""Check object files together: each by itself, and the names by which they refer to one another."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from trustrail.errors import ObjectFileError, Problem
from trustrail.objects.catalog import find_domain_pack, find_fixture, shipped_names
from trustrail.objects.control import Control
from trustrail.objects.domain_pack import DomainPack
from trustrail.objects.evidence_profile import EvidenceProfiles
from trustrail.objects.fixture import Fixture
from trustrail.objects.nearest import did_you_mean
from trustrail.objects.policy_profile import PolicyProfile
from trustrail.objects.reader import TrustrailObject, inspect_object, object_type
from trustrail.objects.shape import Place
from trustrail.objects.testcase import Testcase
from trustrail.objects.yaml_source import YamlSource, scan_yaml

_ID_FIELDS: Final[dict[type[TrustrailObject], str]] = {
    Control: "control_id",
    DomainPack: "pack_id",
    Fixture: "fixture_id",
    PolicyProfile: "profile_id",
    Testcase: "testcase_id",
}


def lint_files(paths: Sequence[Path]) -> tuple[Problem, ...]:
    """Return everything wrong with the object files *paths*, in the order of the files and their lines.

    A name that one file refers to may be defined by another of *paths* or be shipped.
    """
    read = [_read(path) for path in paths]
    defined = [(kind, name) for file in read for kind, name in file.defines()]
    sound = [file.found for file in read if file.found is not None and not file.problems]
    problems: list[Problem] = []
    for file in read:
        own = [*file.problems, *_wrong_references(file, defined)]
        if file.source is not None and isinstance(file.found, Testcase):
            own += _wrong_entity_types(file.source, file.found, sound)
        problems += sorted(dict.fromkeys(own), key=lambda problem: problem.line)
    return tuple(problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """An object file as far as it can be read."""

    source: YamlSource | None = None
    kind: type[TrustrailObject] | None = None
    found: TrustrailObject | None = None
    problems: list[Problem]

    @property
    def value(self) -> Any:  # noqa: ANN401 - any JSON value
        """What the file holds."""
        return self.source.value if self.source is not None else None

    def defines(self) -> Iterable[tuple[type[TrustrailObject], str]]:
        """Yield the names the file gives, the file being right otherwise or not."""
        if self.kind is EvidenceProfiles:
            profiles = self.value.get("evidence_profiles")
            found = [profile.get("id") for profile in _listed(profiles) if isinstance(profile, dict)]
        else:
            found = [self.value.get(_ID_FIELDS[self.kind])] if self.kind is not None else []
        for name in found:
            if self.kind is not None and isinstance(name, str):
                yield self.kind, name


def _read(path: Path) -> _File:
    try:
        source, problems = scan_yaml(path)
    except ObjectFileError as error:
        return _File(problems=list(error.problems))
    found, more = inspect_object(source)
    return _File(source=source, kind=object_type(source), found=found, problems=[*problems, *more])


def _wrong_references(file: _File, defined: Sequence[tuple[type[TrustrailObject], str]]) -> Iterable[Problem]:
    for place, name, kind in _references(file):
        known = {*shipped_names(kind), *(own for of_kind, own in defined if of_kind is kind)}
        if file.source is not None and name not in known:
            text = f"{place[-1]} is {name!r}{did_you_mean(name, known)}"
            yield Problem(file=file.source.file, line=file.source.line_of(place), text=text)


def _references(file: _File) -> Iterable[tuple[Place, str, type[TrustrailObject]]]:
    """Yield each name the file refers to: where it stands, the name, and the kind of object it names."""
    places: list[tuple[Place, Any, type[TrustrailObject]]] = []
    if file.kind is PolicyProfile:
        places += [
            (("controls", index, "control_id"), used.get("control_id"), Control)
            for index, used in enumerate(_listed(file.value.get("controls")))
            if isinstance(used, dict)
        ]
        places.append((("evidence_profile",), file.value.get("evidence_profile"), EvidenceProfiles))
    if file.kind is Testcase:
        kinds = (("fixture", Fixture), ("domain_pack", DomainPack), ("policy_profile", PolicyProfile))
        places += [((name,), file.value.get(name), kind) for name, kind in kinds]
        places.append((("evidence_profile",), file.value.get("evidence_profile"), EvidenceProfiles))
    for place, name, kind in places:
        if isinstance(name, str):
            yield place, name, kind


def _listed(value: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    return value if isinstance(value, list) else []


def _wrong_entity_types(source: YamlSource, found: Testcase, defined: Sequence[TrustrailObject]) -> Iterable[Problem]:
    """Report state that the fixture requires of an entity type the domain pack does not define."""
    packs = {part.pack_id: part for part in defined if isinstance(part, DomainPack)}
    fixtures = {part.fixture_id: part for part in defined if isinstance(part, Fixture)}
    if found.domain_pack not in {*packs, *shipped_names(DomainPack)}:
        return
    if found.fixture not in {*fixtures, *shipped_names(Fixture)}:
        return
    pack = packs.get(found.domain_pack) or find_domain_pack(found.domain_pack)
    fixture = fixtures.get(found.fixture) or find_fixture(found.fixture)
    for state in fixture.required_state:
        if state.entity_type not in pack.entity_types:
            text = (
                f"fixture {fixture.fixture_id} requires a {state.entity_type!r}, which {pack.pack_id} does not define"
                f"{did_you_mean(state.entity_type, pack.entity_types)}"
            )
            yield Problem(file=source.file, line=source.line_of(("fixture",)), text=text)
