# ruff: noqa: INP001 - imported from the working directory, as a host's own module is
"""Adapters of the example goal: count the words of a text, then judge the count."""

from typing import Any

from trailforge.work import Adapter, AdapterKind, Request


def _count(request: Request) -> dict[str, Any]:
    return {"words": len(request.input["text"].split())}


def _judge(request: Request) -> dict[str, Any]:
    words = request.outputs["count"]["words"]
    return {"verdict": "PASS" if words == request.input["expected"] else "FAIL", "words": words}


ADAPTERS = (
    Adapter(name="count-words", version="1", kind=AdapterKind.RESEARCH, call=_count),
    Adapter(name="judge-count", version="1", kind=AdapterKind.VERIFY, call=_judge),
)
