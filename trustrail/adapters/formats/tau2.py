"""Simulations of tau2-bench: one simulation, a list of them, or a results file.

Calls name their tool directly and carry objects as arguments; results carry an error flag. Calls that the
simulated customer makes on a device of their own are not the agent's and are left out.
"""

from typing import Any, Final

from trustrail.adapters.adapter import Adapter, run_ids
from trustrail.adapters.chat import call_arguments, call_list, message_text, text_or_none
from trustrail.adapters.document import Document
from trustrail.adapters.payload import kind_of, lost_result, read_result
from trustrail.adapters.run import Run, RunWriter
from trustrail.errors import UnknownShapeError
from trustrail.events import AgentMessage, CustomerMessage, ModelCall, ToolCall, ToolResult

NAME: Final = "tau2"
_ROLES: Final = {"user", "assistant", "tool", "system"}


def recognises(document: Document) -> bool:
    """Whether every record of *document* is a simulation."""
    simulations = _simulations(document)
    return bool(simulations) and all(_is_simulation(simulation) for simulation in simulations)


def read(document: Document, test_run_id: str) -> list[Run]:
    """Return one run per simulation.

    Raises:
        UnknownShapeError: if a record is no simulation, or a message has a role this adapter does not know.
    """
    simulations = _simulations(document)
    if not simulations or not all(_is_simulation(simulation) for simulation in simulations):
        raise UnknownShapeError(document.name, "holds no tau2 simulation, expected messages with turn_idx")
    runs = []
    for run_id, simulation in zip(run_ids(test_run_id, len(simulations)), simulations, strict=True):
        writer = RunWriter(
            test_run_id=run_id,
            source=NAME,
            file=document.name,
            conversation_id=text_or_none(simulation.get("id")),
        )
        for index, message in enumerate(simulation["messages"]):
            _read_message(message, f"messages[{index}]", writer)
        runs.append(writer.finish())
    return runs


def _simulations(document: Document) -> list[Any]:
    value = document.value
    if isinstance(value, dict) and isinstance(value.get("simulations"), list):
        return list(value["simulations"])
    return document.records()


def _is_simulation(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    messages = value.get("messages") if isinstance(value, dict) else None
    return (
        isinstance(messages, list)
        and bool(messages)
        and all(isinstance(message, dict) and "role" in message for message in messages)
        and any("turn_idx" in message for message in messages)
    )


def _read_message(message: dict[str, Any], place: str, writer: RunWriter) -> None:
    role = text_or_none(message["role"])
    if role not in _ROLES:
        known = ", ".join(sorted(_ROLES))
        raise UnknownShapeError(writer.file, f"{place} has the role {role!r}, expected one of {known}")
    if role == "tool":
        several = message.get("tool_messages")
        if several and not isinstance(several, list):
            raise UnknownShapeError(writer.file, f"{place}.tool_messages is {kind_of(several)}, expected a list")
        for number, result in enumerate(several or [message]):
            _read_result(result, f"{place}.tool_messages[{number}]" if several else place, writer)
        return
    text = message_text(message.get("content"), place, writer)
    calls = call_list(message, place, writer.file)
    if role == "user":
        _read_customer(text, calls, place, writer)
    elif role == "assistant":
        _read_agent(message, text, calls, place, writer)


def _read_customer(text: str | None, calls: list[Any], place: str, writer: RunWriter) -> None:
    if calls:
        writer.gap(f"{place}: {len(calls)} calls on the customer's own device were left out")
    if text or not calls:
        writer.add(CustomerMessage(text=text), provenance=place)


def _read_agent(message: dict[str, Any], text: str | None, calls: list[Any], place: str, writer: RunWriter) -> None:
    response = writer.next_response()
    raw = message.get("raw_data")
    if isinstance(raw, dict):
        body = ModelCall(
            model=text_or_none(raw.get("model")),
            cost=_number(message.get("cost")),
            latency=_number(message.get("generation_time_seconds")),
        )
        writer.add(body, provenance=place)
    if text or not calls:
        writer.add(AgentMessage(text=text, model_turn=response), provenance=place)
    for number, call in enumerate(calls):
        call_place = f"{place}.tool_calls[{number}]"
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            raise UnknownShapeError(writer.file, f"{call_place} has no name")
        arguments = call_arguments(call.get("arguments"), "arguments")
        made = ToolCall(
            call_id=text_or_none(call.get("id")),
            tool=call["name"],
            arguments=arguments.value,
            model_turn=response,
            missing=arguments.missing,
        )
        writer.add(made, provenance=call_place)


def _read_result(message: Any, place: str, writer: RunWriter) -> None:  # noqa: ANN401 - source value
    if not isinstance(message, dict):
        raise UnknownShapeError(writer.file, f"{place} is no tool message")
    if message.get("requestor") == "user":
        return
    text = message_text(message.get("content"), place, writer)
    is_error = message.get("error") is True
    result = read_result(text)
    lost = lost_result(result, is_recorded=text is not None)
    writer.add(
        ToolResult(
            call_id=text_or_none(message.get("id")),
            tool=None,
            status="error" if is_error else "unknown" if lost else "ok",
            result=result,
            error=text if is_error else None,
            missing=None if is_error else lost,
        ),
        provenance=place,
    )


def _number(value: Any) -> float | None:  # noqa: ANN401 - source value
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


ADAPTER = Adapter(
    name=NAME,
    summary="tau2-bench simulations",
    recognises=recognises,
    read=read,
)
