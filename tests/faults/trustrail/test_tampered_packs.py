"""A pack that was tampered with does not verify, and the broken rule is named.

The attacks are those of real reports: agent-manifest PR 301 (empty but signed), kane-cli#140 (edited),
eliza PR 14647 (a path outside), and their neighbours.
"""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults.trustrail.conftest import CREATED_AT, recorded
from trustrail.controls import CONTROLS
from trustrail.controls.verdict import ControlReport, Verdict
from trustrail.controls.view import RunView
from trustrail.errors import PackError
from trustrail.evidence import PackRun, Rule, replay_pack, sign, verify_pack, write_pack
from trustrail.evidence.manifest import PAYLOAD_TYPE, manifest_bytes, manifest_envelope, read_statement, statement_bytes
from trustrail.foundation import SigningKey, canonical_json, digest_hex

EVENTS = "events/run-001.jsonl"
FILES = (
    "manifest.yaml",
    "pack.json",
    "report.html",
    EVENTS,
    "spans/run-001.json",
    "annotations/notes.json",
    "annotations/calls-001.json",
)
OUTSIDE = ("../secret.json", "events/../../secret.json", "/etc/hostname", "events//run-001.jsonl", ".")


def broken_rule(pack: Path, key: SigningKey) -> tuple[str, str]:
    with pytest.raises(PackError) as caught:
        verify_pack(pack, [key.public])
    assert str(caught.value).startswith(f"{caught.value.rule}: ")
    return caught.value.rule, caught.value.path


def edit(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


def sign_again(pack: Path, key: SigningKey, **files: str | None) -> None:
    """Sign the pack as it lies there: the attacker, or a careless producer, holds the key."""
    statement = read_statement(manifest_envelope((pack / "manifest.yaml").read_bytes()).payload)
    listed = {path: digest_hex((pack / path).read_bytes()) for path in statement.files if (pack / path).exists()}
    listed |= {path: digest for path, digest in files.items() if digest is not None}
    listed = {path: digest for path, digest in listed.items() if files.get(path, "") is not None}
    again = replace(statement, files=listed)
    envelope = sign(PAYLOAD_TYPE, statement_bytes(again), key)
    (pack / "manifest.yaml").write_bytes(manifest_bytes(again, envelope))


def change_document(pack: Path, change: Callable[[dict], None]) -> None:
    document = json.loads((pack / "pack.json").read_bytes())
    change(document)
    (pack / "pack.json").write_bytes(canonical_json(document))


def test_the_pack_as_written_verifies(pack, key):
    verified = verify_pack(pack, [key.public])

    assert verified.document.gate == "BLOCK"
    assert verified.signed_by == key.public


def test_a_pack_may_be_moved(pack, key):
    moved = pack.rename(pack.with_name("moved"))

    assert verify_pack(moved, [key.public]).statement.predicate.pack == pack.name


def test_an_extra_file(pack, key):
    (pack / "events" / "run-003.jsonl").write_bytes(b"{}\n")

    assert broken_rule(pack, key) == (Rule.EXTRA_FILE, "events/run-003.jsonl")


def test_an_extra_file_that_is_signed_but_belongs_to_no_run(pack, key):
    (pack / "events" / "run-003.jsonl").write_bytes(b"{}\n")
    sign_again(pack, key, **{"events/run-003.jsonl": digest_hex(b"{}\n")})

    assert broken_rule(pack, key) == (Rule.EXTRA_FILE, "events/run-003.jsonl")


def test_an_extra_file_outside_the_layout_that_is_signed(pack, key):
    (pack / "run.sh").write_bytes(b"x")
    sign_again(pack, key, **{"run.sh": digest_hex(b"x")})

    assert broken_rule(pack, key) == (Rule.ALLOWED_FILE, "run.sh")


@pytest.mark.parametrize("path", FILES)
def test_a_missing_file(pack, key, path):
    (pack / path).unlink()

    assert broken_rule(pack, key) == (Rule.MISSING_FILE, path)


def test_a_missing_file_that_was_also_taken_off_the_list(pack, key):
    (pack / EVENTS).unlink()
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.MISSING_FILE, EVENTS)


def test_an_edited_event(pack, key):
    edit(pack / EVENTS, b"I've lost my card", b"I've lost my keys")

    assert broken_rule(pack, key) == (Rule.DIGEST, EVENTS)


def test_an_edited_verdict(pack, key):
    change_document(pack, lambda document: document["runs"][0]["controls"]["TR-ACTION-001"].update(verdict="PASS"))

    assert broken_rule(pack, key) == (Rule.DIGEST, "pack.json")


@pytest.mark.parametrize("path", ["report.html", "spans/run-001.json"])
def test_an_edited_file(pack, key, path):
    edit(pack / path, b"block_card", b"block_cart")

    assert broken_rule(pack, key) == (Rule.DIGEST, path)


def test_a_dropped_event_line(pack, key):
    lines = (pack / EVENTS).read_bytes().splitlines(keepends=True)
    (pack / EVENTS).write_bytes(b"".join(lines[:-1]))

    assert broken_rule(pack, key) == (Rule.DIGEST, EVENTS)


def test_a_re_serialised_event_line(pack, key):
    lines = (pack / EVENTS).read_bytes().splitlines(keepends=True)
    lines[2] = json.dumps(json.loads(lines[2])).encode() + b"\n"
    (pack / EVENTS).write_bytes(b"".join(lines))

    assert broken_rule(pack, key) == (Rule.CANONICAL_FORM, EVENTS)


def test_a_re_serialised_document(pack, key):
    (pack / "pack.json").write_text(json.dumps(json.loads((pack / "pack.json").read_bytes()), indent=1))

    assert broken_rule(pack, key) == (Rule.CANONICAL_FORM, "pack.json")


def test_a_re_serialised_document_is_refused_even_when_signed(pack, key):
    (pack / "pack.json").write_text(json.dumps(json.loads((pack / "pack.json").read_bytes()), indent=1))
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.CANONICAL_FORM, "pack.json")


MANIFEST_EDITS = {
    "a space": (b"gate: ", b"gate:  ", Rule.CANONICAL_FORM),
    "a comment": (b"gate: ", b"# fine\ngate: ", Rule.CANONICAL_FORM),
    "another gate": (b'gate: "BLOCK"', b'gate: "PASS"', Rule.CANONICAL_FORM),
    "another digest": (b'sha256: "', b'sha256: "0', Rule.CANONICAL_FORM),
    "a repeated key": (b'gate: "BLOCK"', b'gate: "BLOCK"\ngate: "PASS"', Rule.UNIQUE_KEYS),
    "an anchor": (b"artifact:", b"artifact: &a", Rule.STRUCTURE),
    "a payload that is no base64": (b'payload: "', b'payload: "!', Rule.STRUCTURE),
    "a payload that is cut": (b'payload: "ey', b'payload: "', Rule.STRUCTURE),
    "no signature field": (b"  signature: ", b"  sign: ", Rule.STRUCTURE),
}


@pytest.mark.parametrize(("old", "new", "rule"), MANIFEST_EDITS.values(), ids=MANIFEST_EDITS)
def test_a_manifest_with(pack, key, old, new, rule):
    edit(pack / "manifest.yaml", old, new)

    assert broken_rule(pack, key) == (rule, "manifest.yaml")


def test_a_repeated_key_in_the_document(pack, key):
    edit(pack / "pack.json", b'"gate":"BLOCK"', b'"gate":"BLOCK","gate":"BLOCK"')

    assert broken_rule(pack, key) == (Rule.UNIQUE_KEYS, "pack.json")


def test_a_repeated_key_in_the_document_is_refused_even_when_signed(pack, key):
    edit(pack / "pack.json", b'"gate":"BLOCK"', b'"gate":"BLOCK","gate":"BLOCK"')
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.UNIQUE_KEYS, "pack.json")


def test_a_repeated_key_in_an_event(pack, key):
    edit(pack / EVENTS, b'"seq":0', b'"seq":0,"seq":0')

    assert broken_rule(pack, key) == (Rule.UNIQUE_KEYS, EVENTS)


def test_a_symlink_in_place_of_a_file(pack, key):
    (pack / EVENTS).rename(pack.parent / "elsewhere.jsonl")
    (pack / EVENTS).symlink_to(pack.parent / "elsewhere.jsonl")

    assert broken_rule(pack, key) == (Rule.NO_LINKS, EVENTS)


def test_a_symlink_in_place_of_a_folder(pack, key):
    (pack / "events").rename(pack.parent / "elsewhere")
    (pack / "events").symlink_to(pack.parent / "elsewhere", target_is_directory=True)

    assert broken_rule(pack, key) == (Rule.NO_LINKS, "events")


def test_a_link_to_the_pack_itself_is_not_followed(pack, key):
    link = pack.with_name("link")
    link.symlink_to(pack, target_is_directory=True)

    assert broken_rule(link, key)[0] == Rule.READABLE


def test_a_pipe_in_the_pack_is_not_opened(pack, key):
    os.mkfifo(pack / "events" / "run-009.jsonl")

    assert broken_rule(pack, key) == (Rule.NO_LINKS, "events/run-009.jsonl")


def test_a_folder_outside_the_layout(pack, key):
    (pack / "more").mkdir()

    assert broken_rule(pack, key) == (Rule.NO_LINKS, "more")


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_listed_path_that_leaves_the_pack(pack, key, path):
    (pack.parent / "secret.json").write_bytes(b"{}")
    sign_again(pack, key, **{path: digest_hex(b"{}")})

    assert broken_rule(pack, key) == (Rule.INSIDE_THE_PACK, "manifest.yaml")


def test_a_run_that_names_a_path_outside(pack, key):
    change_document(pack, lambda document: document["runs"][0].update(events="../run-001.jsonl"))
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.INSIDE_THE_PACK, "pack.json")


EMPTY = {
    "no runs": lambda document: document.update(runs=[]),
    "no verdicts": lambda document: document["runs"][0].update(controls={}),
    "no controls": lambda document: document.update(controls={}),
    "no events": lambda document: document["runs"][0].update(event_count=0),
}


@pytest.mark.parametrize("change", EMPTY.values(), ids=EMPTY)
def test_a_signed_pack_with(pack, key, change):
    change_document(pack, change)
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.NOT_EMPTY, "pack.json")


def test_a_signed_pack_whose_document_is_empty(pack, key):
    (pack / "pack.json").write_bytes(b"{}")
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.STRUCTURE, "pack.json")


def test_a_signed_pack_whose_events_are_gone(pack, key):
    (pack / EVENTS).write_bytes(b"")
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.CITED_EVENTS, EVENTS)


def test_a_verdict_that_cites_an_event_the_pack_does_not_hold(pack, key):
    change_document(pack, lambda document: document["runs"][0]["controls"]["TR-ACTION-001"].update(events=[999]))
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.CITED_EVENTS, "pack.json")


def test_structure_is_checked_before_the_signature(pack, key):
    """A wrong signature on an empty pack is told about the emptiness: nothing is trusted for its signature."""
    change_document(pack, EMPTY["no runs"])
    sign_again(pack, SigningKey.derive("somebody", "else"))

    assert broken_rule(pack, key)[0] == Rule.NOT_EMPTY


def test_a_signature_by_a_key_nobody_trusts(pack, key):
    sign_again(pack, SigningKey.derive("somebody", "else"))

    assert broken_rule(pack, key) == (Rule.SIGNATURE, "manifest.yaml")


def test_a_payload_of_another_type(pack, key):
    manifest = pack / "manifest.yaml"
    envelope = manifest_envelope(manifest.read_bytes())
    again = sign("text/plain", envelope.payload, key)
    manifest.write_bytes(manifest_bytes(read_statement(again.payload), again))

    assert broken_rule(pack, key) == (Rule.SIGNATURE, "manifest.yaml")


def test_no_pack_at_all(tmp_path, key):
    assert broken_rule(tmp_path / "none", key)[0] == Rule.READABLE


class _Lenient:
    """A rule that passes everything."""

    def __init__(self, control_id: str) -> None:
        self.control_id = control_id

    def evaluate(self, run: RunView) -> ControlReport:
        return ControlReport(
            control_id=self.control_id, verdict=Verdict.PASS, exercised=True, reason="nothing to see", events=()
        )


def test_a_pack_that_tells_one_lie_throughout_verifies_but_does_not_replay(tmp_path, subject, requirements, key):
    """Whoever holds the key may sign any verdict; only judging the events again shows that it is wrong."""
    lenient = {**CONTROLS, **{name: _Lenient(name) for name in ("TR-ACTION-001", "TR-AUTH-001")}}
    runs = [PackRun(events=recorded("run-1"))]
    written = write_pack(tmp_path, subject, runs, requirements, key=key, created_at=CREATED_AT, rules=lenient)

    with pytest.raises(PackError, match=r"same-verdicts: events/run-001\.jsonl"):
        replay_pack(verify_pack(written.directory, [key.public]))


def test_a_verdict_on_a_call_changed_and_signed_again_does_not_replay(pack, key):
    edit(pack / "annotations/calls-001.json", b'"verdict":"FAIL"', b'"verdict":"PASS"')
    sign_again(pack, key)

    with pytest.raises(PackError, match=r"same-verdicts: annotations/calls-001\.json"):
        replay_pack(verify_pack(pack, [key.public]))


def test_a_report_changed_and_signed_again_does_not_replay(pack, key):
    edit(pack / "report.html", b"nothing was proposed", b"all was agreed to")
    sign_again(pack, key)

    with pytest.raises(PackError, match=r"same-verdicts: report\.html"):
        replay_pack(verify_pack(pack, [key.public]))


UNREADABLE = {
    "a repeated key": (b'"seq":0', b'"seq":0,"seq":0'),
    "an unknown field": (b'{"agent_id"', b'{"a":1,"agent_id"'),
    "a gap": (b'"seq":1,', b'"seq":0,'),
}


@pytest.mark.parametrize(("old", "new"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_signed_stream_does_not_replay_with(pack, key, old, new):
    edit(pack / EVENTS, old, new)
    sign_again(pack, key)

    with pytest.raises(PackError, match=r"structure: events/run-001\.jsonl event line"):
        replay_pack(verify_pack(pack, [key.public]))


def test_a_signed_object_that_is_not_valid_does_not_replay(pack, key):
    change_document(pack, lambda document: document["objects"]["domain_pack"].update(tools=3))
    sign_again(pack, key)

    with pytest.raises(PackError, match=r"structure: pack\.json holds an object with a wrong tools"):
        replay_pack(verify_pack(pack, [key.public]))
