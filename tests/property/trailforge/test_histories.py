"""Random histories of two workers, clock jumps, crashes and decisions, held against an independent model.

Each history runs on a store of its own kind; after every step status, progress, attempts, units of the run, both
ledgers and the notices must be what the model says, and the journal must replay.
"""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.property.trailforge.model import LEASE_MS, MAX_ATTEMPTS, MAX_UNITS, UNITS, WORKS, Model
from trailforge.authority import Caps, SqliteAuthority
from trailforge.authority.postgres import PostgresAuthority
from trailforge.errors import CommandRefusedError, LeaseHeldError, LeaseLostError
from trailforge.harness import Decision, Harness
from trailforge.work import Adapter, AdapterKind, Check, Goal, Limits, Recovery, Task
from trustrail.foundation import FixedClock

HISTORIES = 1_000

OUTCOMES = ("succeed", "raise", "late", "die before", "die after", "fenced", "cancelled", "overtaken by time")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("advance"), st.integers(0, 1), st.sampled_from(OUTCOMES)),
        st.tuples(st.just("resume fenced"), st.integers(0, 1), st.sampled_from(OUTCOMES)),
        st.tuples(st.just("clock"), st.sampled_from([-3_600, -10, 1, 61, 3_600]), st.just("")),
        st.tuples(st.just("retry"), st.integers(0, 1), st.just("")),
        st.tuples(st.just("resolve cancel"), st.integers(0, 1), st.just("")),
        st.tuples(st.just("cancel"), st.integers(0, 1), st.just("")),
    ),
    max_size=14,
)
WORLDS = st.fixed_dictionaries({"steps": STEPS, "cap": st.integers(0, 7), "reattempts": st.booleans()})

numbers = count(1)


class DeadError(BaseException):
    """The process is gone: nothing it does from here on reaches the store."""


class Mortal:
    """An authority as seen by a process that can die."""

    def __init__(self, authority) -> None:
        self._authority = authority
        self.dead = False

    def __getattr__(self, name: str):
        if self.dead:
            raise DeadError
        return getattr(self._authority, name)


class World:
    """Two workers on one store, and the model beside them."""

    def __init__(self, stores, clock: FixedClock, *, cap: int, reattempts: bool) -> None:
        self.clock = clock
        self.run_id = f"run-{next(numbers)}"
        self.mortals = [Mortal(store) for store in stores]
        self.outcome = "succeed"
        recovery = Recovery.REATTEMPT_READS if reattempts else Recovery.HOLD
        self.goal = a_goal(f"tenant-{next(numbers)}", recovery)
        self.model = Model(cap=cap, reattempts=reattempts)
        self.model.see(self.now)
        self.host(0).start(self.goal, self.run_id)

    @property
    def now(self) -> int:
        return int(self.clock.now() * 1000)

    def host(self, worker: int) -> Harness:
        """Build a worker anew, as after a restart."""
        self.mortals[worker] = Mortal(self.mortals[worker]._authority)
        mortal = self.mortals[worker]
        adapters = (
            Adapter(name="work", version="1", kind=AdapterKind.BUILD, call=lambda request: self.body(request, worker)),
            Adapter(
                name="verify", version="1", kind=AdapterKind.VERIFY, call=lambda request: self.body(request, worker)
            ),
        )
        return Harness(mortal, adapters)

    def body(self, request, worker: int):
        """What happens inside a callback, by the outcome drawn for it."""
        calls = self.model.calls
        calls[request.task_id] = calls.get(request.task_id, 0) + 1
        match self.outcome:
            case "raise":
                raise ValueError
            case "late":
                self.clock.advance(LEASE_MS / 1000)
            case "die before" | "die after":
                self.mortals[worker].dead = True
                raise DeadError
            case "fenced":
                self.outcome = "succeed"
                self.attempted(1 - worker, fence=True, tasks=0)
            case "cancelled":
                self.cancel(1 - worker)
            case "overtaken by time":
                self.clock.advance(LEASE_MS / 1000)
                self.outcome = "succeed"
                self.attempted(1 - worker, fence=False, tasks=0)
        return {"verdict": "PASS"}

    def advance(self, worker: int, outcome: str, *, fence: bool) -> None:
        self.outcome = outcome
        self.attempted(worker, fence=fence, tasks=1)

    def attempted(self, worker: int, *, fence: bool, tasks: int) -> None:
        """Let a worker find what a crash left and, when *tasks* is 1, run one attempt; step the model alongside."""
        model, harness = self.model, self.host(worker)
        held = model.status == "RUNNING" and not fence and max(model.time, self.now) < model.lease_end
        if model.status == "RUNNING" and not held:
            model.crash_found(self.now)
            begins = tasks == 1 and model.status == "READY"
        else:
            begins = tasks == 1 and not held and model.status in ("READY", "WAITING")
        before = model.time
        try:
            if tasks:
                self.expect_attempt(harness, fence=fence, begins=begins)
            else:
                self.only_recover(harness, fence=fence)
        except LeaseHeldError:
            assert held
        assert model.time >= before

    def expect_attempt(self, harness: Harness, *, fence: bool, begins: bool) -> None:
        model, outcome = self.model, self.outcome
        begun = begins and model.begin(self.now)
        try:
            record = harness._bound(self.goal, self.run_id)
            harness._drive(record, tasks=1, fence=fence)
        except DeadError:
            assert begun
            assert outcome.startswith("die")
            return
        except LeaseLostError:
            assert begun
            assert outcome in ("fenced", "cancelled", "overtaken by time")
            return
        if begun and outcome == "raise":
            model.see(self.now)
            model.hold()
        elif begun:
            assert model.status == "RUNNING"
            model.succeed(self.now)

    def only_recover(self, harness: Harness, *, fence: bool) -> None:
        record = harness._bound(self.goal, self.run_id)
        session = harness._session(record)
        from trailforge.harness.decisions import after_crash

        event = after_crash(self.run_id, record.state, self.now, fence=fence)
        if event is not None:
            session.commit(event)

    def retry(self, worker: int) -> None:
        self.resolve(worker, Decision.RETRY, allowed=self.model.retry(self.now))

    def resolve_cancel(self, worker: int) -> None:
        allowed = self.model.status == "UNKNOWN" and self.model.cancel(self.now)
        self.resolve(worker, Decision.CANCEL, allowed=allowed)

    def resolve(self, worker: int, decision: Decision, *, allowed: bool) -> None:
        host = self.host(worker)
        task = host.status(self.run_id).task
        try:
            host.resolve(self.run_id, task, decision, by="history")
        except CommandRefusedError:
            assert not allowed
        else:
            assert allowed

    def cancel(self, worker: int) -> None:
        allowed = self.model.cancel(self.now)
        try:
            self.host(worker).cancel(self.run_id, by="history")
        except CommandRefusedError:
            assert not allowed
        else:
            assert allowed

    def check(self) -> None:
        model, mortal = self.model, self.mortals[0]._authority
        view = Harness(mortal, ()).status(self.run_id)
        state = view.record.state
        found = (view.status.value, view.done, state.attempts, view.attempts_total, view.units_used, state.clock)
        assert found == (model.status, model.done, model.attempts, model.begun, model.used, model.time)
        ledger = mortal.units(self.goal.tenant)
        assert (ledger.reserved, ledger.spent) == (model.reserved, model.spent)
        assert len(mortal.notices(self.run_id)) == model.holds
        assert sum(model.calls.values()) <= model.begun


def a_goal(tenant: str, recovery: Recovery) -> Goal:
    works = tuple(Task(id=name, adapter="work", units=UNITS) for name in WORKS)
    return Goal(
        tenant=tenant,
        resource="history@1",
        objective="be interrupted in every way",
        tasks=(*works, Task(id="verify", adapter="verify", units=UNITS)),
        checks=(Check(name="accepted", task="verify"),),
        limits=Limits(
            max_units=MAX_UNITS,
            max_attempts_per_task=MAX_ATTEMPTS,
            lease_seconds=LEASE_MS // 1000,
            deadline_seconds=10**9,
        ),
        recovery=recovery,
    )


def play(stores, clock: FixedClock, world: dict) -> None:
    """Run one history and compare after every step."""
    clock.at = 10_000_000.0  # every history starts at the same time
    played = World(stores, clock, cap=world["cap"], reattempts=world["reattempts"])
    played.check()
    for kind, number, outcome in world["steps"]:
        match kind:
            case "advance":
                played.advance(number, outcome, fence=False)
            case "resume fenced":
                played.advance(number, outcome, fence=True)
            case "clock":
                clock.advance(number)
            case "retry":
                played.retry(number)
            case "resolve cancel":
                played.resolve_cancel(number)
            case "cancel":
                played.cancel(number)
        played.check()


each_history = settings(
    max_examples=HISTORIES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.slow
@each_history
@given(world=WORLDS)
def test_sqlite_follows_the_model(two_sqlite_workers, world):
    stores, clock = two_sqlite_workers(world["cap"])
    play(stores, clock, world)


@pytest.mark.slow
@each_history
@given(world=WORLDS)
def test_postgres_follows_the_model(two_postgres_workers, world):
    stores, clock = two_postgres_workers(world["cap"])
    play(stores, clock, world)


@pytest.fixture
def two_sqlite_workers(tmp_path):
    """Two connections to one file for each cap; every history has a tenant and a run of its own."""
    yield from opened(
        lambda cap, clock: SqliteAuthority(tmp_path / f"{cap}.db", caps=Caps(tenant_total=cap), clock=clock)
    )


@pytest.fixture
def two_postgres_workers(postgres_dsn):
    """Two connections to one schema for each cap."""

    def open_store(cap, clock):
        store = PostgresAuthority(postgres_dsn, schema=f"history_{cap}", caps=Caps(tenant_total=cap), clock=clock)
        store._connection.execute("SET synchronous_commit = off")  # no power fails here
        return store

    yield from opened(open_store)


def opened(open_store):
    clock = FixedClock(10_000)
    pairs: dict[int, list] = {}

    def workers(cap: int):
        if cap not in pairs:
            pairs[cap] = [open_store(cap, clock) for _ in range(2)]
        return pairs[cap], clock

    yield workers
    for pair in pairs.values():
        for store in pair:
            store.close()
