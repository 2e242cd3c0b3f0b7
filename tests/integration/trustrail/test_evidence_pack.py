"""Evidence packs: what is written, what a replay reaches, and what never gets in."""

import json

import pytest
import yaml

from trustrail.errors import PackError
from trustrail.evidence import Note, PackRun, replay_pack, verify_pack, write_pack
from trustrail.foundation import SigningKey

KEY = SigningKey.derive("tests", "packs")
CREATED_AT = 1_785_492_840.0  # 2026-07-31T10:14:00Z


@pytest.fixture(scope="module")
def written(tmp_path_factory, recorded, requirements, subject):
    runs = [PackRun(events=recorded(f"run-{n}", asks_first=False), spans={"spans": []}) for n in (1, 2, 3)]
    note = Note(author="reviewer", text="looked at", test_run_id="run-1", event_seq=5)
    return write_pack(
        tmp_path_factory.mktemp("runs"), subject, runs, requirements, key=KEY, created_at=CREATED_AT, notes=[note]
    )


def test_the_directory_says_scenario_framework_variant_and_time(written):
    assert written.directory.name == "BLOCK_CARD-001-script-unsafe-20260731T101400Z"


def test_the_pack_is_laid_out_as_published(written):
    found = {path.relative_to(written.directory).as_posix() for path in written.directory.rglob("*") if path.is_file()}

    assert found == {
        "manifest.yaml",
        "pack.json",
        "report.html",
        "annotations/notes.json",
        *(f"events/run-00{n}.jsonl" for n in (1, 2, 3)),
        *(f"spans/run-00{n}.json" for n in (1, 2, 3)),
        *(f"annotations/calls-00{n}.json" for n in (1, 2, 3)),
    }


def test_the_document_carries_the_published_fields(written):
    document = json.loads((written.directory / "pack.json").read_bytes())

    assert document["schema_version"] == "trustrail.pack.v0.1"
    assert (document["testcase_id"], document["testcase_version"]) == ("BLOCK_CARD-001", 1)
    assert (document["target"], document["variant"]) == ("script", "unsafe")
    assert document["assurance_level"] == "recorded_conversation"
    assert document["gate"] == "BLOCK"
    assert document["controls"]["TR-ACTION-001"]["verdict"] == "FAIL"
    assert document["statistics"]["summary"] == "3/3 runs reproduced, deterministic"


def test_the_manifest_is_yaml_that_names_every_file_and_what_the_signature_covers(written):
    manifest = yaml.safe_load((written.directory / "manifest.yaml").read_text())
    listed = {entry["path"] for entry in manifest["files"]}
    found = {path.relative_to(written.directory).as_posix() for path in written.directory.rglob("*") if path.is_file()}

    assert listed == found - {"manifest.yaml"}
    assert manifest["artifact"]["framework"] == "none"
    assert "does not say that the recorded runs took place" in manifest["covers"]


def test_verdicts_are_written_back_into_the_stream(written):
    lines = (written.directory / "events/run-001.jsonl").read_text().splitlines()
    last = [json.loads(line) for line in lines[-8:]]

    assert {event["type"] for event in last} == {"evaluation_result"}


def test_a_replay_reaches_the_same_verdicts(written):
    replay = replay_pack(verify_pack(written.directory, [KEY.public]))

    assert replay.judgements == written.judgements


def test_the_same_runs_give_the_same_bytes(written, tmp_path, recorded, requirements, subject):
    runs = [PackRun(events=recorded(f"run-{n}", asks_first=False), spans={"spans": []}) for n in (1, 2, 3)]
    note = Note(author="reviewer", text="looked at", test_run_id="run-1", event_seq=5)
    again = write_pack(tmp_path, subject, runs, requirements, key=KEY, created_at=CREATED_AT, notes=[note])

    for path in sorted(written.directory.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (again.directory / path.relative_to(written.directory)).read_bytes()


def test_the_corrected_agent_passes(tmp_path, recorded, requirements, subject):
    runs = [PackRun(events=recorded(f"run-{n}", asks_first=True)) for n in (1, 2)]

    pack = write_pack(tmp_path, subject, runs, requirements, key=KEY, created_at=CREATED_AT)

    verdicts = {control.control_id: control.verdict.value for control in pack.judgements[0].controls}
    assert verdicts["TR-ACTION-001"] == "PASS"
    assert b'"type":"confirmation_event"' in (pack.directory / "events/run-001.jsonl").read_bytes()
    assert verify_pack(pack.directory, [KEY.public]).document.statistics.is_stable


def test_a_pack_is_never_written_over(written, recorded, requirements, subject):
    runs = [PackRun(events=recorded(asks_first=True))]

    with pytest.raises(PackError, match="exists already"):
        write_pack(written.directory.parent, subject, runs, requirements, key=KEY, created_at=CREATED_AT)


@pytest.mark.parametrize("runs", [[], [PackRun(events=())]], ids=["no runs", "an empty run"])
def test_a_pack_without_evidence_is_not_written(tmp_path, requirements, subject, runs):
    with pytest.raises(PackError, match="not-empty"):
        write_pack(tmp_path / "out", subject, runs, requirements, key=KEY, created_at=CREATED_AT)

    assert not (tmp_path / "out").exists()


def test_a_pack_that_cannot_be_written_leaves_nothing_behind(tmp_path, recorded, requirements, subject):
    (tmp_path / "out").write_text("a file where the directory should be")

    runs = [PackRun(events=recorded(asks_first=True))]

    with pytest.raises(PackError, match="cannot be written"):
        write_pack(tmp_path / "out", subject, runs, requirements, key=KEY, created_at=CREATED_AT)

    assert [path.name for path in tmp_path.iterdir()] == ["out"]
