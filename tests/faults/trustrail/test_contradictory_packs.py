"""A signed pack that is hollow, or says two things, does not verify: its signature covers nonsense."""

import json

import pytest
from typer.testing import CliRunner

from tests.faults.trustrail.conftest import BODIES, CREATED_AT
from tests.faults.trustrail.test_tampered_packs import EVENTS, broken_rule, change_document, edit, sign_again
from trustrail.cli import app
from trustrail.events import AgentMessage, CustomerMessage, Event
from trustrail.evidence import PackRun, Rule, replay_pack, sign, verify_pack, write_pack, write_public_key
from trustrail.evidence.manifest import PAYLOAD_TYPE, manifest_bytes, manifest_envelope, read_statement, statement_bytes
from trustrail.foundation import canonical_json

CALLS = "annotations/calls-001.json"
NOTES = "annotations/notes.json"


def first_control(document: dict) -> dict:
    return document["runs"][0]["controls"]["TR-ACTION-001"]


DOCUMENTS = {
    "a gate that passes over blocking runs": lambda d: d.update(gate="PASS"),
    "a run that passes over failed controls": lambda d: d["runs"][0].update(gate="PASS", gate_reasons=[]),
    "a run that blocks for another reason": lambda d: d["runs"][0].update(gate_reasons=["because"]),
    "a verdict that its gate does not follow": lambda d: first_control(d).update(verdict="PASS"),
    "a failure made harmless": lambda d: first_control(d).update(severity="LOW"),
    "a control made harmless": lambda d: d["controls"]["TR-ACTION-001"].update(verdict="PASS"),
    "a control left out of a run": lambda d: d["runs"][0]["controls"].pop("TR-ACTION-001"),
    "a control left out of the summary": lambda d: d["controls"].pop("TR-ACTION-001"),
    "counts that no runs give": lambda d: d["controls"]["TR-ACTION-001"].update(counts={"PASS": 2}),
    "more runs than it holds": lambda d: d["statistics"].update(runs=20),
    "an agreement that is not there": lambda d: d["statistics"].update(wilson_95=[0.9, 1]),
    "evidence that was missing": lambda d: d["runs"][0].update(missing_evidence=["transcript"]),
    "another testcase": lambda d: d.update(testcase_id="OTHER-001"),
    "another version of the testcase": lambda d: d.update(testcase_version=2),
    "another domain pack": lambda d: d["objects"]["domain_pack"].update(pack_id="other"),
    "another policy profile": lambda d: d["objects"]["policy_profile"].update(version=9),
    "another evidence profile": lambda d: d.update(assurance_level="other"),
}


@pytest.mark.parametrize("change", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_signed_document_with(pack, key, change):
    change_document(pack, change)
    sign_again(pack, key)

    rule, path = broken_rule(pack, key)
    assert rule == Rule.AGREEMENT
    assert path in ("pack.json", "manifest.yaml")


def test_a_gate_made_to_pass_wherever_the_document_tells_it(pack, key):
    """The document is consistent in itself; the rule of its own profile says that such runs block."""

    def pass_everywhere(document: dict) -> None:
        document.update(gate="PASS")
        for run in document["runs"]:
            run.update(gate="PASS", gate_reasons=[])

    change_document(pack, pass_everywhere)
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.AGREEMENT, "pack.json")


def test_one_run_that_is_counted_twice(pack, key):
    """Ten of ten runs agree when they are one run."""

    def count_twice(document: dict) -> None:
        document["runs"][1] = dict(document["runs"][0])

    change_document(pack, count_twice)
    sign_again(pack, key, **{"events/run-002.jsonl": None, "annotations/calls-002.json": None})

    assert broken_rule(pack, key) == (Rule.STRUCTURE, "pack.json")


def test_a_statement_that_tells_another_gate_than_the_document(pack, key):
    manifest = pack / "manifest.yaml"
    payload = manifest_envelope(manifest.read_bytes()).payload
    statement = read_statement(payload.replace(b'"gate":"BLOCK"', b'"gate":"PASS"'))
    manifest.write_bytes(manifest_bytes(statement, sign(PAYLOAD_TYPE, statement_bytes(statement), key)))

    assert broken_rule(pack, key) == (Rule.AGREEMENT, "manifest.yaml")


def test_a_page_that_shows_another_gate(pack, key):
    edit(pack / "report.html", b"<strong>BLOCK", b"<strong>PASS")
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.AGREEMENT, "report.html")


def test_a_stream_whose_verdict_is_not_the_document_s(pack, key):
    edit(pack / EVENTS, b'"verdict":"FAIL"', b'"verdict":"PASS"')
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.AGREEMENT, EVENTS)


def test_a_stream_of_another_run(pack, key):
    (pack / EVENTS).write_bytes((pack / "events/run-002.jsonl").read_bytes())
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.AGREEMENT, EVENTS)


@pytest.mark.parametrize("path", [EVENTS, CALLS, NOTES, "report.html", "spans/run-001.json"])
def test_a_file_without_content(pack, key, path):
    (pack / path).write_bytes(b"")
    sign_again(pack, key)

    rule, broken = broken_rule(pack, key)
    assert broken == path
    assert rule in (Rule.NOT_EMPTY, Rule.CITED_EVENTS)


@pytest.mark.parametrize("content", [b"{}", b"[]", b"null", b'{"notes":[],"schema_version":"other"}', b'{"notes":3}'])
@pytest.mark.parametrize("path", [CALLS, NOTES])
def test_annotations_of_another_form(pack, key, path, content):
    (pack / path).write_bytes(content)
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.STRUCTURE, path)


def test_calls_that_nothing_is_said_about(pack, key):
    calls = json.loads((pack / CALLS).read_bytes())
    (pack / CALLS).write_bytes(canonical_json({**calls, "actions": []}))
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.NOT_EMPTY, CALLS)


def test_calls_of_another_run(pack, key):
    (pack / CALLS).write_bytes((pack / "annotations/calls-002.json").read_bytes())
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.STRUCTURE, CALLS)


def only_verdicts(pack) -> bytes:
    """Return the verdicts of the first stream, numbered from 0 as if nothing had been recorded before them."""
    records = [json.loads(line) for line in (pack / EVENTS).read_bytes().splitlines()]
    verdicts = [record for record in records if record["type"] == "evaluation_result"]
    return b"".join(canonical_json({**record, "seq": seq}) + b"\n" for seq, record in enumerate(verdicts))


def test_a_stream_of_verdicts_on_nothing(pack, key):
    """Everything that was recorded is gone; the verdicts about it are all there."""
    hollow = only_verdicts(pack)
    (pack / EVENTS).write_bytes(hollow)

    def cite_nothing(document: dict) -> None:
        document["runs"][0].update(event_count=hollow.count(b"\n"))
        for given in document["runs"][0]["controls"].values():
            given.update(events=[])

    change_document(pack, cite_nothing)
    sign_again(pack, key)

    assert broken_rule(pack, key)[0] in (Rule.NOT_EMPTY, Rule.AGREEMENT)


def test_a_stream_whose_recorded_events_were_dropped(pack, key):
    lines = (pack / EVENTS).read_bytes().splitlines(keepends=True)
    (pack / EVENTS).write_bytes(b"".join(lines[len(BODIES) :]))
    sign_again(pack, key)

    assert broken_rule(pack, key) == (Rule.NOT_EMPTY, EVENTS)


def test_one_line_in_place_of_a_stream(pack, key):
    (pack / EVENTS).write_bytes((pack / EVENTS).read_bytes().splitlines(keepends=True)[-1])
    sign_again(pack, key)

    assert broken_rule(pack, key)[1] == EVENTS


def test_a_run_without_any_call_verifies_and_replays(tmp_path, subject, requirements, key):
    bodies = (CustomerMessage(text="Do you know block_card?"), AgentMessage(text="I do."))
    events = [Event(seq=seq, test_run_id="r", source="test", body=body) for seq, body in enumerate(bodies)]
    written = write_pack(tmp_path, subject, [PackRun(events=events)], requirements, key=key, created_at=CREATED_AT)

    pack = verify_pack(written.directory, [key.public])
    assert replay_pack(pack).judgements == written.judgements


def test_the_gate_of_a_pack_is_the_gate_of_its_runs(pack, key, tmp_path):
    """`trustrail gate` never prints PASS over a run that blocks."""
    change_document(pack, DOCUMENTS["a gate that passes over blocking runs"])
    sign_again(pack, key)
    public = tmp_path / "key.pub"
    write_public_key(public, key.public)

    result = CliRunner().invoke(app, ["gate", str(pack), "--key", str(public)])

    assert result.exit_code == 1
    assert "PASS" not in result.stdout
    assert result.stderr.startswith("agreement: pack.json says PASS as the gate of the pack, expected BLOCK")
