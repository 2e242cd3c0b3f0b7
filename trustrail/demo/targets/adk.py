"""The journey on Google ADK: a front desk hands the customer over to a specialist, which uses the tools."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from typing import Any, Final

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from typing_extensions import override

from trustrail.adapters.live_adk import AdkRecorder
from trustrail.adapters.recording import SpanRecorder
from trustrail.adapters.spans.messages import Message, read_message
from trustrail.demo.journey import Journey
from trustrail.demo.script import Say, Use, Variant, next_move
from trustrail.demo.system_of_record import SystemOfRecord

FRAMEWORK: Final = "google-adk"
"""Name of the package that is under test."""

_APP: Final = "trustrail-demo"


class _FrontDesk(BaseLlm):
    """A fake model that hands every customer over."""

    specialist: str

    @override
    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer with a handoff."""
        yield _response(Use(call_id="handoff-1", tool="transfer_to_agent", arguments={"agent_name": self.specialist}))


class _Specialist(BaseLlm):
    """A fake model that follows the script."""

    journey: Any
    variant: Variant

    @override
    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer as the script says."""
        read = [read_message(content.model_dump(mode="json", exclude_none=True)) for content in llm_request.contents]
        messages: list[Message] = [message for message in read if message is not None]
        yield _response(next_move(messages, self.journey, self.variant))


class _Tool(BaseTool):
    """A tool of the domain pack, answered by the system of record."""

    def __init__(self, name: str, arguments: list[str], record: SystemOfRecord) -> None:
        super().__init__(name=name, description=name.replace("_", " "))
        self._arguments = arguments
        self._record = record

    @override
    def _get_declaration(self) -> types.FunctionDeclaration:
        text = types.Schema(type=types.Type.STRING)
        schema = types.Schema(type=types.Type.OBJECT, properties=dict.fromkeys(self._arguments, text))
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters=schema)

    @override
    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        """Answer the call."""
        return self._record.answer(self.name, args)


def run_journey(journey: Journey, variant: Variant, recorder: SpanRecorder) -> None:
    """Let the scripted customer talk to the agents once, and record it."""
    logging.getLogger("google_adk").setLevel(logging.ERROR)
    asyncio.run(_converse(_agents(journey, variant), journey, recorder))


def _agents(journey: Journey, variant: Variant) -> LlmAgent:
    record = SystemOfRecord(journey)
    name = f"{journey.pack.pack_id}-specialist".replace("-", "_")
    specialist = LlmAgent(
        name=name,
        description=f"Looks up each {journey.entity_type} of the customer and can {journey.verb} it.",
        model=_Specialist(model="scripted-specialist", journey=journey, variant=variant),
        tools=[_Tool(tool, arguments, record) for tool, arguments in record.tools().items()],
    )
    return LlmAgent(
        name="front_desk",
        model=_FrontDesk(model="scripted-front-desk", specialist=name),
        sub_agents=[specialist],
    )


async def _converse(agent: LlmAgent, journey: Journey, recorder: SpanRecorder) -> None:
    runner = InMemoryRunner(agent=agent, app_name=_APP, plugins=[AdkRecorder(recorder)])
    customer = journey.fixture.customer.ref
    session = await runner.session_service.create_session(
        app_name=_APP, user_id=customer, session_id=recorder.conversation_id
    )
    for text in journey.testcase.customer_says:
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in runner.run_async(user_id=customer, session_id=session.id, new_message=message):
            pass
    await runner.close()


def _response(move: Say | Use) -> LlmResponse:
    if isinstance(move, Say):
        part = types.Part(text=move.text)
    else:
        call = types.FunctionCall(id=move.call_id, name=move.tool, args=move.arguments)
        part = types.Part(function_call=call)
    usage = types.GenerateContentResponseUsageMetadata(total_token_count=0)
    return LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=usage)
