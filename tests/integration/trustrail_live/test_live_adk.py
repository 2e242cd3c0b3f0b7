"""The recorder on a real Google ADK runner, with scripted models and no network."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import pytest

pytest.importorskip("google.adk", reason="google-adk is not installed")

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool
from google.adk.tools.agent_tool import AgentTool
from google.genai import types

from trustrail.adapters import Run, read_events
from trustrail.adapters.live_adk import AdkRecorder
from trustrail.adapters.recording import SpanRecorder
from trustrail.foundation import FixedClock

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


class Scripted(BaseLlm):
    """Answers with the next part of its script, in pieces when it is streamed."""

    script: list[Any]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        parts = self.script.pop(0)
        if stream and parts[0].text:
            for word in parts[0].text.split():
                yield response([types.Part(text=f"{word} ")], partial=True)
        yield response(parts)


def response(parts: list[types.Part], *, partial: bool = False) -> LlmResponse:
    usage = types.GenerateContentResponseUsageMetadata(total_token_count=0)
    content = types.Content(role="model", parts=parts)
    return LlmResponse(content=content, partial=partial, usage_metadata=usage)


def say(text: str) -> list[types.Part]:
    return [types.Part(text=text)]


def use(*calls: tuple[str, str, dict[str, Any]]) -> list[types.Part]:
    return [types.Part(function_call=types.FunctionCall(id=key, name=name, args=args)) for key, name, args in calls]


def find_cards(customer_id: str) -> dict[str, Any]:
    """Look up cards."""
    return {"cards": [{"card_id": "1", "owner": customer_id}]}


def block_card(card_id: str) -> dict[str, Any]:
    """Block a card."""
    if card_id == "9":
        raise ValueError("no such card")
    return {"status": "BLOCKED"}


def converse(agent: LlmAgent, *messages: types.Content, streaming: bool = False) -> tuple[Run, SpanRecorder]:
    """Let the customer say *messages* to *agent*, and return what was recorded."""
    recorder = SpanRecorder(conversation_id="session-1", clock=FixedClock(1_800_000_000.0))

    async def talk() -> None:
        runner = InMemoryRunner(agent=agent, app_name="app", plugins=[AdkRecorder(recorder)])
        session = await runner.session_service.create_session(app_name="app", user_id="u", session_id="s")
        config = RunConfig(streaming_mode=StreamingMode.SSE) if streaming else RunConfig()
        for message in messages:
            with contextlib.suppress(ValueError):  # what a tool raises ends the run
                async for _ in runner.run_async(
                    user_id="u", session_id=session.id, new_message=message, run_config=config
                ):
                    pass
        await runner.close()

    asyncio.run(talk())
    return recorder.run("run"), recorder


def customer(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def outline(run: Run) -> list[tuple[Any, ...]]:
    lines: list[tuple[Any, ...]] = []
    for event in run.events:
        body = event.body
        if body.type in ("customer_message", "agent_message"):
            lines.append((body.type, body.text))
        elif body.type == "tool_call":
            lines.append((body.type, body.call_id, body.tool, body.arguments))
        elif body.type == "tool_result":
            lines.append((body.type, body.call_id, body.status, body.result))
        elif body.type == "agent_handoff":
            lines.append((body.type, body.lineage))
    return lines


CARDS = {"cards": [{"card_id": "1", "owner": "C1"}]}


def test_handoff_and_parallel_calls_are_recorded_in_order() -> None:
    cards = LlmAgent(
        name="cards",
        description="cards",
        model=Scripted(
            model="m2",
            script=[
                use(("c1", "find_cards", {"customer_id": "C1"}), ("c2", "block_card", {"card_id": "1"})),
                say("Done."),
            ],
        ),
        tools=[find_cards, block_card],
    )
    triage = LlmAgent(
        name="triage",
        model=Scripted(model="m1", script=[use(("h1", "transfer_to_agent", {"agent_name": "cards"}))]),
        sub_agents=[cards],
    )

    run, _ = converse(triage, customer("I lost my card"))

    assert outline(run) == [
        ("customer_message", "I lost my card"),
        ("tool_call", "h1", "transfer_to_agent", {"agent_name": "cards"}),
        ("tool_result", "h1", "ok", {"result": None}),
        ("agent_handoff", ("triage", "cards")),
        ("tool_call", "c1", "find_cards", {"customer_id": "C1"}),
        ("tool_call", "c2", "block_card", {"card_id": "1"}),
        ("tool_result", "c1", "ok", CARDS),
        ("tool_result", "c2", "ok", {"status": "BLOCKED"}),
        ("agent_message", "Done."),
    ]


def test_raised_error_is_an_error_of_its_call() -> None:
    agent = LlmAgent(
        name="cards",
        model=Scripted(model="m", script=[use(("c1", "block_card", {"card_id": "9"}))]),
        tools=[block_card],
    )

    run, _ = converse(agent, customer("block 9"))

    result = run.events[-1].body
    assert (result.type, result.call_id, result.status, result.error) == (
        "tool_result",
        "c1",
        "error",
        "ValueError: no such card",
    )


def test_streamed_reply_keeps_its_pieces_before_the_whole() -> None:
    agent = LlmAgent(name="cards", model=Scripted(model="m", script=[say("risk is high")]))

    run, _ = converse(agent, customer("check"), streaming=True)

    replies = [(event.body.text, event.body.partial) for event in run.events if event.body.type == "agent_message"]
    assert replies == [("risk ", True), ("is ", True), ("high ", True), ("risk is high", False)]


def test_agent_used_as_a_tool_is_inside_its_call() -> None:
    helper = LlmAgent(name="helper", description="h", model=Scripted(model="m", script=[say("risk is high")]))
    agent = LlmAgent(
        name="cards",
        model=Scripted(model="m", script=[use(("c1", "helper", {"request": "x"})), say("All done.")]),
        tools=[AgentTool(helper)],
    )

    run, _ = converse(agent, customer("check"))

    assert outline(run) == [
        ("customer_message", "check"),
        ("tool_call", "c1", "helper", {"request": "x"}),
        ("tool_result", "c1", "ok", {"result": "risk is high"}),
        ("agent_message", "All done."),
    ]
    inner = [event for event in run.events if event.body.type == "agent_invocation" and event.body.name == "helper"]
    assert [event.parent_agent_id for event in inner] == ["cards"]


def test_approval_is_a_confirmation_and_the_pending_call_no_execution() -> None:
    agent = LlmAgent(
        name="cards",
        model=Scripted(model="m", script=[use(("c1", "block_card", {"card_id": "1"})), say("Blocked.")]),
        tools=[FunctionTool(block_card, require_confirmation=True)],
    )
    recorder = SpanRecorder(conversation_id="s", clock=FixedClock(1.0))

    async def talk() -> None:
        runner = InMemoryRunner(agent=agent, app_name="app", plugins=[AdkRecorder(recorder)])
        await runner.session_service.create_session(app_name="app", user_id="u", session_id="s")
        asked: list[str | None] = []
        async for event in runner.run_async(user_id="u", session_id="s", new_message=customer("block it")):
            asked += [call.id for call in event.get_function_calls() if call.name == "adk_request_confirmation"]
        answer = types.FunctionResponse(id=asked[0], name="adk_request_confirmation", response={"confirmed": True})
        message = types.Content(role="user", parts=[types.Part(function_response=answer)])
        async for _ in runner.run_async(user_id="u", session_id="s", new_message=message):
            pass
        await runner.close()

    asyncio.run(talk())
    run = recorder.run("run")

    kinds = [(event.body.type, getattr(event.body, "status", None)) for event in run.events]
    shown = [kind for kind in kinds if kind[0] not in ("model_call", "agent_invocation")]
    assert shown == [
        ("customer_message", None),
        ("tool_call", None),
        ("tool_result", "interrupted"),
        ("customer_message", None),
        ("confirmation_event", None),
        ("tool_call", None),
        ("tool_result", "ok"),
        ("agent_message", None),
    ]
    (confirmed,) = [event.body for event in run.events if event.body.type == "confirmation_event"]
    assert (confirmed.confirmed, confirmed.call_id, confirmed.covers) == (
        True,
        "c1",
        ({"tool": "block_card", "arguments": {"card_id": "1"}},),
    )


def test_recording_on_disk_is_read_like_any_other(tmp_path: Any) -> None:
    agent = LlmAgent(name="cards", model=Scripted(model="m", script=[say("Hello.")]))
    run, recorder = converse(agent, customer("hi"))
    recorder.write(tmp_path / "run.json")

    (again,) = read_events(tmp_path / "run.json", test_run_id="run")

    assert again == run
