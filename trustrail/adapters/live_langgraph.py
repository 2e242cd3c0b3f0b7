"""Record a running LangGraph graph: a callback handler for its configuration (extra ``langgraph``).

Every model call and tool execution is recorded with full content; a retried, failed or interrupted execution as
well, which the graph's own messages do not show. The recorder only looks: it changes nothing in the graph.
"""

from typing import Any
from uuid import UUID

from typing_extensions import override

from trustrail.adapters.recording import OpenSpan, SpanRecorder, json_text
from trustrail.adapters.spans.langgraph import ROOT_GRAPH, agent_of
from trustrail.adapters.spans.outcome import spoken
from trustrail.errors import MissingExtraError

try:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.messages import BaseMessage, ToolMessage
    from langchain_core.outputs import ChatGeneration, LLMResult
    from langgraph.types import Command
except ImportError as error:
    raise MissingExtraError("recording a graph needs langgraph; install mast-simulator[langgraph]") from error


class LangGraphRecorder(BaseCallbackHandler):
    """Writes what a graph does into a `SpanRecorder`; pass it under ``callbacks`` in the graph's config."""

    run_inline = True
    """Keeps the order of what is recorded the order of what happens."""

    def __init__(self, recorder: SpanRecorder) -> None:
        super().__init__()
        self.recorder = recorder
        self._open: dict[UUID, OpenSpan] = {}
        self._parents: dict[UUID, UUID | None] = {}
        self._roots: dict[UUID, OpenSpan] = {}

    @override
    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Begin a turn when the whole graph begins; remember what runs inside what."""
        self._parents[run_id] = parent_run_id
        if parent_run_id is None:
            root = self.recorder.begin_turn(str(kwargs.get("name") or ROOT_GRAPH), _customer_messages(inputs))
            self._roots[run_id] = root

    @override
    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """End a turn when the whole graph ends."""
        root = self._roots.pop(run_id, None)
        if root is not None:
            self.recorder.end(root)

    @override
    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """End a turn when the whole graph fails."""
        root = self._roots.pop(run_id, None)
        if root is not None:
            self.recorder.end(root, error=error)

    @override
    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Begin a model call."""
        self._parents[run_id] = parent_run_id
        given = metadata or {}
        model = given.get("ls_model_name")
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": model,
            "gen_ai.agent.name": _agent(given),
            "gen_ai.input.messages": json_text([plain_message(message) for batch in messages for message in batch]),
        }
        self._begin(run_id, f"chat {model}", attributes)

    @override
    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """End a model call."""
        generations = response.generations[0] if response.generations else []
        said = [plain_message(item.message) for item in generations[:1] if isinstance(item, ChatGeneration)]
        self._end(run_id, {"gen_ai.output.messages": json_text(said)} if said else {})

    @override
    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """End a model call that failed."""
        self._end(run_id, {}, error)

    @override
    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Begin a tool execution."""
        self._parents[run_id] = parent_run_id
        tool = str((serialized or {}).get("name") or kwargs.get("name"))
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.agent.name": _agent(metadata or {}),
            "gen_ai.tool.call.arguments": json_text(inputs if inputs is not None else input_str),
        }
        call_id = kwargs.get("tool_call_id")
        if call_id is not None:
            attributes["gen_ai.tool.call.id"] = str(call_id)
        self._begin(run_id, f"execute_tool {tool}", attributes)

    @override
    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """End a tool execution."""
        self._end(run_id, {"gen_ai.tool.call.result": json_text(_tool_output(output))})

    @override
    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """End a tool execution that raised or was interrupted."""
        self._end(run_id, {}, error)

    def _begin(self, run_id: UUID, name: str, attributes: dict[str, Any]) -> None:
        above = self._parents.get(run_id)
        while above is not None and above not in self._open:
            above = self._parents.get(above)
        parent = self._open[above] if above is not None else None
        self._open[run_id] = self.recorder.begin(name, attributes, parent)

    def _end(self, run_id: UUID, attributes: dict[str, Any], error: BaseException | None = None) -> None:
        span = self._open.pop(run_id, None)
        if span is not None:
            self.recorder.end(span, attributes, error)


def _customer_messages(inputs: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - what the graph was given
    """Return what a person said to begin this run: the last human message, or the answer to an interrupt."""
    if isinstance(inputs, Command):
        return [] if inputs.resume is None else [{"type": "human", "content": spoken(inputs.resume)}]
    messages = inputs.get("messages") if isinstance(inputs, dict) else None
    given = messages if isinstance(messages, list) else [messages]
    said = [_said(message) for message in given]
    return [message for message in said if message is not None][-1:]


def _said(message: Any) -> dict[str, Any] | None:  # noqa: ANN401 - message in any form LangChain takes
    if isinstance(message, BaseMessage):
        return plain_message(message) if message.type == "human" else None
    if isinstance(message, dict) and message.get("role", message.get("type")) in ("user", "human"):
        return {"type": "human", "content": message.get("content")}
    if isinstance(message, (tuple, list)) and len(message) == 2 and message[0] in ("user", "human"):
        return {"type": "human", "content": message[1]}
    return {"type": "human", "content": message} if isinstance(message, str) else None


def plain_message(message: BaseMessage) -> dict[str, Any]:
    """Return what *message* says, without the ids and numbers that differ from run to run."""
    kept = {"type": message.type, "content": message.content, "name": message.name}
    for field in ("tool_calls", "tool_call_id", "status"):
        value = getattr(message, field, None)
        if value:
            kept[field] = value
    return {key: value for key, value in kept.items() if value is not None}


def _tool_output(output: Any) -> Any:  # noqa: ANN401 - what a tool returned
    if isinstance(output, ToolMessage):
        return plain_message(output)
    if isinstance(output, Command):
        update = output.update if isinstance(output.update, dict) else {}
        messages = [plain_message(item) for item in update.get("messages", []) if isinstance(item, BaseMessage)]
        return {"goto": output.goto, "update": {"messages": messages}}
    return output


def _agent(metadata: dict[str, Any]) -> str | None:
    namespace = metadata.get("langgraph_checkpoint_ns")
    return agent_of(namespace) if isinstance(namespace, str) else None
