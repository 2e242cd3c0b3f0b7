"""The actor type without threads is a Pykka actor like any other."""

from typing import Any

import pykka
import pytest

from mast.runtime.actors import actor_type, start
from mast.runtime.virtual import VirtualActor, VirtualEngine


class Greeter:
    """A kind of actor: answers what it is told and remembers it."""

    def __init__(self, greeting: str) -> None:
        super().__init__()
        self.greeting = greeting
        self.heard: list[Any] = []

    def on_receive(self, message: Any) -> Any:
        if message == "fail":
            raise ValueError("no greeting for that")
        self.heard.append(message)
        return [f"{self.greeting}, {message}"]


@pytest.fixture
def greeter():
    ref = start(Greeter, VirtualActor, "hello")
    yield ref
    ref.stop()


def test_it_is_a_pykka_actor_with_a_pykka_ref(greeter: Any):
    assert isinstance(greeter, pykka.ActorRef)
    assert issubclass(greeter.actor_class, pykka.Actor)
    assert greeter in pykka.ActorRegistry.get_all()
    assert greeter.actor_class.__name__ == "VirtualGreeter"


def test_it_can_be_asked_and_told(greeter: Any):
    assert greeter.ask("world") == ["hello, world"]
    greeter.tell("again")
    assert greeter.ask("future", block=False).get(timeout=1) == ["hello, future"]


def test_an_error_comes_back_to_who_asked_and_the_actor_lives_on(greeter: Any):
    with pytest.raises(ValueError, match="no greeting for that"):
        greeter.ask("fail")
    assert greeter.ask("world") == ["hello, world"]


def test_a_stopped_actor_is_dead_and_out_of_the_registry():
    ref = start(Greeter, VirtualActor, "hello")
    assert ref.is_alive()
    assert ref.stop()
    assert not ref.is_alive()
    assert ref not in pykka.ActorRegistry.get_all()
    with pytest.raises(pykka.ActorDeadError):
        ref.ask("world")


def test_a_kind_is_mixed_into_an_actor_type_once():
    assert actor_type(Greeter, VirtualActor) is actor_type(Greeter, VirtualActor)
    assert actor_type(Greeter, pykka.ThreadingActor).__name__ == "ThreadingGreeter"


def test_an_engine_delivers_a_round_in_order_and_stops_its_actors():
    engine = VirtualEngine()
    refs = [start(Greeter, VirtualActor, word) for word in ("one", "two")]
    for ref in refs:
        engine.enlist(ref)
    seen: list[Any] = []
    engine.deliver(7, [(0, 1, "a"), (1, 0, "b")], lambda actor, effects: seen.append((actor, effects)))
    assert seen == [(1, ["two, (7, 'a')"]), (0, ["one, (7, 'b')"])]
    engine.stop()
    assert not any(ref.is_alive() for ref in refs)
