"""Recorded spans of real frameworks: what was executed and said is found, what was not recorded stays missing.

Expected numbers come from the measurements in the assurance reference, section 3: four tool executions in each
ADK run, six in each LangGraph run, three (two of them one retried call) in the handoff run.
"""

import json
from pathlib import Path

import pytest

from trustrail.adapters import Run, read_events

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
SPANS = DATA / "spans"
PUBLIC = DATA / "spans-public"

pytestmark = pytest.mark.skipif(not SPANS.is_dir(), reason=f"recorded data is not at {SPANS}")

ADK_WITH_CONTENT = (
    "adk-1.4.2-native",
    "adk-1.12.0-native",
    "adk-1.39.1-native",
    "adk-2.13.0-native-schema1",
    "adk-2.13.0-native-spanonly",
    "adk-2.13.0-oi",
)
LANGGRAPH = ("langgraph-1.2.24-oi", "langgraph-1.2.24-traceloop")
HANDOFF = ("langgraph-1.2.24-handoff-retry-oi", "langgraph-1.2.24-handoff-retry-traceloop")
FORMS = (".json", ".otlp.json")


def only_run(folder: Path, name: str) -> Run:
    (run,) = read_events(folder / name)
    return run


def without_ids(run: Run) -> list[str]:
    """Return the stream without what differs from run to run: ids, places and how long a model took."""
    lines = []
    for event in run.events:
        body = event.body.model_dump(mode="json")
        for key in ("call_id", "latency"):
            body.pop(key, None)
        kept = [event.turn_id, event.agent_id, event.parent_agent_id, body]
        lines.append(json.dumps(kept, sort_keys=True))
    return lines


def executions(run: Run) -> list[tuple[str, str]]:
    return [(event.body.tool, event.body.status) for event in run.events if event.body.type == "tool_result"]


CARDS = {"cards": [{"card_ref": "card_1", "last4": "7447"}, {"card_ref": "card_2", "last4": "1907"}]}
SCRIPT = [
    ("customer_message", "I lost my card"),
    ("tool_call", "transfer_to_agent", {"agent_name": "cards_agent"}),
    ("tool_result", "transfer_to_agent", {"result": None}),
    ("tool_call", "find_cards", {"customer_id": "C1"}),
    ("tool_result", "find_cards", CARDS),
    ("agent_message", "I found cards ending 7447 and 1907. Which one should I block?"),
    ("customer_message", "The one ending 7447"),
    ("agent_message", "You want to block the card ending 7447 because it was lost. Do you confirm?"),
    ("customer_message", "Yes, block it"),
    ("tool_call", "block_card", {"card_ref": "card_1", "reason": "lost"}),
    ("tool_call", "find_cards", {"customer_id": "C1"}),
    ("tool_result", "block_card", {"status": "blocked", "card_ref": "card_1"}),
    ("tool_result", "find_cards", CARDS),
    ("agent_message", "Your card ending 7447 is blocked."),
]
"""The conversation the ADK runs were made from, read off the session events of the 1.4.2 dump."""


def conversation(run: Run) -> list[tuple]:
    lines: list[tuple] = []
    for event in run.events:
        body = event.body
        if body.type in ("customer_message", "agent_message"):
            lines.append((body.type, body.text))
        elif body.type == "tool_call":
            lines.append((body.type, body.tool, body.arguments))
        elif body.type == "tool_result":
            lines.append((body.type, body.tool, body.result))
    return lines


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ADK_WITH_CONTENT)
def test_every_adk_version_gives_the_same_conversation(name: str, form: str) -> None:
    assert conversation(only_run(SPANS, name + form)) == SCRIPT


def test_every_adk_version_gives_the_same_stream_ids_aside() -> None:
    streams = {name + form: without_ids(only_run(SPANS, name + form)) for name in ADK_WITH_CONTENT for form in FORMS}
    first = streams["adk-1.4.2-native.json"]

    assert [name for name, stream in streams.items() if stream != first] == []


def test_adk_without_content_gives_the_same_shape_with_everything_missing() -> None:
    recorded = only_run(SPANS, "adk-2.13.0-native-spanonly.json")
    bare = only_run(SPANS, "adk-2.13.0-native.otlp.json")

    assert [event.body.type for event in bare.events] == [event.body.type for event in recorded.events]
    assert [event.body.tool for event in bare.events if event.body.type == "tool_call"] == [
        "transfer_to_agent",
        "find_cards",
        "block_card",
        "find_cards",
    ]
    for event in bare.events:
        body = event.body
        if body.type in ("customer_message", "agent_message"):
            assert body.text is None
        elif body.type == "tool_call":
            assert body.arguments is None
        elif body.type == "tool_result":
            assert (body.status, body.result) == ("unknown", None)
    assert any("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY" in gap for gap in bare.gaps)


def test_adk_session_events_bring_back_all_but_the_customers_words() -> None:
    expected = [(line[0], None) if line[0] == "customer_message" else line for line in SCRIPT]

    assert conversation(only_run(SPANS, "adk-2.13.0-native.json")) == expected


def test_base64_ids_give_the_same_events_as_hex_ids() -> None:
    hexadecimal = only_run(SPANS, "adk-2.13.0-native.otlp.json")
    encoded = only_run(SPANS, "adk-2.13.0-native.otlp-base64ids.json")

    assert [event.provenance for event in encoded.events] == [event.provenance for event in hexadecimal.events]
    assert without_ids(encoded) == without_ids(hexadecimal)


@pytest.mark.parametrize("form", FORMS)
def test_adk_approval_run_shows_the_pause_the_soft_errors_and_the_raised_one(form: str) -> None:
    run = only_run(SPANS, "adk-2.13.0-hitl" + form)

    assert executions(run) == [
        ("block_card", "interrupted"),
        ("block_card", "ok"),
        ("fraud_helper", "ok"),
        ("block_card", "ok"),
        ("block_card", "ok"),
        ("block_card", "error"),
    ]
    ids = [event.body.call_id for event in run.events if event.body.type == "tool_call"]
    assert ids[0] == ids[1] == "call_1"
    pieces = [event.body.text for event in run.events if event.body.type == "agent_message" and event.body.partial]
    assert pieces == ["Fraud ", "checked: ", "risk ", "is ", "high. "]
    inner = [event for event in run.events if event.agent_id == "fraud_helper"]
    assert [event.body.type for event in inner] == ["agent_invocation", "model_call"]
    assert inner[0].parent_agent_id == "cards_agent"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", LANGGRAPH)
def test_every_langgraph_execution_is_found_failed_and_interrupted_ones_included(name: str, form: str) -> None:
    run = only_run(SPANS, name + form)

    assert executions(run) == [
        ("find_cards", "ok"),
        ("block_card", "ok"),
        ("find_cards", "ok"),
        ("block_card", "error"),
        ("block_card_hitl", "interrupted"),
        ("block_card_hitl", "ok"),
    ]
    arguments = [event.body.arguments for event in run.events if event.body.type == "tool_call"]
    assert arguments == [
        {"customer_id": "C1"},
        {"card_ref": "card_1", "reason": "lost"},
        {"customer_id": "C1"},
        {"card_ref": "card_9", "reason": "lost"},
        {"card_ref": "card_2"},
        {"card_ref": "card_2"},
    ]
    words = [event.body.text for event in run.events if event.body.type == "customer_message"]
    assert words == ["I lost my card", "Yes, block it", "and card_9 too", "and the other one", "yes"]


def test_both_langgraph_bridges_give_the_same_stream_ids_aside() -> None:
    first, *others = [without_ids(only_run(SPANS, name + form)) for name in LANGGRAPH for form in FORMS]

    assert others == [first] * 3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", HANDOFF)
def test_retried_call_shows_both_executions(name: str, form: str) -> None:
    run = only_run(SPANS, name + form)

    assert executions(run) == [("transfer_to_cards", "ok"), ("block_card", "error"), ("block_card", "ok")]
    handoffs = [event.body.lineage for event in run.events if event.body.type == "agent_handoff"]
    assert handoffs == [("triage", "cards")]
    blocks = [event.body for event in run.events if event.body.type == "tool_call" and event.body.tool == "block_card"]
    assert [body.arguments for body in blocks] == [{"card_ref": "card_1"}, {"card_ref": "card_1"}]


@pytest.mark.parametrize("name", [*ADK_WITH_CONTENT, "adk-2.13.0-hitl", *LANGGRAPH, *HANDOFF])
def test_order_of_the_spans_in_the_file_does_not_matter(name: str, tmp_path: Path) -> None:
    recording = json.loads((SPANS / f"{name}.json").read_text())
    recording["spans"].reverse()
    (tmp_path / f"{name}.json").write_text(json.dumps(recording))

    assert only_run(tmp_path, f"{name}.json") == only_run(SPANS, f"{name}.json")


def test_graph_without_spans_is_read_from_its_messages() -> None:
    run = only_run(SPANS, "langgraph-1.2.24-none.json")

    assert run.adapter == "langchain-messages"
    assert [status for _, status in executions(run)] == ["ok", "ok", "ok", "error", "ok"]


PUBLIC_EXECUTIONS = {
    "langfuse-google-adk-2025-08-28": [("say_hello", "ok")],
    "langfuse-microsoft-agent-2025-10-14": [("get_weather", "ok")],
    "langfuse-openai-agents-2025-09-30": [("get_weather", "ok")],
    "langfuse-pydantic-ai-tools-2025-12-04": [
        ("get_pun_suggestion", "ok"),
        ("get_dad_joke_suggestion", "ok"),
        ("get_one_liner_suggestion", "ok"),
    ],
    "strands-autogen_live_spans": [("calculate", "unknown")],
    "strands-claude_live_spans": [("Bash", "ok"), ("Agent", "ok")] * 3,
    "strands-openai_agents_genai_live_spans": [
        ("lookup_stock_price", "ok"),
        ("ask_research_specialist", "ok"),
        ("multiply_numbers", "ok"),
        ("multiply_numbers", "ok"),
        ("ask_math_specialist", "ok"),
    ],
    "strands-openai_agents_openinference_live_spans": [
        ("multiply_numbers", "ok"),
        ("divide_numbers", "ok"),
        ("divide_numbers", "ok"),
        ("ask_math_specialist", "ok"),
    ],
    "strands-openinference_live_spans": [("finish", "ok")],
    "strands-otel_genai_convention_spans": [("get_weather", "ok"), ("get_weather", "error")],
}
"""Counted in the files: one entry per span of kind TOOL or operation execute_tool, in order of their ends."""


@pytest.mark.parametrize("name", PUBLIC_EXECUTIONS)
def test_every_tool_span_of_a_public_export_is_an_execution(name: str) -> None:
    assert executions(only_run(PUBLIC, f"{name}.json")) == PUBLIC_EXECUTIONS[name]


def test_every_recording_has_an_adapter_of_its_own() -> None:
    recordings = [path for path in sorted(DATA.rglob("*.json*")) if path.name != "consent.jsonl"]
    readers = {path.name: read_events(path)[0].adapter for path in recordings}

    assert len(readers) == len(recordings) > 90
    assert set(readers.values()) == {
        "langchain-booking",
        "langchain-messages",
        "openai-messages",
        "otlp",
        "spans",
        "tau2",
        "text-only",
    }


def test_message_index_points_at_the_recorded_call() -> None:
    """The rows of consent.jsonl name each consequential write by its place in the conversation."""
    rows = [json.loads(line) for line in (DATA / "conversations" / "consent.jsonl").read_text().splitlines()]
    runs: dict[str, Run] = {}
    for row in rows:
        run = runs.setdefault(row["file"], only_run(DATA / "conversations", row["file"]))
        places = [
            event.provenance
            for event in run.events
            if event.body.type == "tool_call" and event.body.tool == row["tool"]
        ]
        prefix = f"messages[{row['message_index']}]."
        assert any((place or "").startswith(prefix) for place in places), row
