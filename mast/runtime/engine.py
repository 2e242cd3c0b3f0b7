"""Running a world: start the actors, move time, carry out effects, stop the actors.

A run is a pure function of (world, mechanisms, seed). The engine never asks which case or layer it runs.
"""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

import pykka

from mast.errors import ScenarioError, nearest
from mast.ids import OrganizationName
from mast.organizations.agents import agent_named
from mast.organizations.messages import Consult, Record, Report, Send, WakeAfter, Woken
from mast.organizations.plain import PLAIN
from mast.organizations.signed import SIGNED
from mast.organizations.state import OrganizationState, PlainState, Settings, SignedState
from mast.protocol.mechanisms import Mechanisms
from mast.protocol.notary import Notary
from mast.protocol.view import LocalView
from mast.runtime.actors import ObserverActor, OrganizationActor, WorkloadActor, start
from mast.runtime.network import Wire
from mast.runtime.observer import Observed, Observer
from mast.runtime.threads import ThreadsEngine
from mast.runtime.timeline import Post, Timeline
from mast.runtime.virtual import VirtualEngine
from mast.runtime.workload import Instruct, Workload
from mast.scenario.world import World
from trustrail.foundation import PublicKey, SigningKey, Verifier, VerifyMode


class Engine(Protocol):
    """What a runtime provides: an actor type, and a way to deliver one round of messages."""

    @property
    def actor_base(self) -> type[pykka.Actor]:
        """The Pykka actor type to mix the kinds into."""
        ...

    def enlist(self, ref: pykka.ActorRef[Any]) -> None:
        """Let the next number stand for the actor."""
        ...

    def deliver(self, now: int, batch: list[Post], carry_out: Callable[[int, list[Any]], None]) -> None:
        """Deliver each message and have its effects carried out, as ``carry_out(actor, effects)``, in order."""
        ...

    def stop(self) -> None:
        """Stop every actor."""
        ...


RUNTIMES: Final[Mapping[str, Callable[[], Engine]]] = {"virtual": VirtualEngine, "threads": ThreadsEngine}


OBSERVED_AT_ONCE: Final = 256
"""Steps after which the observer is told what happened; no effect on what it writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """What a run leaves behind.

    Attributes:
        run_id: names the world, the mechanisms and the seed; also the workflow every packet is bound to.
        digest: digest of the event log, 64 hex digits.
        lines: the event log, one canonical JSON line each.
        signatures: packets signed by all organizations.
        verifications: signatures an organization without a memory would have checked.
        computed: signature checks really computed in this process.
        deliveries: messages delivered by the runtime.
        verify: how signatures were checked; ``mac`` proves nothing to a third party.
    """

    run_id: str
    digest: str
    lines: tuple[bytes, ...]
    signatures: int
    verifications: int
    computed: int
    deliveries: int
    verify: VerifyMode


def run_world(
    world: World,
    mechanisms: Mechanisms,
    *,
    run_id: str,
    seed: int = 0,
    runtime: str = "virtual",
    verify: VerifyMode = VerifyMode.CACHED,
    verifier: Verifier | None = None,
) -> RunRecord:
    """Run *world* under *mechanisms* and return its record.

    Args:
        world: what is run.
        mechanisms: the protocol's switches.
        run_id: name of the run; the workflow of its packets.
        seed: of keys, challenges and agents' draws.
        runtime: ``virtual`` or ``threads``; the record is the same.
        verify: how signatures are made and checked.
        verifier: a memory of earlier checks to share, made for the same *verify* mode.

    Raises:
        ScenarioError: if no runtime has that name, or the agents' settings are wrong.
    """
    make = RUNTIMES.get(runtime)
    if make is None:
        raise ScenarioError([f"runtime is {runtime!r}{nearest(str(runtime), RUNTIMES)}"])
    with _collection_paused():
        return _recorded(_Run(world, mechanisms, run_id, seed, make(), verifier or Verifier(verify)))


def _recorded(run: "_Run") -> RunRecord:
    """Go through *run* and return what is left; the rest of it is gone when this returns."""
    try:
        run.go()
    finally:
        run.stop()
    return run.record()


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Keep the cycle collector out of a run: it would find next to nothing and take a tenth of the time.

    What a run leaves to be freed should be gone before the collector is back: it would walk through all of it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Run:
    """One run in progress: the actors by number, the timeline, the wire."""

    def __init__(
        self, world: World, mechanisms: Mechanisms, run_id: str, seed: int, engine: Engine, verifier: Verifier
    ) -> None:
        self.world = world
        self.run_id = run_id
        self.engine = engine
        self.verifier = verifier
        self.computed_before = verifier.computed
        self.timeline = Timeline()
        self.wire = Wire(world.network, world.taps)
        self.observer = Observer(run_id, run_id)
        self.notaries: list[Notary] = []
        self.refs: list[pykka.ActorRef[Any]] = []
        self.observed: list[Observed] = []
        self.numbers: dict[str, int] = {}
        self.names = (*world.organizations, "(workload)", "(observer)")
        states = _states(world, mechanisms, run_id, seed, verifier)
        behaviour = SIGNED if mechanisms.signed else PLAIN
        for name, state in states.items():
            agent = agent_named(world.agents.kind, world.agents.settings, seed)
            if isinstance(state, SignedState):
                self.notaries.append(state.view.notary)
            self._start(name, OrganizationActor, behaviour, state, agent)
        self._start("(workload)", WorkloadActor, Workload(world))
        self._start("(observer)", ObserverActor, self.observer)
        self.workload_number = self.numbers["(workload)"]
        self.observer_number = self.numbers["(observer)"]

    def _start(self, name: str, kind: type, *arguments: object) -> None:
        ref = start(kind, self.engine.actor_base, *arguments)
        self.numbers[name] = len(self.refs)
        self.refs.append(ref)
        self.engine.enlist(ref)

    def go(self) -> None:
        """Deliver round after round until the schedule ends."""
        timeline, deliver, carry_out = self.timeline, self.engine.deliver, self._carry_out
        timeline.put(self.workload_number, self.workload_number, None, self.world.schedule.seed)
        for batch in timeline.rounds(self.world.schedule.end):
            deliver(timeline.now, batch, carry_out)
            if len(self.observed) >= OBSERVED_AT_ONCE:
                self._tell_observer()
        self._tell_observer()

    def stop(self) -> None:
        """Stop every actor that was started."""
        self.engine.stop()

    def record(self) -> RunRecord:
        """Return what is left behind."""
        log = self.observer.log
        return RunRecord(
            run_id=self.run_id,
            digest=log.digest,
            lines=tuple(log.lines),
            signatures=sum(notary.signatures for notary in self.notaries),
            verifications=sum(notary.verifications for notary in self.notaries),
            computed=self.verifier.computed - self.computed_before,
            deliveries=self.timeline.delivered,
            verify=self.verifier.mode,
        )

    def _carry_out(self, actor: int, effects: list[Any]) -> None:
        put = self.timeline.put
        seen: list[Record] = []
        for effect in effects:
            kind = type(effect)
            if kind is Record:
                seen.append(effect)
            elif kind is Send:
                carried = self.wire.carry(effect.parcel)
                if carried is not None:
                    latency, parcel = carried
                    put(actor, self.numbers[parcel.recipient], parcel, latency)
            elif kind is Report:
                put(actor, self.workload_number, effect)
            elif kind is Instruct:
                recipient = actor if effect.organization is None else self.numbers[effect.organization]
                put(actor, recipient, effect.instruction, effect.delay)
            elif kind is WakeAfter:
                put(actor, actor, Woken(effect.token), effect.ticks)
            else:
                assert kind is not Consult, "questions to the agent are answered within the step"
        if seen:
            self.observed.append((self.timeline.now, self.names[actor], seen))

    def _tell_observer(self) -> None:
        """Send the observer what happened since the last time, in the order it happened."""
        seen, self.observed = self.observed, []
        batch = [(self.workload_number, self.observer_number, seen)]
        self.engine.deliver(self.timeline.now, batch, self._carry_out)


def _states(
    world: World, mechanisms: Mechanisms, run_id: str, seed: int, verifier: Verifier
) -> dict[OrganizationName, OrganizationState]:
    keys = {name: _key(seed, name) for name in world.organizations}
    directory: dict[str, PublicKey] = {name: key.public for name, key in keys.items()}
    receivers = frozenset(task.owner for task in world.tasks)
    states: dict[OrganizationName, OrganizationState] = {}
    for name in world.organizations:
        settings = Settings(
            name=name,
            mechanisms=mechanisms,
            losses=world.losses,
            fact_authority=world.fact_authority,
            registry=world.registry if name == world.fact_authority else {},
            everyone=world.organizations,
            serves=receivers,
            budget=world.agents.budget,
            retransmit_after=world.network.retransmit_after,
            retransmit_limit=world.network.retransmit_limit,
            query_timeout=world.network.query_timeout,
            seed=seed,
        )
        if not mechanisms.signed:
            states[name] = PlainState(settings=settings)
            continue
        view = LocalView(
            notary=Notary(name, run_id, keys[name], directory, verifier),
            authorities=world.authorities,
            fact_authority=world.fact_authority,
        )
        states[name] = SignedState(settings=settings, view=view)
    return states


@lru_cache(maxsize=4096)
def _key(seed: int, name: str) -> SigningKey:
    return SigningKey.derive("mast", str(seed), name)
