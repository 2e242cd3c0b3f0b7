"""The journey on LangGraph: one graph of a model node and a tool node, with a checkpointed thread."""

from collections.abc import Sequence
from typing import Any, Final

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langsmith import tracing_context
from pydantic import create_model
from typing_extensions import override

from trustrail.adapters.live_langgraph import LangGraphRecorder, plain_message
from trustrail.adapters.recording import SpanRecorder
from trustrail.adapters.spans.messages import read_message
from trustrail.demo.journey import Journey
from trustrail.demo.script import Say, Variant, next_move
from trustrail.demo.system_of_record import SystemOfRecord

FRAMEWORK: Final = "langgraph"
"""Name of the package that is under test."""


class _ScriptedModel(BaseChatModel):
    """A fake model that follows the script."""

    journey: Any
    variant: Variant

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @override
    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        return {"ls_provider": "trustrail", "ls_model_name": "scripted-specialist", "ls_model_type": "chat"}

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        read = [read_message(plain_message(message)) for message in messages]
        move = next_move([message for message in read if message is not None], self.journey, self.variant)
        if isinstance(move, Say):
            answer = AIMessage(content=move.text)
        else:
            call = {"name": move.tool, "args": move.arguments, "id": move.call_id, "type": "tool_call"}
            answer = AIMessage(content="", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=answer)])


def run_journey(journey: Journey, variant: Variant, recorder: SpanRecorder) -> None:
    """Let the scripted customer talk to the agent once, and record it."""
    record = SystemOfRecord(journey)
    graph = _graph(
        _ScriptedModel(journey=journey, variant=variant),
        [_tool(name, arguments, record) for name, arguments in record.tools().items()],
    )
    config: RunnableConfig = {
        "configurable": {"thread_id": recorder.conversation_id},
        "callbacks": [LangGraphRecorder(recorder)],
    }
    with tracing_context(enabled=False):  # whatever the environment asks for, nothing leaves the machine
        for text in journey.testcase.customer_says:
            graph.invoke({"messages": [{"role": "user", "content": text}]}, config)


def _graph(model: BaseChatModel, tools: Sequence[StructuredTool]) -> Any:  # noqa: ANN401 - a compiled graph
    def answer(state: MessagesState) -> dict[str, list[BaseMessage]]:
        return {"messages": [model.invoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("specialist", answer)
    builder.add_node("tools", ToolNode(tools))
    builder.add_edge(START, "specialist")
    builder.add_conditional_edges("specialist", tools_condition)
    builder.add_edge("tools", "specialist")
    return builder.compile(checkpointer=InMemorySaver())


def _tool(name: str, arguments: list[str], record: SystemOfRecord) -> StructuredTool:
    def answer(**given: str) -> dict[str, Any]:
        return record.answer(name, given)

    fields: dict[str, Any] = dict.fromkeys(arguments, (str, ...))
    return StructuredTool.from_function(
        answer, name=name, description=name.replace("_", " "), args_schema=create_model(name, **fields)
    )
