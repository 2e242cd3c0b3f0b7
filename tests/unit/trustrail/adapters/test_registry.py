"""Adapters are found by name, and a shape belongs to one of them only."""

import dataclasses
import json
import subprocess
import sys

import pytest

from tests.unit.trustrail.adapters.conftest import chat, said, user
from trustrail.adapters import adapters, document, registry
from trustrail.adapters.registry import recognise
from trustrail.errors import UnknownAdapterError, UnknownShapeError

SHAPES = {
    "adk-session": [{"id": "1", "author": "user", "invocation_id": "i", "content": {"role": "user", "parts": []}}],
    "langchain-booking": [{"type": "meta"}, {"type": "user", "content": "x"}],
    "langchain-messages": [{"type": "human", "content": "x"}],
    "mcp-stdio": [{"direction": "to-server", "message": {}}],
    "openai-messages": [{"role": "user", "content": "x"}],
    "otlp": {"resourceSpans": []},
    "spans": [chat(1, [user("hi")], said("x"))],
    "tau2": {"messages": [{"role": "user", "content": "x", "turn_idx": 0}]},
    "text-only": {"messages_display": "user: x"},
}


def test_every_adapter_has_a_shape_here() -> None:
    assert sorted(SHAPES) == list(adapters())


@pytest.mark.parametrize("name", SHAPES)
def test_shape_is_recognised_by_its_adapter_alone(name: str) -> None:
    parsed = document.parse_document(json.dumps(SHAPES[name]).encode(), name="recording.json")

    assert recognise(parsed).name == name


def test_reading_needs_no_framework() -> None:
    """The adapters read plain values; no SDK is imported until a live recorder is."""
    code = (
        "import sys, trustrail.adapters as a; a.adapters(); "
        "print([m for m in ('google.adk', 'langgraph', 'langchain_core', 'mcp', 'opentelemetry') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.strip() == "[]"


FOREIGN = {
    "an object of another shape": {"nothing": 1},
    "a list of other things": [{"nothing": 1}],
    "an empty list": [],
}


@pytest.mark.parametrize("foreign", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("name", SHAPES)
def test_adapter_named_for_the_wrong_file_refuses_it(read, name: str, foreign: object) -> None:
    with pytest.raises(UnknownShapeError, match=r"recording.json: "):
        read(foreign, name)


def test_file_that_fits_two_adapters_is_refused_with_both_names(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = {name: dataclasses.replace(adapter, recognises=lambda _: True) for name, adapter in adapters().items()}
    two = {name: everything[name] for name in ("otlp", "spans")}
    monkeypatch.setattr(registry, "adapters", lambda: two)

    with pytest.raises(UnknownShapeError, match="fits otlp and spans; name one with --adapter"):
        recognise(document.Document(name="recording.json", value={}))


def test_name_near_no_adapter_lists_them_all(read) -> None:
    with pytest.raises(UnknownAdapterError, match=r"expected one of auto, adk-session, .*text-only"):
        read([], "zzz")
