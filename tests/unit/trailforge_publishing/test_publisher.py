"""GuardedPublisher against a simulated external system, on a store in memory."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.publishing_world import INTENT, ExternalSystem, Guard, time_out
from trailforge.errors import (
    ApprovalRefusedError,
    AuthorityUnavailableError,
    GuardDeniedError,
    IntentRefusedError,
    OperationInDoubtError,
    OperationRefusedError,
    PublicationError,
    ScopeError,
)
from trailforge.harness import Signal
from trailforge.publishing import (
    Acknowledgement,
    ExecutionMode,
    Finding,
    GuardedAction,
    GuardedPublisher,
    Operation,
    OperationState,
    SqlitePublicationStore,
)
from trailforge.publishing.intent import admit_intent
from trustrail.foundation import FixedClock


class Counter:
    def __init__(self) -> None:
        self.counted: list[Signal] = []

    def count(self, signal: Signal, state: str = "") -> None:
        self.counted.append(signal)

    def duration(self, milliseconds: int, state: str) -> None:
        self.counted.append(f"a duration of {milliseconds} ms, and nothing here has one")


class World:
    def __init__(self) -> None:
        self.clock = FixedClock(1_000_000.0)
        self.store = SqlitePublicationStore(":memory:", clock=self.clock)
        self.system = ExternalSystem()
        self.guard = Guard()
        self.telemetry = Counter()
        self.publisher = GuardedPublisher(self.store, self.guard, [self.system], telemetry=self.telemetry)

    def approve(self, intent=INTENT) -> str:
        return self.publisher.approve(intent, by="ann").approval_id

    def execute(self, intent=INTENT) -> Operation:
        return self.publisher.execute(intent, self.approve(intent), by="bob")


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.store.close()


def test_acknowledged_dispatch_is_accepted_with_its_receipt(world: World) -> None:
    operation = world.execute()

    assert operation.state is OperationState.ACCEPTED
    assert operation.evidence == {"number": 17}
    assert world.system.kept == {operation.operation_id: admit_intent(INTENT).payload_digest}


def test_watcher_that_fails_keeps_no_outcome_from_being_stored(world: World) -> None:
    """Otherwise an operation in doubt would stay SENDING, as if it were under way."""

    class Failing:
        def count(self, signal: Signal, state: str = "") -> None:
            raise ConnectionError("the collector is away")

    publisher = GuardedPublisher(world.store, world.guard, [world.system], telemetry=Failing())
    world.system.answer = time_out

    assert publisher.execute(INTENT, world.approve(), by="bob").state is OperationState.UNKNOWN


def test_same_intent_observes_the_stored_operation_and_sends_nothing(world: World) -> None:
    first = world.execute()
    again = world.publisher.execute(INTENT, "any approval", by="bob")

    assert again == first
    assert world.system.sends == 1


def test_sending_is_stored_and_the_approval_consumed_before_anything_is_sent(world: World) -> None:
    """Row 14 of the durable reference: seen from within the dispatch itself."""
    approval = world.approve()
    seen: list[tuple[OperationState, str]] = []

    def look(acknowledgement: Acknowledgement) -> Acknowledgement:
        stored = world.store.find(acknowledgement.operation_id)
        seen.append((stored.state, world.store.approval_end(approval)))
        return acknowledgement

    world.system.answer = look
    world.publisher.execute(INTENT, approval, by="bob")

    assert seen == [(OperationState.SENDING, "CONSUMED")]


LOST = {
    "the answer is lost after the system kept it": {"answer": time_out},
    "the request is lost": {"lose_request": True},
    "nothing comes back": {"answer": lambda acknowledgement: None},
    "the answer is true": {"answer": lambda acknowledgement: True},
    "the answer is for another operation": {
        "answer": lambda acknowledgement: replace(acknowledgement, operation_id="op-other")
    },
    "the answer is for another intent": {
        "answer": lambda acknowledgement: replace(acknowledgement, intent_digest="0" * 64)
    },
    "the receipt is not an object": {"answer": lambda acknowledgement: replace(acknowledgement, receipt=[1])},
    "the receipt has no canonical form": {
        "answer": lambda acknowledgement: replace(acknowledgement, receipt={"x": float("nan")})
    },
    "the receipt is too large": {
        "answer": lambda acknowledgement: replace(acknowledgement, receipt={"x": "y" * 65_536})
    },
    "the system says duplicate": {"answer": lambda acknowledgement: replace(acknowledgement, duplicate=True)},
}


@pytest.mark.parametrize("change", LOST.values(), ids=LOST)
def test_anything_but_a_bound_acknowledgement_is_unknown(world: World, change: dict[str, object]) -> None:
    """Rows 15 and 16 of the durable reference."""
    for name, value in change.items():
        setattr(world.system, name, value)
    operation = world.execute()

    assert operation.state is OperationState.UNKNOWN
    assert operation.reason
    assert world.telemetry.counted == [Signal.AMBIGUOUS_PUBLICATION]
    assert world.publisher.execute(INTENT, "again", by="bob") == operation
    assert world.system.sends == 1


def test_answer_after_the_deadline_is_evidence_only(world: World) -> None:
    """Row 15 of the durable reference: a late acknowledgement does not turn doubt into success."""

    def late(acknowledgement: Acknowledgement) -> Acknowledgement:
        world.clock.advance(60)
        return acknowledgement

    world.system.answer = late
    operation = world.execute()

    assert operation.state is OperationState.UNKNOWN
    assert operation.reason == "acknowledged 0 ms after the deadline"
    assert operation.evidence == {"number": 17}
    assert world.publisher.reconcile(INTENT, by="ann").state is OperationState.ACCEPTED


def test_answer_one_millisecond_before_the_deadline_is_accepted(world: World) -> None:
    def nearly_late(acknowledgement: Acknowledgement) -> Acknowledgement:
        world.clock.advance(59.999)
        return acknowledgement

    world.system.answer = nearly_late

    assert world.execute().state is OperationState.ACCEPTED


def test_answer_that_another_observer_gave_up_on_is_evidence_only(world: World) -> None:
    """Row 15 of the durable reference, when the doubt was stored by somebody else first."""

    def observed_meanwhile(acknowledgement: Acknowledgement) -> Acknowledgement:
        world.clock.advance(60)
        assert world.publisher.observe(INTENT).state is OperationState.UNKNOWN
        world.clock.at -= 30
        return acknowledgement

    world.system.answer = observed_meanwhile
    operation = world.execute()

    assert operation.state is OperationState.UNKNOWN
    assert world.system.sends == 1


def test_reconcile_accepts_what_it_finds_and_never_sends(world: World) -> None:
    """Rows 15 and 16 of the durable reference."""
    world.system.answer = time_out
    world.execute()
    operation = world.publisher.reconcile(INTENT, by="ann")

    assert operation.state is OperationState.ACCEPTED
    assert operation.finding is Finding.FOUND
    assert (world.system.sends, world.system.inspections) == (1, 1)


NOT_PROVEN = {
    "not there": {"lose_request": True},
    "another payload is there": {
        "answer": time_out,
        "inspected": lambda inspection: replace(inspection, payload_digest="0" * 64),
    },
    "another operation is described": {
        "answer": time_out,
        "inspected": lambda inspection: replace(inspection, operation_id="op-other"),
    },
    "the system cannot tell": {
        "answer": time_out,
        "inspected": lambda inspection: replace(inspection, finding=Finding.CANNOT_TELL),
    },
    "the inspection fails": {"answer": time_out, "inspected": lambda inspection: 1 / 0},
    "the inspection is no inspection": {"answer": time_out, "inspected": lambda inspection: True},
    "found is only a word": {"answer": time_out, "inspected": lambda inspection: replace(inspection, finding="FOUND")},
    "the finding is nothing": {"answer": time_out, "inspected": lambda inspection: replace(inspection, finding=None)},
    "the digest is a number": {
        "answer": time_out,
        "inspected": lambda inspection: replace(inspection, payload_digest=5),
    },
}


@pytest.mark.parametrize("change", NOT_PROVEN.values(), ids=NOT_PROVEN)
def test_reconcile_without_proof_leaves_the_operation_unknown(world: World, change: dict[str, object]) -> None:
    """Row 15 of the durable reference: NOT_FOUND is no permission either, a delayed request may still arrive."""
    for name, value in change.items():
        setattr(world.system, name, value)
    world.execute()
    operation = world.publisher.reconcile(INTENT, by="ann")

    assert operation.state is OperationState.UNKNOWN
    assert operation.finding in (Finding.NOT_FOUND, Finding.CANNOT_TELL)
    assert world.system.sends == 1
    with pytest.raises(OperationRefusedError, match="of this intent exists"):
        world.approve()


def test_deliberate_repetition_is_another_intent_with_its_own_approval_that_names_the_old_one(
    world: World,
) -> None:
    """Row 16 of the durable reference."""
    world.system.lose_request = True
    lost = world.execute()
    world.system.lose_request = False
    repeated = replace(INTENT, supersedes=lost.operation_id)
    operation = world.execute(repeated)

    assert operation.state is OperationState.ACCEPTED
    assert operation.operation_id != lost.operation_id
    assert world.store.find(lost.operation_id).state is OperationState.UNKNOWN


def test_only_an_operation_in_doubt_is_superseded(world: World) -> None:
    accepted = world.execute()
    with pytest.raises(OperationRefusedError, match="is ACCEPTED, only one in UNKNOWN is superseded"):
        world.execute(replace(INTENT, supersedes=accepted.operation_id))
    with pytest.raises(OperationRefusedError, match="op-none is not known here"):
        world.execute(replace(INTENT, supersedes="op-none"))
    world.system.lose_request = True
    lost = world.execute(replace(INTENT, action="other"))
    with pytest.raises(OperationRefusedError, match="has another resource"):
        world.execute(replace(INTENT, resource="elsewhere", supersedes=lost.operation_id))

    assert world.system.sends == 2


OTHER_INTENTS = {
    "tenant": {"tenant": "other"},
    "resource": {"resource": "other"},
    "goal": {"goal_digest": "9" * 64},
    "action": {"action": "delete"},
    "payload": {"payload": {"version": "1.2.4"}},
    "origin": {"origin": "run/task#2"},
}


@pytest.mark.parametrize("change", OTHER_INTENTS.values(), ids=OTHER_INTENTS)
def test_approval_of_one_intent_sends_no_other(world: World, change: dict[str, object]) -> None:
    """Row 13 of the durable reference: approved A, executed B."""
    approval = world.approve()
    with pytest.raises(ApprovalRefusedError, match="covers intent"):
        world.publisher.execute(replace(INTENT, **change), approval, by="bob")

    assert world.system.sends == 0
    assert world.publisher.execute(INTENT, approval, by="bob").state is OperationState.ACCEPTED


@pytest.mark.parametrize(
    "change",
    [{"tenant": "t"}, {"resource": "x"}, {"goal_digest": "9" * 64}, {"policy_digest": "9" * 64}, {"revision": "r8"},
     {"action": "x"}, {"payload": {}}, {"adapter": "x/1"}, {"mode": ExecutionMode.REHEARSAL}, {"origin": "r/t#1"},
     {"supersedes": "op-x"}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_intent_digest_binds_every_field(change: dict[str, object]) -> None:
    """Row 13 of the durable reference."""
    assert admit_intent(replace(INTENT, **change)).digest != admit_intent(INTENT).digest


def test_key_order_of_the_payload_does_not_change_the_intent() -> None:
    one = replace(INTENT, payload={"a": 1, "b": 2})
    other = replace(INTENT, payload={"b": 2, "a": 1})

    assert admit_intent(one).digest == admit_intent(other).digest


def test_approval_works_once(world: World) -> None:
    """Row 13 of the durable reference: one yes for one execution, here through two intents in one store."""
    approval = world.approve()
    world.publisher.execute(INTENT, approval, by="bob")
    with pytest.raises(ApprovalRefusedError):
        world.publisher.execute(replace(INTENT, action="again"), approval, by="bob")

    assert world.store.approval_end(approval) == "CONSUMED"
    assert world.system.sends == 1


def test_approval_holds_for_300_seconds_by_default(world: World) -> None:
    approval = world.approve()
    world.clock.advance(299.999)
    assert world.publisher.execute(INTENT, approval, by="bob").state is OperationState.ACCEPTED

    late = replace(INTENT, action="later")
    expired = world.approve(late)
    world.clock.advance(300)
    with pytest.raises(ApprovalRefusedError, match="expired 0 ms ago"):
        world.publisher.execute(late, expired, by="bob")


def test_clock_that_jumps_back_extends_no_approval(world: World) -> None:
    """Row 5 of the durable reference: the store's time never runs backwards."""
    approval = world.approve()
    world.clock.advance(300)
    world.approve(replace(INTENT, action="other"))
    world.clock.advance(-200)

    assert world.store.now() == 1_000_300_000
    with pytest.raises(ApprovalRefusedError, match="expired"):
        world.publisher.execute(INTENT, approval, by="bob")


def test_waiting_for_approval_is_outside_every_timeout(world: World) -> None:
    """Row 8 of the durable reference: an intent may wait a year; only a given approval runs out."""
    admit_intent(INTENT)
    world.clock.advance(365 * 24 * 3600)

    assert world.execute().state is OperationState.ACCEPTED


@pytest.mark.parametrize("seconds", [0, -1, 3601])
def test_approval_is_never_lasting_authority(world: World, seconds: int) -> None:
    with pytest.raises(ApprovalRefusedError, match=f"would hold for {seconds} s, expected an integer from 1 to 3600"):
        world.publisher.approve(INTENT, by="ann", seconds=seconds)


def test_revoked_approval_sends_nothing_and_a_used_one_cannot_be_revoked(world: World) -> None:
    approval = world.approve()
    world.publisher.revoke(INTENT, approval, by="ann")
    with pytest.raises(ApprovalRefusedError, match="is revoked and works once"):
        world.publisher.execute(INTENT, approval, by="bob")
    used = world.approve()
    world.publisher.execute(INTENT, used, by="bob")
    with pytest.raises(ApprovalRefusedError, match="used or revoked already"):
        world.publisher.revoke(INTENT, used, by="ann")

    assert world.system.sends == 1


def test_unknown_approval_sends_nothing(world: World) -> None:
    with pytest.raises(ApprovalRefusedError, match="is not known here"):
        world.publisher.execute(INTENT, "0" * 32, by="bob")

    assert world.publisher.observe(INTENT) is None


@pytest.mark.parametrize("action", list(GuardedAction))
def test_guard_denies_each_action_on_its_own(world: World, action: GuardedAction) -> None:
    world.system.answer = time_out
    world.guard.denied = {action}

    def walk_through() -> None:
        approval = world.approve()
        world.publisher.execute(INTENT, approval, by="bob")
        world.publisher.reconcile(INTENT, by="ann")

    def revoke() -> None:
        world.publisher.revoke(INTENT, world.approve(), by="ann")

    with pytest.raises(GuardDeniedError, match=f"{action} of intent"):
        revoke() if action is GuardedAction.REVOKE else walk_through()

    assert world.guard.asked[-1] is action
    assert world.system.inspections == 0


RULINGS = {
    "about another action": {"action": GuardedAction.REVOKE},
    "about another intent": {"intent_digest": "0" * 64},
    "not a plain yes": {"allowed": 1},
    "a digest that is no text": {"intent_digest": 5},
    "a policy that is no text": {"policy_digest": None},
    "a no whose reason is no text": {"allowed": False, "reason": object()},
    "another policy": {"policy_digest": "9" * 64},
    "another revision": {"revision": "r8"},
}


@pytest.mark.parametrize("change", RULINGS.values(), ids=RULINGS)
def test_ruling_that_does_not_fit_denies(world: World, change: dict[str, object]) -> None:
    approval = world.approve()
    world.guard.change = change
    with pytest.raises(GuardDeniedError):
        world.publisher.execute(INTENT, approval, by="bob")

    assert world.system.sends == 0
    assert world.store.approval_end(approval) == ""


def test_failing_guard_denies(world: World) -> None:
    approval = world.approve()
    world.guard.change = {"no_such_field": 1}
    with pytest.raises(GuardDeniedError, match="the guard failed"):
        world.publisher.execute(INTENT, approval, by="bob")

    assert world.system.sends == 0


@pytest.mark.parametrize("change", [{"policy": "9" * 64}, {"revision": "r8"}], ids=["policy", "revision"])
def test_revocation_and_reconciliation_stay_possible_after_policy_or_revision_changed(
    world: World, change: dict[str, str]
) -> None:
    world.system.answer = time_out
    spare = world.approve()
    world.execute()
    for name, value in change.items():
        setattr(world.guard, name, value)
    world.publisher.revoke(INTENT, spare, by="ann")

    assert world.publisher.reconcile(INTENT, by="ann").state is OperationState.ACCEPTED


def test_adapter_must_be_registered_and_of_the_intended_mode(world: World) -> None:
    with pytest.raises(OperationRefusedError, match="there is no adapter 'site/2'; registered: site/1"):
        world.execute(replace(INTENT, adapter="site/2"))
    with pytest.raises(OperationRefusedError, match="is for LIVE, the intent is for REHEARSAL"):
        world.execute(replace(INTENT, mode=ExecutionMode.REHEARSAL))
    with pytest.raises(PublicationError, match="two adapters are named 'site/1'"):
        GuardedPublisher(world.store, world.guard, [world.system, ExternalSystem()])

    assert world.system.sends == 0


def test_host_of_one_tenant_touches_no_other_tenant(world: World) -> None:
    publisher = GuardedPublisher(world.store, world.guard, [world.system], tenant="other")
    for call in (
        lambda: publisher.approve(INTENT, by="ann"),
        lambda: publisher.execute(INTENT, "x", by="bob"),
        lambda: publisher.observe(INTENT),
        lambda: publisher.reconcile(INTENT, by="ann"),
        lambda: publisher.revoke(INTENT, "x", by="ann"),
    ):
        with pytest.raises(ScopeError):
            call()


def test_interrupted_dispatch_leaves_doubt_and_lets_the_interruption_through(world: World) -> None:
    def interrupt(acknowledgement: Acknowledgement) -> object:
        raise KeyboardInterrupt

    world.system.answer = interrupt
    with pytest.raises(KeyboardInterrupt):
        world.execute()

    assert world.publisher.observe(INTENT).state is OperationState.UNKNOWN
    assert world.publisher.in_doubt() == (admit_intent(INTENT).operation_id,)


def test_storage_error_that_hid_a_success_is_no_doubt(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """An I/O error is not a "no": the operation is read again, and what can be read counts."""
    record = world.store.record

    def store_and_fail(operation: Operation, entry: object) -> Operation:
        record(operation, entry)
        raise AuthorityUnavailableError("disk I/O error")

    monkeypatch.setattr(world.store, "record", store_and_fail)

    assert world.execute().state is OperationState.ACCEPTED


@pytest.mark.parametrize("method", ["record", "now"])
@pytest.mark.parametrize("lost", [False, True], ids=["heard", "lost"])
def test_outcome_that_cannot_be_stored_is_in_doubt_and_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch, method: str, lost: bool
) -> None:
    """Row 12 of the durable reference: the effect happened and its receipt is not stored."""

    def full(*_arguments: object) -> object:
        raise AuthorityUnavailableError("disk full")

    def break_store(acknowledgement: Acknowledgement) -> object:
        monkeypatch.setattr(world.store, method, full)
        if lost:
            raise TimeoutError
        return acknowledgement

    approval = world.approve()
    world.system.answer = break_store
    with pytest.raises(OperationInDoubtError, match="disk full; reconcile it, never send it again"):
        world.publisher.execute(INTENT, approval, by="bob")
    monkeypatch.undo()
    world.clock.advance(60)

    assert world.publisher.execute(INTENT, approval, by="bob").state is OperationState.UNKNOWN
    assert world.system.sends == 1


def test_reconcile_of_an_accepted_operation_asks_nobody(world: World) -> None:
    operation = world.execute()

    assert world.publisher.reconcile(INTENT, by="ann") == operation
    assert world.system.inspections == 0


def test_guard_that_answers_with_something_else_denies(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world.guard, "rule", lambda *arguments: True)
    with pytest.raises(GuardDeniedError, match="the guard returned a bool, expected a Ruling"):
        world.approve()


def test_reconcile_needs_an_operation_whose_time_to_send_is_over(world: World) -> None:
    with pytest.raises(OperationRefusedError, match="nothing was sent yet"):
        world.publisher.reconcile(INTENT, by="ann")
    approval = world.approve()
    world.store.begin(admit_intent(INTENT), approval, by="bob", sending_ms=60_000)
    with pytest.raises(OperationRefusedError, match="may send for another 60000 ms"):
        world.publisher.reconcile(INTENT, by="ann")
    assert world.publisher.execute(INTENT, approval, by="bob").state is OperationState.SENDING
    world.clock.advance(60)

    assert world.publisher.observe(INTENT).state is OperationState.UNKNOWN
    assert world.publisher.reconcile(INTENT, by="ann").finding is Finding.NOT_FOUND
    assert world.system.sends == 0


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


BAD_INTENTS = {
    "no tenant": ({"tenant": ""}, "tenant: is ''"),
    "257 characters": ({"resource": "x" * 257}, "resource: is"),
    "digest in capitals": ({"goal_digest": "A" * 64}, "goal_digest: is"),
    "NaN": ({"payload": {"x": float("nan")}}, r"payload\.x: is nan"),
    "2 to the 53rd": ({"payload": {"x": 2**53}}, r"payload\.x: is 9007199254740992"),
    "surrogate value": ({"payload": {"x": "\ud800"}}, r"payload\.x: has the lone surrogate"),
    "surrogate key": ({"payload": {"\ud800": 1}}, "payload: has the lone surrogate"),
    "surrogate name": ({"action": "\ud800"}, "action: has a lone surrogate"),
    "2 to the 64th": ({"payload": {"x": 2**64}}, r"payload\.x: is 18446744073709551616"),
    "integer of 5000 digits": ({"payload": {"x": 10**4999}}, r"payload\.x: is an integer of 16607 bits"),
    "infinity": ({"payload": {"x": float("-inf")}}, r"payload\.x: is -inf"),
    "depth 10,000": ({"payload": {"x": nested(10_000)}}, "is nested deeper than 64"),
    "bytes": ({"payload": {"x": b"x"}}, r"payload\.x: is a bytes"),
    "a list": ({"payload": [1]}, "payload: is a list"),
    "payload over its bound": ({"payload": {"x": "y" * 262_137}}, "payload: has 262145 bytes, expected at most 262144"),
    "mode as text": ({"mode": "LIVE"}, "mode: is 'LIVE'"),
}


@pytest.mark.parametrize(("change", "problem"), BAD_INTENTS.values(), ids=BAD_INTENTS)
def test_intent_that_is_not_well_formed_is_refused_and_nothing_is_stored(
    world: World, change: dict[str, object], problem: str
) -> None:
    """Row 17 of the durable reference, at this boundary."""
    with pytest.raises(IntentRefusedError, match=problem):
        world.approve(replace(INTENT, **change))

    assert world.publisher.in_doubt() == ()


@pytest.mark.parametrize("actor", ["", "x" * 257, "\ud800", None])
def test_actor_without_a_writable_name_is_refused(world: World, actor: str) -> None:
    for call in (
        lambda: world.publisher.approve(INTENT, by=actor),
        lambda: world.publisher.execute(INTENT, "0" * 32, by=actor),
        lambda: world.publisher.revoke(INTENT, "0" * 32, by=actor),
        lambda: world.publisher.reconcile(INTENT, by=actor),
    ):
        with pytest.raises(IntentRefusedError, match="by: "):
            call()


def test_names_and_payload_with_a_nul_are_kept_whole(world: World) -> None:
    """Row 17 of the durable reference: SQLite's length('a\\0b') is 1, so the stored text is escaped JSON."""
    odd = replace(INTENT, payload={"text": "a\x00b"}, origin="a\x00b")

    assert world.execute(odd).state is OperationState.ACCEPTED
    assert world.publisher.observe(replace(odd, origin="a")) is None


def test_payload_of_exactly_its_bound_is_admitted() -> None:
    """{"x":"…"} is 8 bytes around the text: 262144 - 8 = 262136."""
    assert len(admit_intent(replace(INTENT, payload={"x": "y" * 262_136})).payload) == 262_144


def test_every_problem_of_an_intent_is_reported_at_once() -> None:
    with pytest.raises(IntentRefusedError) as caught:
        admit_intent(replace(INTENT, tenant="", revision="", payload=[1]))

    assert [problem.field for problem in caught.value.problems] == ["tenant", "revision", "payload"]


def test_an_approval_is_only_revoked_by_naming_its_own_intent() -> None:
    world = World()
    other = replace(INTENT, tenant="beta")
    approval = world.approve(other)

    with pytest.raises(ApprovalRefusedError, match="covers intent"):
        world.publisher.revoke(INTENT, approval, by="ann")

    assert world.publisher.execute(other, approval, by="bob").state is OperationState.ACCEPTED


@pytest.mark.parametrize("seconds", [300.5, True, "300", None], ids=repr)
def test_an_approval_holds_for_whole_seconds(seconds: object) -> None:
    with pytest.raises(ApprovalRefusedError, match="expected an integer from 1 to 3600"):
        World().publisher.approve(INTENT, by="ann", seconds=seconds)


@pytest.mark.parametrize("approval", [None, 5, "\ud800", "0" * 31, "x" * 32], ids=repr)
def test_what_is_no_approval_id_is_refused(approval: object) -> None:
    world = World()
    for command in (world.publisher.execute, world.publisher.revoke):
        with pytest.raises(ApprovalRefusedError, match="is no approval id"):
            command(INTENT, approval, by="ann")
    assert world.publisher.observe(INTENT) is None


def test_what_is_no_intent_is_refused() -> None:
    with pytest.raises(IntentRefusedError, match="is a NoneType, expected an Intent"):
        World().publisher.approve(None, by="ann")


@pytest.mark.parametrize("seconds", [-5, 0, 0.5, None, float("nan"), 3601], ids=repr)
def test_the_time_to_send_is_whole_seconds(seconds: object) -> None:
    world = World()
    with pytest.raises(PublicationError, match="sending_seconds is"):
        GuardedPublisher(world.store, world.guard, [world.system], sending_seconds=seconds)
