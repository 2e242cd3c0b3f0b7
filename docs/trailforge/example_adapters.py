# ruff: noqa: INP001 - imported from the working directory, as a host's own module is
"""Adapters of the example goals: count words and judge the count; ask a provider that is silent the first time."""

from typing import Any

from trailforge.work import Adapter, AdapterKind, Request


def _count(request: Request) -> dict[str, Any]:
    return {"words": len(request.input["text"].split())}


def _judge_count(request: Request) -> dict[str, Any]:
    words = request.outputs["count"]["words"]
    return {"verdict": "PASS" if words == request.input["expected"] else "FAIL", "words": words}


def _ask(request: Request) -> dict[str, Any]:
    if request.attempt == 1:
        raise TimeoutError("no answer in 30 s")
    return {"answer": "yes"}


def _judge_answer(request: Request) -> dict[str, Any]:
    return {"verdict": "PASS" if request.outputs["ask"]["answer"] == "yes" else "FAIL"}


ADAPTERS = (
    Adapter(name="count-words", version="1", kind=AdapterKind.RESEARCH, call=_count),
    Adapter(name="judge-count", version="1", kind=AdapterKind.VERIFY, call=_judge_count),
    Adapter(name="ask-provider", version="1", kind=AdapterKind.RESEARCH, call=_ask),
    Adapter(name="judge-answer", version="1", kind=AdapterKind.VERIFY, call=_judge_answer),
)
"""The adapters `example_goal.yaml` and `example_held_goal.yaml` name."""
