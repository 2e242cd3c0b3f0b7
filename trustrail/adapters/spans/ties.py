"""Order facts whose spans began at the same instant by what they say of one another.

A coarse clock, or an exporter that stamps a batch, gives many spans one time; the place in the recording then tells
when they ended, or nothing. What was asked for stands behind the model that asked, and a model that was given
another's answer behind that one. Facts with times of their own stay where they are.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from trustrail.adapters.spans.executions import is_execution_of
from trustrail.adapters.spans.facts import ModelFact, ToolFact
from trustrail.adapters.spans.messages import Message, Request

_MOST_OPEN: Final = 64
"""Requests of earlier models that are remembered; ours, above any parallel batch."""

Facts = list[ModelFact | ToolFact]


def in_causal_order(facts: Facts) -> Facts:
    """Return *facts* of one scope, in order of time, with ties resolved."""
    ordered: Facts = []
    asked: list[Request] = []
    for _, group in groupby(facts, key=lambda fact: fact.span.start):
        tied = list(group)
        ordered += _resolved(tied, asked) if len(tied) > 1 else tied
        for fact in tied:
            if isinstance(fact, ModelFact):
                asked += _requests(fact)
            else:
                _claim(fact, asked)
        del asked[:-_MOST_OPEN]
    return ordered


def _resolved(tied: Facts, asked: Sequence[Request]) -> Facts:
    recorded = [fact for fact in tied if isinstance(fact, ModelFact)]
    models = sorted(recorded, key=lambda model: sum(_was_given(model, other) for other in recorded))
    own = [list(_requests(model)) for model in models]
    followers: list[Facts] = [[] for _ in models]
    earlier = list(asked)
    kept: Facts = []
    for fact in tied:
        if isinstance(fact, ModelFact) or _claim(fact, earlier) or (place := _asker(fact, models, own)) is None:
            kept.append(fact)
        else:
            followers[place].append(fact)
    ordered: Facts = []
    following = iter(zip(models, followers, strict=True))
    for fact in kept:
        if isinstance(fact, ModelFact):
            model, executions = next(following)
            ordered += [model, *executions]
        else:
            ordered.append(fact)
    return ordered


def _asker(fact: ToolFact, models: list[ModelFact], own: list[list[Request]]) -> int | None:
    """Return the place of the model that asked for *fact*, or in whose time it ran; None where none is known."""
    place = next((place for place, requests in enumerate(own) if _claim(fact, requests)), None)
    if place is None:  # executed once more for a request that was met
        place = next((at for at, model in enumerate(models) if _claim(fact, _requests(model))), None)
    if place is not None or any(model.said is not None for model in models):
        return place
    start, end = fact.span.start, fact.span.end
    if end is None or end <= start:
        return None
    return next((at for at, model in enumerate(models) if (model.span.end or start) >= end), None)


def _claim(fact: ToolFact, requests: list[Request]) -> bool:
    """Take the request that *fact* executes out of *requests*; one with its id before one that only looks alike."""
    fitting = [request for request in requests if is_execution_of(fact, request)]
    if not fitting:
        return False
    with_id = (request for request in fitting if fact.call_id is not None and request.call_id == fact.call_id)
    requests.remove(next(with_id, fitting[0]))
    return True


def _requests(model: ModelFact) -> list[Request]:
    return [request for message in model.said or () for request in message.requests]


def _was_given(model: ModelFact, other: ModelFact) -> bool:
    """Whether *model* was given what *other* answered."""
    given = model.given or ()
    return any(_tells(earlier, said) for said in other.said or () for earlier in given if earlier.role == "assistant")


def _tells(earlier: Message, said: Message) -> bool:
    if said.requests:
        return any(request in earlier.requests for request in said.requests)
    return bool(said.text) and earlier.text == said.text
