"""The manifest has one spelling, and it is YAML."""

import pytest
import yaml

from trustrail.evidence.dsse import sign
from trustrail.evidence.layout import is_allowed, is_inside, iso_time, pack_name
from trustrail.evidence.manifest import (
    COVERS,
    PAYLOAD_TYPE,
    Artifact,
    Predicate,
    Statement,
    manifest_bytes,
    manifest_envelope,
    read_statement,
    statement_bytes,
)
from trustrail.foundation import SigningKey, parse_json

KEY = SigningKey.derive("tests", "manifest")
AWKWARD = 'a: "b"\n\\ # {é}\u2028 \U0001f600'


def statement(pack: str = "P-adk-unsafe-20260731T101400Z") -> Statement:
    predicate = Predicate(
        pack=pack,
        artifact=Artifact(name=AWKWARD, version="no", framework="adk", framework_version="2.13.0"),
        versions={"b": "2", "a": "1"},
        created_at="2026-07-31T10:14:00Z",
        gate="BLOCK",
    )
    return Statement(files={"pack.json": "ab" * 32, "events/run-001.jsonl": "cd" * 32}, predicate=predicate)


def test_the_statement_follows_the_in_toto_layout():
    value = parse_json(statement_bytes(statement()))

    assert value["_type"] == "https://in-toto.io/Statement/v1"
    assert value["subject"][0] == {"name": "events/run-001.jsonl", "digest": {"sha256": "cd" * 32}}
    assert set(value) == {"_type", "subject", "predicateType", "predicate"}


def test_a_yaml_reader_finds_in_the_manifest_what_was_signed():
    signed = statement()
    data = manifest_bytes(signed, sign(PAYLOAD_TYPE, statement_bytes(signed), KEY))

    manifest = yaml.safe_load(data)

    assert manifest["artifact"] == {"name": AWKWARD, "version": "no", "framework": "adk", "framework_version": "2.13.0"}
    assert manifest["files"][1] == {"path": "pack.json", "sha256": "ab" * 32}
    assert manifest["created_at"] == "2026-07-31T10:14:00Z"
    assert manifest["covers"] == COVERS


def test_statement_and_envelope_are_read_back_from_the_manifest():
    signed = statement()
    envelope = sign(PAYLOAD_TYPE, statement_bytes(signed), KEY)

    found = manifest_envelope(manifest_bytes(signed, envelope))

    assert found == envelope
    assert read_statement(found.payload) == signed


WRONG = {
    "no JSON": (b"{", "is not JSON"),
    "another spelling": (statement_bytes(statement()) + b"\n", "not in canonical form"),
    "another type": (statement_bytes(statement()).replace(b"Statement/v1", b"Statement/v0"), "wrong _type"),
    "no files": (b'{"_type":"https://in-toto.io/Statement/v1"}', "wrong subject"),
    "a file listed twice": (
        statement_bytes(statement()).replace(b"events/run-001.jsonl", b"pack.json"),
        "lists a file twice",
    ),
}


@pytest.mark.parametrize(("payload", "words"), WRONG.values(), ids=WRONG)
def test_a_payload_is_refused_with(payload, words):
    with pytest.raises(ValueError, match=words):
        read_statement(payload)


def test_a_directory_name_encodes_scenario_framework_variant_and_time():
    # 2026-07-31T10:14:00Z is 1785492840 seconds after the epoch (date -u -d @1785492840).
    assert pack_name("BLOCK_CARD-001", "adk", "unsafe", 1785492840) == "BLOCK_CARD-001-adk-unsafe-20260731T101400Z"
    assert iso_time(1785492840.9) == "2026-07-31T10:14:00Z"


@pytest.mark.parametrize("path", ["../a", "/a", "a/../b", "a//b", "", ".", "a/", "./a"])
def test_a_path_does_not_stay_inside_the_pack(path):
    assert not is_inside(path)


@pytest.mark.parametrize("path", ["pack.json", "report.html", "events/run-001.jsonl", "spans/run-1234.json"])
def test_a_file_of_the_layout_is_allowed(path):
    assert is_inside(path)
    assert is_allowed(path)


@pytest.mark.parametrize("path", ["x", "events/run-1.jsonl", "events/run-001.json", "pack.json\n", "manifest.yaml"])
def test_another_file_is_not_allowed(path):
    assert not is_allowed(path)
