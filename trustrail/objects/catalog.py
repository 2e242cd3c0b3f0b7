"""The objects that are shipped, and the road from a name or a file to an object.

A name is looked up among the shipped objects; anything with an ending of `ENDINGS` or a path separator in it
is a file, and is read from disk.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, TypeVar

from trustrail.errors import ObjectFileError, Problem, UnknownObjectError
from trustrail.objects.control import Control
from trustrail.objects.domain_pack import DomainPack
from trustrail.objects.evidence_profile import EvidenceProfile, EvidenceProfiles
from trustrail.objects.fixture import Fixture
from trustrail.objects.nearest import did_you_mean
from trustrail.objects.policy_profile import PolicyProfile
from trustrail.objects.reader import TrustrailObject, parse_object, read_object
from trustrail.objects.testcase import Testcase

ENDINGS: Final = (".yaml", ".yml")

_T = TypeVar("_T", Control, DomainPack, PolicyProfile, Fixture, Testcase)

_FOLDERS: Final[dict[type[object], tuple[str, str]]] = {
    Control: ("controls", "control_id"),
    DomainPack: ("packs", "pack_id"),
    PolicyProfile: ("profiles", "profile_id"),
    Fixture: ("fixtures", "fixture_id"),
    Testcase: ("testcases", "testcase_id"),
}


def find_domain_pack(name: str) -> DomainPack:
    """Return the domain pack called *name*, or read from the file *name*.

    Raises:
        UnknownObjectError: if no shipped pack has that name.
        ObjectFileError: if the file is not a domain pack.
    """
    return _find(DomainPack, name)


def find_policy_profile(name: str) -> PolicyProfile:
    """Return the policy profile called *name*, or read from the file *name*.

    Raises:
        UnknownObjectError: if no shipped profile has that name.
        ObjectFileError: if the file is not a policy profile.
    """
    return _find(PolicyProfile, name)


def find_control(name: str) -> Control:
    """Return the catalog entry of the control called *name*, or read from the file *name*.

    Raises:
        UnknownObjectError: if no shipped control has that name.
        ObjectFileError: if the file is not a control.
    """
    return _find(Control, name)


def find_fixture(name: str) -> Fixture:
    """Return the fixture called *name*, or read from the file *name*.

    Raises:
        UnknownObjectError: if no shipped fixture has that name.
        ObjectFileError: if the file is not a fixture.
    """
    return _find(Fixture, name)


def find_testcase(name: str) -> Testcase:
    """Return the testcase called *name*, or read from the file *name*.

    Raises:
        UnknownObjectError: if no shipped testcase has that name.
        ObjectFileError: if the file is not a testcase.
    """
    return _find(Testcase, name)


def find_evidence_profile(name: str) -> EvidenceProfile:
    """Return the shipped evidence profile called *name*.

    Raises:
        UnknownObjectError: if no shipped evidence profile has that name.
    """
    known = _evidence_profiles()
    if name not in known:
        raise UnknownObjectError(f"no evidence profile is called {name!r}{did_you_mean(name, known)}")
    return known[name]


def shipped_names(kind: type[TrustrailObject]) -> tuple[str, ...]:
    """Return the names of all shipped objects of one *kind*, sorted."""
    return tuple(sorted(_evidence_profiles() if kind is EvidenceProfiles else _shipped(kind)))


def _find(kind: type[_T], name: str) -> _T:
    if name.endswith(ENDINGS) or "/" in name:
        found = read_object(Path(name))
        if not isinstance(found, kind):
            text = f"holds a {type(found).__name__}, expected a {kind.__name__}"
            raise ObjectFileError([Problem(file=name, line=1, text=text)])
        return found
    known = _shipped(kind)
    if name not in known:
        word = _FOLDERS[kind][1].removesuffix("_id")
        raise UnknownObjectError(f"no shipped {word} is called {name!r}{did_you_mean(name, known)}")
    found = known[name]
    assert isinstance(found, kind)
    return found


@cache
def _shipped(kind: type[object]) -> dict[str, TrustrailObject]:
    folder, id_field = _FOLDERS[kind]
    return {getattr(found, id_field): found for found in _read_folder(folder)}


@cache
def _evidence_profiles() -> dict[str, EvidenceProfile]:
    return {
        profile.id: profile
        for found in _read_folder("evidence")
        if isinstance(found, EvidenceProfiles)
        for profile in found.evidence_profiles
    }


def _read_folder(folder: str) -> list[TrustrailObject]:
    place = files("trustrail.objects") / "shipped" / folder
    entries = sorted((entry for entry in place.iterdir() if entry.name.endswith(ENDINGS)), key=lambda entry: entry.name)
    return [parse_object(entry.read_bytes(), file=entry.name) for entry in entries]
