"""The licence audit: what is not known to be fine fails."""

from email.message import Message

import pytest

from trustrail.demo.licenses import REVIEWED, audit, judge, licence_of, main

ALLOWED = ("MIT", "Apache-2.0", "BSD-3-Clause", "MIT OR GPL-2.0", "Apache Software License; MIT License", "MPL-2.0")
REFUSED = ("", "GPL-3.0-only", "LGPL-2.1", "MIT AND AGPL-3.0", "Limited use", "Proprietary", "SSPL-1.0")


@pytest.mark.parametrize("licence", ALLOWED)
def test_licence_that_allows_use_passes(licence: str) -> None:
    assert judge("part", "1", licence).is_allowed


@pytest.mark.parametrize("licence", REFUSED)
def test_licence_that_is_unknown_or_reaches_further_fails(licence: str) -> None:
    finding = judge("part", "1", licence)

    assert not finding.is_allowed
    assert finding.remark


def test_exception_carries_its_reason() -> None:
    finding = judge("psycopg", "3", "LGPL-3.0-only")

    assert (finding.is_allowed, finding.remark) == (True, REVIEWED["psycopg"])


class Part:
    """A distribution with the given metadata."""

    def __init__(self, **fields: str) -> None:
        self.metadata = Message()
        for name, value in fields.items():
            for line in value.split("|"):
                self.metadata[name.replace("_", "-")] = line


LICENCES = {
    "expression first": (Part(License_Expression="MIT", License="GPL"), "MIT"),
    "then classifiers": (
        Part(Classifier="License :: OSI Approved :: BSD License|Programming Language :: Python", License="see file"),
        "BSD License",
    ),
    "then the first line of the field": (Part(License="ISC\n\nCopyright …"), "ISC"),
    "nothing": (Part(Name="x"), ""),
    "approved by nobody named": (Part(Classifier="License :: OSI Approved", License="zlib"), "zlib"),
}


@pytest.mark.parametrize(("part", "expected"), LICENCES.values(), ids=LICENCES)
def test_licence_is_read_from_the_best_place(part: Part, expected: str) -> None:
    assert licence_of(part) == expected


def test_audit_follows_requirements_and_passes_over_what_is_not_installed() -> None:
    names = [finding.name for finding in audit(["pydantic", "no-such-distribution-anywhere"])]

    assert {"pydantic", "pydantic-core", "typing-extensions"} <= set(names)
    assert names == sorted(names)
    assert "no-such-distribution-anywhere" not in names


def test_the_project_depends_on_nothing_that_is_not_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    assert capsys.readouterr().out.endswith(" 0 not allowed\n")
