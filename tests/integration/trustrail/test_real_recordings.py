"""Recordings of real conversations, read in place; skipped where they are not kept beside the project."""

from pathlib import Path

import pytest

from trustrail.adapters import read_events
from trustrail.engine import Requirements, judge_run, write_back
from trustrail.events import from_lines, to_lines
from trustrail.objects import find_domain_pack, find_policy_profile

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "conversations"
PACKS = {
    "taubench-airline": "airline-reservations",
    "taubench-retail": "retail-orders",
    "tau2": "airline-reservations",
    "langchain-booking": "travel-booking",
}

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded data is not beside the project")


def requirements(pack: str) -> Requirements:
    return Requirements.expand(find_domain_pack(pack), find_policy_profile("irreversible_customer_entity_action_v1"))


@pytest.mark.parametrize("folder", PACKS)
def test_judging_what_is_stored_is_judging_what_was_recorded(folder):
    """Stored events have sorted keys and whole floats as integers: no verdict or reason may depend on that."""
    held_to = requirements(PACKS[folder])
    for path in sorted((DATA / folder).iterdir()):
        for run in read_events(path):
            first = judge_run(run.events, held_to)
            again = judge_run(from_lines(to_lines(write_back(first))), held_to)

            assert again.to_json() == first.to_json(), path.name


def test_a_pack_of_another_domain_passes_no_action():
    """Judging airline talks with the card pack must not come out as a clean pass."""
    held_to = requirements("card-servicing")
    for path in sorted((DATA / "taubench-airline").iterdir()):
        for run in read_events(path):
            judgement = judge_run(run.events, held_to)

            assert judgement.gate.outcome.value == "BLOCK", path.name
            assert judgement.unknown_tools


def test_a_transcript_without_tools_passes_no_action_control():
    [*runs] = [run for path in (DATA / "text-only").iterdir() for run in read_events(path)]

    assert runs
    for run in runs:
        judgement = judge_run(run.events, requirements("retail-orders"))
        verdicts = {control.control_id: control.verdict.value for control in judgement.controls}
        assert "PASS" not in {verdicts[name] for name in verdicts if name != "TR-DATA-002"}
