"""Record a running Google ADK agent: a plugin for its runner (extra ``adk``).

Every model call and tool execution is recorded with full content, whatever telemetry settings are in force; a
failed or paused execution as well. The recorder only looks: it changes no request and no result.
"""

from contextvars import ContextVar
from typing import Any

from typing_extensions import override

from trustrail.adapters.recording import OpenSpan, SpanRecorder, json_text
from trustrail.adapters.spans.session_events import APPROVAL_TOOL
from trustrail.errors import MissingExtraError

try:
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.events.event import Event
    from google.adk.models.llm_request import LlmRequest
    from google.adk.models.llm_response import LlmResponse
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext
    from google.genai.types import Content
except ImportError as error:
    raise MissingExtraError("recording an ADK agent needs google-adk; install mast-simulator[adk]") from error

_enclosing_tool: ContextVar[OpenSpan | None] = ContextVar("enclosing_tool", default=None)
"""The tool execution a nested run belongs to; each parallel execution runs in a context of its own."""


class AdkRecorder(BasePlugin):
    """Writes what an ADK runner does into a `SpanRecorder`; pass it as a plugin of the runner."""

    def __init__(self, recorder: SpanRecorder) -> None:
        super().__init__(name="trustrail_recorder")
        self.recorder = recorder
        self._models: dict[str, tuple[OpenSpan, list[Any]]] = {}
        self._tools: dict[str, OpenSpan] = {}

    @override
    async def on_user_message_callback(self, *, invocation_context: InvocationContext, user_message: Content) -> None:
        """Begin a turn with the customer's message, unless a tool began this run."""
        if _enclosing_tool.get() is not None:
            return
        content = _plain(user_message)
        answers = [part for part in content.get("parts", []) if "function_response" in part]
        if answers:
            self._note(invocation_context, "user", content)
        said = [] if answers else [content]
        agent = getattr(invocation_context.agent, "name", "agent")
        self.recorder.begin_turn(agent, said)

    @override
    async def on_event_callback(self, *, invocation_context: InvocationContext, event: Event) -> None:
        """Keep requests to approve a call, which are no model call and no tool execution."""
        calls = event.get_function_calls()
        if any(call.name == APPROVAL_TOOL for call in calls) and event.content is not None:
            self._note(invocation_context, event.author, _plain(event.content))

    @override
    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Begin a model call."""
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": llm_request.model,
            "gen_ai.agent.name": callback_context.agent_name,
            "gen_ai.input.messages": json_text([_plain(content) for content in llm_request.contents]),
        }
        span = self.recorder.begin(f"chat {llm_request.model}", attributes, _enclosing_tool.get())
        self._models[_model_key(callback_context)] = (span, [])

    @override
    async def after_model_callback(self, *, callback_context: CallbackContext, llm_response: LlmResponse) -> None:
        """End a model call, or keep one piece of a streamed answer."""
        key = _model_key(callback_context)
        span, pieces = self._models.get(key, (None, []))
        if span is None:
            return
        if llm_response.content is not None:
            pieces.append(_plain(llm_response.content))
        self.recorder.end(span, {"gen_ai.output.messages": json_text(pieces)})
        if not llm_response.partial:
            del self._models[key]

    @override
    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> None:
        """End a model call that failed."""
        span, _ = self._models.pop(_model_key(callback_context), (None, []))
        if span is not None:
            self.recorder.end(span, error=error)

    @override
    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        """Begin a tool execution."""
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool.name,
            "gen_ai.tool.call.id": tool_context.function_call_id,
            "gen_ai.tool.call.arguments": json_text(tool_args),
            "gen_ai.agent.name": tool_context.agent_name,
        }
        span = self.recorder.begin(f"execute_tool {tool.name}", attributes, _enclosing_tool.get())
        self._tools[_tool_key(tool_context)] = span
        _enclosing_tool.set(span)

    @override
    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> None:
        """End a tool execution; ADK itself tells the model of a plain result as ``{"result": …}``."""
        told = result if isinstance(result, dict) else {"result": result}
        self._end_tool(tool_context, {"gen_ai.tool.call.result": json_text(told)}, None)

    @override
    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> None:
        """End a tool execution that raised."""
        self._end_tool(tool_context, {}, error)

    def _end_tool(self, context: ToolContext, attributes: dict[str, Any], error: Exception | None) -> None:
        span = self._tools.pop(_tool_key(context), None)
        if span is not None:
            self.recorder.end(span, attributes, error)
        _enclosing_tool.set(None)

    def _note(self, context: InvocationContext, author: str, content: dict[str, Any]) -> None:
        number = len(self.recorder.document().get("adk_events", []))
        event = {
            "id": f"session-{number + 1}",
            "author": author,
            "invocation_id": context.invocation_id,
            "content": content,
        }
        self.recorder.note_session_event(event)


def _plain(content: Content) -> dict[str, Any]:
    return content.model_dump(mode="json", exclude_none=True)


def _model_key(context: CallbackContext) -> str:
    return f"{context.invocation_id}/{context.agent_name}"


def _tool_key(context: ToolContext) -> str:
    return f"{context.invocation_id}/{context.function_call_id}"
