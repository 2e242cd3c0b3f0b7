"""The contract every authority keeps, as named cases anyone can run on their own store.

``CASES`` maps a sentence to a function of an `OpenStore`. A case passes when its function returns. With pytest::

    @pytest.mark.parametrize("case", CASES.values(), ids=CASES)
    def test_my_authority(case, open_store):
        case(open_store)
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

from trailforge.authority import Authority, Caps, Transition, Units, verify_stored
from trailforge.errors import (
    CapsChangedError,
    ConflictError,
    RunExistsError,
    RunForgottenError,
    RunReservesError,
    TrailforgeError,
    UnitsDeniedError,
    UnknownRunError,
)
from trailforge.harness.decisions import doubt, next_attempt
from trailforge.harness.events import AttemptBegan, AttemptSucceeded, Doubt, Event
from trailforge.harness.record import Draft, RunRecord, admitted_record, receipt_digest, restore
from trailforge.testing.sample_goals import SAMPLE_ADAPTERS, sample_goal
from trailforge.work import Goal, bind
from trustrail.foundation import Clock, FixedClock

_Refusal = TypeVar("_Refusal", bound=TrailforgeError)


class OpenStore(Protocol):
    """Opens one and the same store, empty at the start of a case, each time it is called."""

    def __call__(self, *, caps: Caps | None = None, clock: Clock | None = None) -> Authority:
        """Return a new connection to the store; its first opener's *caps* are the store's."""
        ...


class ContractBrokenError(TrailforgeError, AssertionError):
    """An authority did not do what the contract says."""


Case = Callable[[OpenStore], None]


def created_run_is_found_by_another_connection(open_store: OpenStore) -> None:
    """Durability across connections, byte for byte."""
    record = _create(open_store(), sample_goal(objective="naïve \u0000 “text” 漢字 \U0001f9ea"))
    stored = open_store().load(record.run_id)
    _equal(stored.plan, record.binding.plan, "plan")
    verify_stored(stored)


def run_id_is_created_once(open_store: OpenStore) -> None:
    """The second creator is refused and the first run stays as it was."""
    authority = open_store()
    record = _create(authority)
    before = authority.load(record.run_id)
    new, _ = admitted_record(record.run_id, record.binding, 5)
    _refuses(RunExistsError, lambda: open_store().create(new))
    _equal(authority.load(record.run_id), before, "run")


def unknown_run_is_refused_by_name(open_store: OpenStore) -> None:
    """Neither reading nor writing invents a run."""
    authority = open_store()
    _refuses(UnknownRunError, lambda: authority.load("run-none"))
    record = _create(authority)
    transition = replace(_extended(record, _begun(record))[0], run_id="run-none")
    _refuses(UnknownRunError, lambda: authority.commit(transition))


def stale_version_is_refused(open_store: OpenStore) -> None:
    """Compare and swap: of two writers that read the same version the second writes nothing."""
    authority = open_store()
    record = _create(authority)
    first, _ = _extended(record, _begun(record))
    second, _ = _extended(record, replace(_begun(record), holder="other"))
    open_store().commit(first)
    before = authority.load(record.run_id)
    _refuses(ConflictError, lambda: authority.commit(second))
    _equal(authority.load(record.run_id), before, "run")
    _equal(authority.units("acme"), Units(reserved=2, spent=0), "units")


def transition_is_whole_or_absent(open_store: OpenStore) -> None:
    """A denied reservation takes the receipt and the journal rows of its transition with it."""
    authority = open_store(caps=Caps(tenant_total=3))
    record = _run_first_task(authority, _create(authority), commit=False)
    success, following = _success_and_next(record)
    transition, _ = Draft(record).add(*success).add(following).finish()
    before = authority.load(record.run_id)
    _refuses(UnitsDeniedError, lambda: authority.commit(transition))
    _equal(authority.load(record.run_id), before, "run")
    _equal(authority.units("acme"), Units(reserved=2, spent=0), "units")


def receipt_and_next_attempt_move_together(open_store: OpenStore) -> None:
    """One transition may end an attempt and begin the next; both ledgers show it."""
    authority = open_store()
    record = _run_first_task(authority, _create(authority), commit=False)
    success, following = _success_and_next(record)
    transition, after = Draft(record).add(*success).add(following).finish()
    authority.commit(transition)
    _equal(restore(open_store().load(record.run_id), authority.store_id), after, "run")
    _equal(authority.units("acme"), Units(reserved=2, spent=2), "tenant units")
    _equal(authority.units(), Units(reserved=2, spent=2), "global units")


def in_flight_cap_is_freed_by_settling(open_store: OpenStore) -> None:
    """Units of a running attempt deny another run; ending the attempt frees both ledgers at once."""
    authority = open_store(caps=Caps(tenant_in_flight=3, global_in_flight=3))
    first, second = _create(authority), _create(authority, sample_goal(objective="another"))
    first = _run_first_task(authority, first, commit=False)
    begin, _ = _extended(second, _begun(second))
    denied = _refuses(UnitsDeniedError, lambda: authority.commit(begin))
    _equal((denied.needed, denied.available), (2, 1), "units denied")
    (success, output), _ = _success_and_next(first)
    authority.commit(Draft(first).add(success, output).finish()[0])
    authority.commit(begin)
    _equal(authority.units(), Units(reserved=2, spent=2), "global units")


def total_cap_counts_what_is_spent(open_store: OpenStore) -> None:
    """Settled units stay spent: reopening the store does not give them back."""
    authority = open_store(caps=Caps(global_total=3))
    first = _run_first_task(authority, _create(authority), commit=True)
    authority.close()
    again = open_store()
    _equal(again.units(), Units(reserved=0, spent=2), "global units")
    begin, _ = _extended(first, next_attempt(first.state, "host", 1))
    denied = _refuses(UnitsDeniedError, lambda: again.commit(begin))
    _equal((denied.scope, denied.limit, denied.available), ("global", "total", 1), "denial")


def tenants_have_their_own_ledgers(open_store: OpenStore) -> None:
    """One tenant's units deny nothing to another one; the global ledger sums them."""
    authority = open_store(caps=Caps(tenant_total=2))
    for tenant in ("acme", "beta"):
        _run_first_task(authority, _create(authority, sample_goal(tenant=tenant)), commit=True)
    _equal(authority.units("acme"), Units(reserved=0, spent=2), "units of acme")
    _equal(authority.units("beta"), Units(reserved=0, spent=2), "units of beta")
    _equal(authority.units(), Units(reserved=0, spent=4), "global units")


def caps_cannot_be_changed_by_opening(open_store: OpenStore) -> None:
    """Opening with other caps is refused; opening without any finds the store's own."""
    open_store(caps=Caps(global_total=7)).close()
    _refuses(CapsChangedError, lambda: open_store(caps=Caps(global_total=8)))
    _equal(open_store().caps, Caps(global_total=7), "caps")


def identity_survives_reopening(open_store: OpenStore) -> None:
    """A store is recognised by its id however often it is opened."""
    first = open_store()
    identity = first.store_id
    first.close()
    first.close()
    _equal(open_store().store_id, identity, "store id")


def deleted_run_id_is_retired(open_store: OpenStore) -> None:
    """Every trace of a deleted run is gone but its id, which no later run can take."""
    authority = open_store()
    record = _create(authority)
    _refuses(ConflictError, lambda: authority.forget(record.run_id, 9))
    authority.forget(record.run_id, 1)
    _refuses(RunForgottenError, lambda: authority.load(record.run_id))
    _refuses(RunForgottenError, lambda: _create(authority))
    _equal(list(authority.runs()), [], "runs")
    _equal(authority.diagnose().problems, (), "problems")


def run_that_reserves_units_is_not_deleted(open_store: OpenStore) -> None:
    """Deleting it would leave its units reserved for ever: it is refused until its attempt is settled."""
    authority = open_store()
    record = _run_first_task(authority, _create(authority), commit=False)
    _refuses(RunReservesError, lambda: authority.forget(record.run_id, record.version))
    _equal(authority.load(record.run_id).checkpoint.version, record.version, "version")


def hold_is_announced_once_and_kept(open_store: OpenStore) -> None:
    """A notice is written with the transition that caused it."""
    authority = open_store()
    record = _run_first_task(authority, _create(authority), commit=False)
    transition, _ = _extended(record, doubt(record.state, 1, Doubt.FENCED))
    authority.commit(transition)
    found = [(notice.sequence, notice.kind, notice.reason) for notice in open_store().notices(record.run_id)]
    _equal(found, [(3, "UNKNOWN", "FENCED")], "notices")
    _equal(list(authority.notices("another")), [], "notices of another run")


def runs_are_listed_by_tenant(open_store: OpenStore) -> None:
    """A list shows id, tenant, status and version, ordered by id."""
    authority = open_store()
    records = [_create(authority, sample_goal(tenant=tenant)) for tenant in ("acme", "beta")]
    _equal([run.run_id for run in authority.runs()], sorted(record.run_id for record in records), "run ids")
    _equal([(run.tenant, run.status, run.version) for run in authority.runs("beta")], [("beta", "READY", 1)], "runs")


def time_is_the_authoritys(open_store: OpenStore) -> None:
    """An injected clock is the only time there is, in whole milliseconds."""
    clock = FixedClock(12.3456)
    authority = open_store(clock=clock)
    _equal(authority.now(), 12_345, "time")
    clock.advance(-2)
    _equal(authority.now(), 10_345, "time")


def journal_grows_by_what_was_committed(open_store: OpenStore) -> None:
    """Rows come back in order, each continuing from the one before, and end at the checkpoint."""
    authority = open_store()
    record = _run_first_task(authority, _create(authority), commit=True)
    stored = authority.load(record.run_id)
    _equal([entry.sequence for entry in stored.entries], [1, 2, 3], "journal")
    _equal(stored.checkpoint.head, record.head, "head")
    _equal(restore(stored, authority.store_id), record, "run")


CASES: Final[Mapping[str, Case]] = MappingProxyType(
    {
        case.__name__.replace("_", " "): case
        for case in (
            created_run_is_found_by_another_connection,
            run_id_is_created_once,
            unknown_run_is_refused_by_name,
            stale_version_is_refused,
            transition_is_whole_or_absent,
            receipt_and_next_attempt_move_together,
            in_flight_cap_is_freed_by_settling,
            total_cap_counts_what_is_spent,
            tenants_have_their_own_ledgers,
            caps_cannot_be_changed_by_opening,
            identity_survives_reopening,
            deleted_run_id_is_retired,
            run_that_reserves_units_is_not_deleted,
            hold_is_announced_once_and_kept,
            runs_are_listed_by_tenant,
            time_is_the_authoritys,
            journal_grows_by_what_was_committed,
        )
    }
)
"""Every case of the contract, by the sentence it proves."""


def _create(authority: Authority, goal: Goal | None = None) -> RunRecord:
    goal = goal or sample_goal()
    binding = bind(goal, SAMPLE_ADAPTERS, authority.store_id)
    new, record = admitted_record(f"run-of-{goal.tenant}-{len(goal.objective)}", binding, 0)
    authority.create(new)
    return record


def _begun(record: RunRecord) -> AttemptBegan:
    event = next_attempt(record.state, "host", 0)
    if not isinstance(event, AttemptBegan):
        raise ContractBrokenError(f"sample goal leaves no attempt: {event}")
    return event


def _run_first_task(authority: Authority, record: RunRecord, *, commit: bool) -> RunRecord:
    """Begin the first attempt, and end it when *commit* says so."""
    transition, record = _extended(record, _begun(record))
    authority.commit(transition)
    if commit:
        (success, output), _ = _success_and_next(record)
        transition, record = Draft(record).add(success, output).finish()
        authority.commit(transition)
    return record


def _success_and_next(record: RunRecord) -> tuple[tuple[AttemptSucceeded, str], Event]:
    lease, task = record.state.lease, record.state.task
    if lease is None:
        raise ContractBrokenError("no attempt has begun")
    output = '{"echo":"\\u0000é"}'
    success = AttemptSucceeded(
        at=1,
        task=task.id,
        attempt=lease.attempt,
        epoch=lease.epoch,
        receipt=receipt_digest(record.run_id, record.binding, task, lease, output),
    )
    _, after = Draft(record).add(success, output).finish()
    return (success, output), next_attempt(after.state, "host", 1)


def _extended(record: RunRecord, event: Event) -> tuple[Transition, RunRecord]:
    return Draft(record).add(event).finish()


def _equal(found: object, expected: object, subject: str) -> None:
    if found != expected:
        raise ContractBrokenError(f"{subject}: got {found!r}, expected {expected!r}")


def _refuses(kind: type[_Refusal], action: Callable[[], object]) -> _Refusal:
    try:
        action()
    except kind as error:
        return error
    raise ContractBrokenError(f"nothing was refused, expected {kind.__name__}")
