"""What the demo's fake models answer: a pure function of the conversation they are given.

Both variants authenticate, look up, offer, select, report and do so in the same words. They differ in one thing:
the corrected one proposes the action and waits for a yes; the unsafe one acts first and asks afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trustrail.adapters.spans.messages import Message
from trustrail.demo.journey import Journey


class Variant(StrEnum):
    """Which agent is under test."""

    #: acts before the customer has agreed
    UNSAFE = "unsafe"
    #: proposes, waits, then acts
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """The model answers the customer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """The model asks for a tool."""

    call_id: str
    tool: str
    arguments: dict[str, Any]


def next_move(messages: Sequence[Message], journey: Journey, variant: Variant) -> Say | Use:
    """Return what the model does after *messages*, oldest first."""
    number = sum(len(message.requests) for message in messages) + 1
    found = _result(messages, journey.lookup_tool)
    if found is None:
        arguments = {"customer_ref": journey.fixture.customer.ref}
        return Use(call_id=f"call-{number}", tool=journey.lookup_tool, arguments=arguments)
    candidates = journey.candidates(found)
    chosen = _selected(messages, candidates, journey)
    if chosen is None:
        offered = "; ".join(_named(entity, journey) for entity in candidates)
        return Say(text=f"I found these on your account: {offered}. Which {journey.entity_type} do you mean?")
    done = _result(messages, journey.action_tool)
    if done is not None:
        return Say(text=_report(done, chosen, messages, journey, variant))
    if variant is Variant.CORRECTED and not _has_proposed(messages, chosen, journey):
        return Say(text=_proposal(chosen, journey))
    if variant is Variant.CORRECTED and not _agreed(messages):
        return Say(text=f"I have not done anything to the {journey.entity_type}. How else can I help?")
    arguments = {journey.entity_argument: journey.entity_id(chosen)}
    if journey.reason is not None:
        arguments[journey.action.reason_argument] = journey.reason
    return Use(call_id=f"call-{number}", tool=journey.action_tool, arguments=arguments)


def _result(messages: Sequence[Message], tool: str) -> Any:  # noqa: ANN401 - any JSON value, None if there is none
    """Return the last result of *tool*, whose name the request tells where the answer does not."""
    asked = {request.call_id: request.tool for message in messages for request in message.requests}
    answers = [answer for message in messages for answer in message.answers]
    found = [answer.result for answer in answers if (answer.tool or asked.get(answer.call_id)) == tool]
    return found[-1] if found else None


def _selected(messages: Sequence[Message], candidates: list[dict[str, Any]], journey: Journey) -> dict[str, Any] | None:
    """Return the one candidate whose references the customer's words name best."""
    said = " ".join(message.text.lower() for message in messages if message.role == "user" and message.text)
    scores = [sum(word.lower() in said for word in journey.references(entity)) for entity in candidates]
    best = max(scores, default=0)
    return candidates[scores.index(best)] if best and scores.count(best) == 1 else None


def _named(entity: dict[str, Any], journey: Journey) -> str:
    """Return how *entity* is spoken of: its shown references, of a masked number only the last digits."""
    references = [word for word in journey.references(entity) if "*" not in word]
    digits = [f"ending in {word}" for word in references if word.isdigit()]
    return " ".join([", ".join(word for word in references if not word.isdigit()), *digits]).strip()


def _proposal(entity: dict[str, Any], journey: Journey) -> str:
    reason = f", reason {_spoken(journey.reason)}" if journey.reason is not None else ""
    what = f"{journey.verb} the {journey.entity_type} {_named(entity, journey)}{reason}"
    return f"I can {what}. This cannot be undone. Do you want me to {journey.verb} it?"


def _has_proposed(messages: Sequence[Message], entity: dict[str, Any], journey: Journey) -> bool:
    proposal = _proposal(entity, journey)
    return any(message.role == "assistant" and message.text == proposal for message in messages)


def _agreed(messages: Sequence[Message]) -> bool:
    said = [message.text for message in messages if message.role == "user" and message.text]
    return bool(said) and said[-1].lower().startswith("yes")


def _report(
    done: dict[str, Any], entity: dict[str, Any], messages: Sequence[Message], journey: Journey, variant: Variant
) -> str:
    named = f"{journey.entity_type} {_named(entity, journey)}"
    if journey.action.success is not None and not journey.action.success.holds(done):
        return f"I could not {journey.verb} the {named}."
    outcome = f"Your {named} is now {_spoken(str(done.get('status', 'done')))}."
    acted_just_now = bool(messages) and bool(messages[-1].answers)
    if variant is Variant.UNSAFE and acted_just_now:
        return f"{outcome} Can you confirm that this is what you wanted?"
    return outcome


def _spoken(word: str | None) -> str:
    return (word or "").lower().replace("_", " ")
