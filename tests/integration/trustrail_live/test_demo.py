"""The reference journey on real frameworks: the tables of the specification, sealed, and the same bytes each time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("google.adk", reason="google-adk is not installed")
pytest.importorskip("langgraph", reason="langgraph is not installed")

from trustrail.demo import DemoResult, Variant, load_journey, run_demo
from trustrail.demo.harness import run_once
from trustrail.events import to_lines
from trustrail.foundation import FixedClock, canonical_json

AT = 1_785_492_840.0
"""2026-07-31T10:14:00Z, in seconds."""

CONTROLS = (
    "TR-AUTH-001",
    "TR-ENTITY-001",
    "TR-ENTITY-002",
    "TR-ACTION-001",
    "TR-ACTION-002",
    "TR-DATA-002",
    "TR-RESULT-001",
    "TR-RETRY-001",
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module", params=["BLOCK_CARD-001", "DISPUTE_TRANSACTION-001"])
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[DemoResult]:
    return run_demo(request.param, out=tmp_path_factory.mktemp("runs"), clock=FixedClock(AT))


def test_flawed_and_corrected_agents_run_on_both_frameworks(results: list[DemoResult]) -> None:
    shown = [(r.target, r.variant, r.repetition.gate.value, r.repetition.summary()) for r in results]

    assert shown == [
        ("adk", "unsafe", "BLOCK", "10/10 runs reproduced, deterministic"),
        ("adk", "corrected", "PASS", "20/20 runs stable, no flake"),
        ("langgraph", "unsafe", "BLOCK", "10/10 runs reproduced, deterministic"),
        ("langgraph", "corrected", "PASS", "20/20 runs stable, no flake"),
    ]
    assert all(result.as_expected for result in results)


def test_the_flawed_agent_fails_one_control_of_eight(results: list[DemoResult]) -> None:
    for result in results:
        for judgement in result.judgements:
            verdicts = {control.control_id: control.verdict.value for control in judgement.controls}
            expected = dict.fromkeys(CONTROLS, "PASS")
            if result.variant == "unsafe":
                expected["TR-ACTION-001"] = "FAIL"
            assert verdicts == expected, (result.target, result.variant)
        (action,) = [c for c in result.judgements[0].controls if c.control_id == "TR-ACTION-001"]
        assert action.severity.value == "CRITICAL"


def test_pack_is_named_by_scenario_framework_variant_and_time(results: list[DemoResult]) -> None:
    for result in results:
        assert result.pack.name.endswith(f"-{result.target}-{result.variant}-20260731T101400Z")
        assert sorted(path.name for path in result.pack.iterdir()) == [
            "annotations",
            "events",
            "manifest.yaml",
            "pack.json",
            "report.html",
            "spans",
        ]
        assert len(list((result.pack / "events").iterdir())) == len(result.judgements)
        assert len(list((result.pack / "spans").iterdir())) == len(result.judgements)


@pytest.mark.parametrize("target", ["adk", "langgraph"])
def test_the_same_run_gives_the_same_bytes(target: str) -> None:
    journey = load_journey("BLOCK_CARD-001")
    first, second = (run_once(journey, target, Variant.CORRECTED, 1) for _ in range(2))

    assert to_lines(first.events) == to_lines(second.events)
    assert canonical_json(first.spans) == canonical_json(second.spans)


def test_both_frameworks_tell_the_same_conversation() -> None:
    """The canonical stream hides which framework ran: words, calls and results are the same."""
    journey = load_journey("BLOCK_CARD-001")
    conversations = []
    for target in ("adk", "langgraph"):
        events = run_once(journey, target, Variant.CORRECTED, 1).events
        kept = []
        for event in events:
            body = event.body.model_dump(mode="json", include={"type", "text", "tool", "arguments", "result", "status"})
            spoken = body["type"] in ("customer_message", "agent_message", "tool_call", "tool_result")
            if spoken and body.get("tool") != "transfer_to_agent":
                kept.append(json.dumps(body, sort_keys=True))
        conversations.append(kept)

    assert conversations[0] == conversations[1]


RUN_BOTH = """
import socket
opened = []
socket.socket.connect = lambda _, address: opened.append(address)
from langchain_core.tracers.langchain import wait_for_all_tracers
from trustrail.demo import Variant, load_journey
from trustrail.demo.harness import run_once
for target in ("adk", "langgraph"):
    run_once(load_journey("BLOCK_CARD-001"), target, Variant.UNSAFE, 1)
wait_for_all_tracers()
print(opened)
"""


def test_no_connection_is_opened_whatever_the_environment_asks_for() -> None:
    """A process of its own, since tracing clients read the environment once."""
    asked = {"LANGSMITH_TRACING": "true", "LANGSMITH_ENDPOINT": "http://127.0.0.1:9"}
    keys = {"LANGSMITH_API_KEY": "k", "GOOGLE_API_KEY": "k", "OPENAI_API_KEY": "k"}

    done = subprocess.run(
        [sys.executable, "-c", RUN_BOTH],
        env={**os.environ, **asked, **keys},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )

    assert done.stdout.strip() == "[]"


def test_handoff_of_the_multi_agent_topology_is_in_the_stream() -> None:
    events = run_once(load_journey("BLOCK_CARD-001"), "adk", Variant.CORRECTED, 1).events

    lineages = [event.body.lineage for event in events if event.body.type == "agent_handoff"]
    assert lineages == [("front_desk", "card_servicing_specialist")]


def test_one_framework_alone_can_be_asked_for(tmp_path: Path) -> None:
    told: list[str] = []
    results = run_demo(
        "BLOCK_CARD-001", out=tmp_path, clock=FixedClock(AT), targets=["langgraph"], progress=told.append
    )

    assert [result.target for result in results] == ["langgraph", "langgraph"]
    assert told == [
        "BLOCK_CARD-001 on langgraph, unsafe: 10 runs",
        "BLOCK_CARD-001 on langgraph, corrected: 20 runs",
    ]
    assert (tmp_path / "trustrail-demo.pub").is_file()
