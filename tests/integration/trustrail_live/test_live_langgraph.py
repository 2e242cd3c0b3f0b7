"""The recorder on a real LangGraph graph, with scripted models and no network."""

from typing import Annotated, Any

import pytest

pytest.importorskip("langgraph", reason="langgraph is not installed")

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command, RetryPolicy, interrupt

from trustrail.adapters.live_langgraph import LangGraphRecorder
from trustrail.adapters.recording import SpanRecorder
from trustrail.foundation import FixedClock

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


class Scripted(BaseChatModel):
    script: list[Any]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.script.pop(0))])


def use(*calls: tuple[str, str, dict[str, Any]]) -> AIMessage:
    made = [{"id": key, "name": name, "args": args, "type": "tool_call"} for key, name, args in calls]
    return AIMessage(content="", tool_calls=made)


def graph(model: Scripted, tools: list[Any], **node: Any) -> Any:
    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_node("tools", ToolNode(tools, handle_tool_errors=False), **node)
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    builder.add_edge("tools", "agent")
    return builder.compile(checkpointer=InMemorySaver())


@pytest.fixture
def recorder() -> SpanRecorder:
    return SpanRecorder(conversation_id="thread-1", clock=FixedClock(1_800_000_000.0))


@pytest.fixture
def config(recorder: SpanRecorder) -> dict[str, Any]:
    return {"configurable": {"thread_id": "thread-1"}, "callbacks": [LangGraphRecorder(recorder)]}


def executions(recorder: SpanRecorder) -> list[tuple[Any, ...]]:
    events = recorder.run("run").events
    return [(e.body.call_id, e.body.tool, e.body.status, e.body.error) for e in events if e.body.type == "tool_result"]


def words(recorder: SpanRecorder) -> list[tuple[str, str | None]]:
    events = recorder.run("run").events
    spoken = [event.body for event in events if event.body.type in ("customer_message", "agent_message")]
    return [(body.type.partition("_")[0], body.text) for body in spoken]


def test_parallel_calls_stand_before_their_results(recorder: SpanRecorder, config: dict[str, Any]) -> None:
    @tool
    def look(customer: str) -> dict[str, str]:
        """Look up."""
        return {"owner": customer}

    model = Scripted(
        script=[use(("c1", "look", {"customer": "A"}), ("c2", "look", {"customer": "B"})), AIMessage("Two.")]
    )
    graph(model, [look]).invoke({"messages": [("user", "look")]}, config)

    shown = [
        (event.body.type, event.body.call_id)
        for event in recorder.run("run").events
        if event.body.type in ("tool_call", "tool_result")
    ]
    assert shown == [("tool_call", "c1"), ("tool_call", "c2"), ("tool_result", "c1"), ("tool_result", "c2")]
    assert words(recorder) == [("customer", "look"), ("agent", "Two.")]


def test_retry_policy_shows_both_executions(recorder: SpanRecorder, config: dict[str, Any]) -> None:
    """The graph's messages show one call and one result; the side effect ran twice."""
    effects: list[str] = []

    @tool
    def block(card: str) -> str:
        """Block."""
        effects.append(card)
        if len(effects) == 1:
            raise TimeoutError("core timeout")
        return "blocked"

    model = Scripted(script=[use(("c1", "block", {"card": "1"})), AIMessage("Blocked.")])
    policy = RetryPolicy(retry_on=TimeoutError, initial_interval=0.001, jitter=False)
    state = graph(model, [block], retry_policy=policy).invoke({"messages": [("user", "block")]}, config)

    assert effects == ["1", "1"]
    assert [message.type for message in state["messages"]] == ["human", "ai", "tool", "ai"]
    assert executions(recorder) == [("c1", "block", "error", "TimeoutError: core timeout"), ("c1", "block", "ok", None)]


def test_interrupt_and_resumption_are_a_pause_a_question_and_an_answer(
    recorder: SpanRecorder, config: dict[str, Any]
) -> None:
    @tool
    def block(card: str) -> str:
        """Block after asking."""
        return "blocked" if interrupt({"ask": f"block {card}?"}) == "yes" else "kept"

    model = Scripted(script=[use(("c1", "block", {"card": "1"})), AIMessage("Blocked.")])
    compiled = graph(model, [block])
    compiled.invoke({"messages": [("user", "block it")]}, config)
    compiled.invoke(Command(resume="yes"), config)

    assert executions(recorder) == [("c1", "block", "interrupted", None), ("c1", "block", "ok", None)]
    assert words(recorder) == [
        ("customer", "block it"),
        ("agent", "block 1?"),
        ("customer", "yes"),
        ("agent", "Blocked."),
    ]


def test_tool_that_returns_a_command_shows_the_message_it_brings(
    recorder: SpanRecorder, config: dict[str, Any]
) -> None:
    @tool
    def hand_over(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Hand over."""
        done = ToolMessage("handed over", tool_call_id=tool_call_id)
        return Command(goto="agent", update={"messages": [done]})

    model = Scripted(script=[use(("c1", "hand_over", {})), AIMessage("Here.")])
    graph(model, [hand_over]).invoke({"messages": [("user", "hi")]}, config)

    results = [e.body for e in recorder.run("run").events if e.body.type == "tool_result"]
    assert [(body.call_id, body.status, body.result) for body in results] == [("c1", "ok", "handed over")]


def test_model_that_fails_is_asked_and_says_nothing(recorder: SpanRecorder, config: dict[str, Any]) -> None:
    compiled = graph(Scripted(script=[]), [])

    with pytest.raises(IndexError):
        compiled.invoke({"messages": [("user", "hi")]}, config)

    assert words(recorder) == [("customer", "hi"), ("agent", None)]
    assert recorder.run("run").events[-1].body.missing == "the model call failed with IndexError"


def test_subgraphs_are_agents_and_a_command_between_them_a_handoff(
    recorder: SpanRecorder, config: dict[str, Any]
) -> None:
    def specialist(reply: str) -> Any:
        builder = StateGraph(MessagesState)
        model = Scripted(script=[AIMessage(reply)])
        builder.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
        builder.add_edge(START, "agent")
        return builder.compile()

    builder = StateGraph(MessagesState)
    builder.add_node("triage", specialist("One moment."))
    builder.add_node("cards", specialist("Here I am."))
    builder.add_edge(START, "triage")
    builder.add_edge("triage", "cards")
    builder.compile(checkpointer=InMemorySaver()).invoke({"messages": [("user", "hi")]}, config)

    lineages = [event.body.lineage for event in recorder.run("run").events if event.body.type == "agent_handoff"]
    assert lineages == [("triage", "cards")]
