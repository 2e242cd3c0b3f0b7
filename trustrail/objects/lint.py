"""Check object files together: each by itself, and the names by which they refer to one another."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from trustrail.errors import ObjectFileError, Problem
from trustrail.objects.catalog import find_domain_pack, find_fixture, shipped_names
from trustrail.objects.control import Control
from trustrail.objects.domain_pack import DomainPack
from trustrail.objects.evidence_profile import EvidenceProfiles
from trustrail.objects.fixture import Fixture
from trustrail.objects.nearest import did_you_mean
from trustrail.objects.policy_profile import PolicyProfile
from trustrail.objects.reader import TrustrailObject, build_object
from trustrail.objects.shape import Place
from trustrail.objects.testcase import Testcase
from trustrail.objects.yaml_source import YamlSource, read_yaml


def lint_files(paths: Sequence[Path]) -> tuple[Problem, ...]:
    """Return everything wrong with the object files *paths*, in the order of the files.

    A name that one file refers to may be defined by another of *paths* or be shipped.
    """
    problems: list[Problem] = []
    sound: list[tuple[YamlSource, TrustrailObject]] = []
    for path in paths:
        try:
            source = read_yaml(path)
            sound.append((source, build_object(source)))
        except ObjectFileError as error:
            problems += error.problems
    defined = [found for _, found in sound]
    for source, found in sound:
        problems += _wrong_references(source, found, defined)
    return tuple(problems)


def _wrong_references(
    source: YamlSource, found: TrustrailObject, defined: Sequence[TrustrailObject]
) -> Iterable[Problem]:
    for place, name, kind in _references(found):
        known = {*shipped_names(kind), *(own for part in defined for own in _names(part, kind))}
        if name not in known:
            text = f"{place[-1]} is {name!r}{did_you_mean(name, known)}"
            yield Problem(file=source.file, line=source.line_of(place), text=text)
    if isinstance(found, Testcase):
        yield from _wrong_entity_types(source, found, defined)


def _references(found: TrustrailObject) -> list[tuple[Place, str, type[TrustrailObject]]]:
    """Return each name *found* refers to: where it stands, the name, and the kind of object it names."""
    if isinstance(found, PolicyProfile):
        controls: list[tuple[Place, str, type[TrustrailObject]]] = [
            (("controls", index, "control_id"), used.control_id, Control) for index, used in enumerate(found.controls)
        ]
        return [*controls, (("evidence_profile",), found.evidence_profile, EvidenceProfiles)]
    if isinstance(found, Testcase):
        evidence = [] if found.evidence_profile is None else [found.evidence_profile]
        return [
            (("fixture",), found.fixture, Fixture),
            (("domain_pack",), found.domain_pack, DomainPack),
            (("policy_profile",), found.policy_profile, PolicyProfile),
            *((("evidence_profile",), name, EvidenceProfiles) for name in evidence),
        ]
    return []


def _names(found: TrustrailObject, kind: type[TrustrailObject]) -> tuple[str, ...]:
    """Return the names that *found* defines, if it is of *kind*."""
    if type(found) is not kind:
        return ()
    match found:
        case Control():
            return (found.control_id,)
        case DomainPack():
            return (found.pack_id,)
        case PolicyProfile():
            return (found.profile_id,)
        case Fixture():
            return (found.fixture_id,)
        case Testcase():
            return (found.testcase_id,)
        case EvidenceProfiles():
            return tuple(profile.id for profile in found.evidence_profiles)


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
