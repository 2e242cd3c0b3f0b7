"""Streamed answers of which a span kept only the beginning.

An exporter may write a span before its stream ends. The next model call of the conversation is given the whole
answer; where the recorded one is its beginning, that was a piece.
"""

import itertools
from dataclasses import replace

from trustrail.adapters.spans.facts import ModelFact
from trustrail.adapters.spans.reading import Trace


def whole_answers(traces: list[Trace]) -> list[ModelFact]:
    """Return the model calls whose whole answer only a later history tells, with it in place."""
    models = [fact for trace in traces for fact in trace.top if isinstance(fact, ModelFact)]
    whole = [_whole(fact, later) for fact, later in itertools.pairwise(models)]
    return [fact for fact in whole if fact is not None]


def _whole(fact: ModelFact, later: ModelFact) -> ModelFact | None:
    said = fact.said or ()
    if len(said) != 1 or said[0].requests or not said[0].text:
        return None
    piece = said[0].text
    told = [message.text for message in later.given or () if message.role == "assistant" and message.text]
    whole = next((text for text in told if text.startswith(piece) and text != piece), None)
    if whole is None or piece in told:
        return None
    return replace(fact, said=(replace(said[0], text=whole),), partials=(piece,))
