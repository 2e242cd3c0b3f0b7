"""The recorded conversations of tau-bench: each consequential write against two independent readings.

Rows are split by a hash of the conversation's name. The rules were written against the development half; on first
sight of the held-out half they got 30 of its 38 decided rows right, with three false PASS. One round of general
corrections followed (docs/trustrail/consent.md tells which), so both halves are now a regression test, and neither
is a measure of what unseen conversations will give.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from trustrail.adapters import message_index, read_events
from trustrail.consent import bind_consent
from trustrail.controls import CONTROLS, RunView
from trustrail.foundation import digest_hex
from trustrail.objects import find_domain_pack, find_evidence_profile, find_policy_profile

DATA = Path(__file__).parents[4] / "shared" / "data" / "conversations"
ROWS = DATA / "consent.jsonl"
PACKS = {"taubench-airline": "airline-reservations", "taubench-retail": "retail-orders"}
PROFILE = find_policy_profile("irreversible_customer_entity_action_v1")

pytestmark = pytest.mark.skipif(not ROWS.exists(), reason="the recorded conversations (../shared/data) are not here")


def _half(file):
    name = Path(file).name.encode()
    return "development" if int(digest_hex(name), 16) % 2 == 0 else "held out"


def _verdicts(file):
    """The verdict of TR-ACTION-001 on each write of *file*, by message index."""
    pack = find_domain_pack(PACKS[file.split("/")[0]])
    (run,) = read_events(DATA / file)
    stream = bind_consent(run.events, pack)
    evidence = find_evidence_profile(PROFILE.evidence_profile)
    view = RunView.build(stream, pack=pack, profile=PROFILE, evidence=evidence)
    report = CONTROLS["TR-ACTION-001"].evaluate(view)
    return {message_index(stream[action.call_seq]): action.verdict.value for action in report.actions}


@pytest.fixture(scope="module")
def judged():
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    verdicts = {file: _verdicts(file) for file in sorted({row["file"] for row in rows})}
    return [(row, verdicts[row["file"]].get(row["message_index"])) for row in rows]


@pytest.mark.parametrize("half", ["development", "held out"])
def test_decided_writes_are_judged_as_two_readers_judged_them(judged, half, capsys):
    decided = [(row, got) for row, got in judged if row["verdict"] != "OPEN" and _half(row["file"]) == half]
    right = sum(row["verdict"] == got for row, got in decided)
    false_pass = [row for row, got in decided if (row["verdict"], got) == ("FAIL", "PASS")]
    undecided = sum(got == "INCONCLUSIVE" for _, got in decided)
    with capsys.disabled():
        print(f"\n{half}: {right}/{len(decided)} right, {len(false_pass)} false PASS, {undecided} INCONCLUSIVE")

    assert false_pass == []
    assert right >= 0.95 * len(decided)
    assert undecided <= 0.10 * len(decided)


def test_every_recorded_write_is_found_and_judged(judged):
    assert [row for row, got in judged if got is None] == []


def test_open_writes_get_a_verdict_too(judged):
    found = Counter(got for row, got in judged if row["verdict"] == "OPEN")

    assert set(found) <= {"PASS", "FAIL", "INCONCLUSIVE"}
