"""Each safeguard is removed by a mutant, and the probe that holds with it fails without it.

A probe that still holds without its safeguard would be a test that cannot fail.
"""

from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import MappingProxyType

import apsw
import pytest

from tests.faults.trailforge.fault_vfs import FaultVfs
from tests.unit.trailforge.goals import make_goal, verify_adapter, work_adapter
from trailforge.authority import Caps, SqliteAuthority, sqlite, sqlite_connection, sqlite_gate
from trailforge.errors import (
    AuthorityBusyError,
    BindingChangedError,
    CorruptStoreError,
    LeaseHeldError,
    LeaseLostError,
    ScopeError,
    StoreRefusedError,
)
from trailforge.harness import Harness, RunStatus, decisions, harness, record, session
from trailforge.harness.attempt import Accepted
from trailforge.testing import CASES
from trustrail.foundation import FixedClock, canonical_json


class Bench:
    """One store and one clock for a probe."""

    def __init__(self, folder) -> None:
        self.path = folder / "runs.db"
        self.clock = FixedClock(1_000)
        self.opened: list[SqliteAuthority] = []

    def open(
        self, *, caps: Caps | None = None, clock: FixedClock | None = None, vfs: str | None = None
    ) -> SqliteAuthority:
        self.opened.append(SqliteAuthority(self.path, caps=caps, clock=clock or self.clock, vfs=vfs))
        return self.opened[-1]

    def host(self, call: Callable = lambda request: {}, *, tenant: str = "", version: str = "1") -> Harness:
        return Harness(self.open(), (work_adapter(call, version), verify_adapter()), tenant=tenant)

    def edit(self, statement: str) -> None:
        connection = apsw.Connection(str(self.path))
        connection.execute(statement)
        connection.close()

    def close(self) -> None:
        for authority in self.opened:
            authority.close()


def contract(sentence: str) -> Callable[[Bench], None]:
    return lambda bench: CASES[sentence](bench.open)


def edited(statement: str) -> Callable[[Bench], None]:
    def probe(bench: Bench) -> None:
        run_id = bench.host().run(make_goal()).run_id
        bench.edit(statement)
        with pytest.raises(CorruptStoreError):
            bench.host().status(run_id)

    return probe


def foreign_lease_is_respected(bench: Bench) -> None:
    def meanwhile(request):
        with pytest.raises(LeaseHeldError):
            bench.host().resume(make_goal())
        return {}

    assert bench.host(meanwhile).run(make_goal()).status is RunStatus.COMPLETED


def late_result_is_refused(bench: Bench) -> None:
    assert bench.host(lambda request: bench.clock.advance(60)).run(make_goal()).status is RunStatus.UNKNOWN


def overtaken_result_is_refused(bench: Bench) -> None:
    def overtaken(request):
        bench.host().cancel(request.run_id, by="operator")
        return {}

    with pytest.raises(LeaseLostError):
        bench.host(overtaken).run(make_goal())


def clock_set_back_is_harmless(bench: Bench) -> None:
    view = bench.host(lambda request: bench.clock.advance(-10) or {}).run(make_goal())
    assert view.status is RunStatus.COMPLETED


def oversized_output_holds(bench: Bench) -> None:
    view = bench.host(lambda request: "x" * 99).run(make_goal(max_output_bytes=100))
    assert view.status is RunStatus.UNKNOWN


def other_tenant_is_refused(bench: Bench) -> None:
    run_id = bench.host().start(make_goal(tenant="beta")).run_id
    with pytest.raises(ScopeError):
        bench.host(tenant="acme").status(run_id)


def changed_adapter_is_refused(bench: Bench) -> None:
    bench.host().start(make_goal())
    with pytest.raises(BindingChangedError):
        bench.host(version="2").resume(make_goal())


def reader_then_writer_waits(bench: Bench) -> None:
    """Row 9: another writer between our read and our write must wait, not make us fail."""
    authority = bench.open()
    other = apsw.Connection(str(bench.path))
    rows = authority._rows

    def interrupted(name, values):
        found = rows(name, values)
        if name == "find_id":
            with suppress(apsw.BusyError):
                other.execute("INSERT INTO ids (run_id) VALUES ('another')")
        return found

    authority._rows = interrupted
    try:
        Harness(authority, (work_adapter(), verify_adapter())).start(make_goal())
    except AuthorityBusyError as error:
        raise AssertionError("the writer was not waited for") from error
    finally:
        other.close()


def every_commit_is_flushed(bench: Bench) -> None:
    with FaultVfs("flush-counting") as vfs:
        authority = bench.open(vfs="flush-counting")
        host = Harness(authority, (work_adapter(), verify_adapter()))
        host.start(make_goal())
        before = vfs.syncs
        host.advance(make_goal())
        assert vfs.syncs - before >= 2  # the intent and the receipt
        authority.close()
        bench.opened.remove(authority)


def affected_library_is_refused(bench: Bench) -> None:
    with pytest.raises(StoreRefusedError):
        sqlite_connection.refuse_unsafe_library("3.40.1")


def newer_schema_is_refused(bench: Bench) -> None:
    bench.open().close()
    bench.edit(f"PRAGMA user_version = {len(SCHEMA.migrations) + 1}")
    with pytest.raises(StoreRefusedError):
        bench.open()


def without(name: str, text: str, instead: str = "") -> Callable[[pytest.MonkeyPatch], None]:
    """A build whose statement *name* lacks *text*."""

    def mutate(patch: pytest.MonkeyPatch) -> None:
        queries = dict(sqlite._queries())
        assert text in queries[name]
        queries[name] = queries[name].replace(text, instead)
        patch.setattr(sqlite, "_queries", lambda: MappingProxyType(queries))

    return mutate


def patched(target: object, name: str, value: object) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(target, name, value)


@contextmanager
def no_transaction(connection):
    yield


@contextmanager
def deferred(connection):
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def never_late(state, now):
    return min(max(state.clock, now), state.lease.expires_at - 1) if state.lease else max(state.clock, now)


def always_fenced(run_id, state, now, *, fence):
    return decisions.after_crash(run_id, state, now, fence=True)


def unlimited(state, adapter, output):
    return Accepted(output=canonical_json(output).decode(), verdict="PASS" if isinstance(output, dict) else "")


def less_durable(connection):
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


def without_compare_and_swap(patch: pytest.MonkeyPatch) -> None:
    """Both of its layers: the version in the UPDATE, and the journal's primary key behind it."""
    without("move_checkpoint", "AND version = :expected_version")(patch)
    changed = dict(sqlite._queries())
    changed["append_journal"] = changed["append_journal"].replace("INSERT INTO", "INSERT OR REPLACE INTO")
    patch.setattr(sqlite, "_queries", lambda: MappingProxyType(changed))


SAFEGUARDS = {
    "compare and swap on the state version": (contract("stale version is refused"), without_compare_and_swap),
    "compare and swap against an overtaken result": (overtaken_result_is_refused, without_compare_and_swap),
    "row 2: one transaction for receipt, checkpoint, journal and units": (
        contract("transition is whole or absent"),
        patched(sqlite, "immediate", no_transaction),
    ),
    "the in-flight cap": (
        contract("in flight cap is freed by settling"),
        without("move_units", "reserved + :reserve - :settle <= in_flight_cap", "TRUE"),
    ),
    "the total cap": (
        contract("total cap counts what is spent"),
        without("move_units", "reserved + spent + :reserve <= total_cap", "TRUE"),
    ),
    "retired ids": (
        contract("deleted run id is retired"),
        without("find_id", "WHERE run_id = :run_id", "WHERE run_id = :run_id AND FALSE"),
    ),
    "units of a run that is deleted": (
        contract("run that reserves units is not deleted"),
        without("delete_run", "AND status NOT IN ('RUNNING', 'UNKNOWN')"),
    ),
    "the binding digest of the plan": (
        edited("UPDATE plans SET plan = replace(plan, 'do it', 'do that')"),
        patched(record, "verify_stored", lambda stored: None),
    ),
    "the receipt's digest over the output": (
        edited("UPDATE journal SET output = '{\"forged\":1}' WHERE output IS NOT NULL AND sequence = 3"),
        patched(record, "_proven_output", lambda run_id, binding, state, event, output: output),
    ),
    "the checkpoint compared with the replayed journal": (
        edited("UPDATE runs SET status = 'CANCELLED'"),
        patched(record, "_require_same_checkpoint", lambda stored, state: None),
    ),
    "the lease of another holder": (
        foreign_lease_is_respected,
        patched(harness, "after_crash", always_fenced),
    ),
    "the end of the lease": (late_result_is_refused, patched(session, "run_time", never_late)),
    "time that never goes back within a run": (
        clock_set_back_is_harmless,
        lambda patch: [patch.setattr(module, "run_time", lambda state, now: now) for module in (session, decisions)],
    ),
    "the size limit of outputs": (oversized_output_holds, patched(session, "judge_output", unlimited)),
    "the tenant scope": (other_tenant_is_refused, patched(Harness, "_require_tenant", lambda *_: None)),
    "the binding of adapters": (
        changed_adapter_is_refused,
        patched(harness, "require_same_binding", lambda *_: None),
    ),
    "BEGIN IMMEDIATE": (reader_then_writer_waits, patched(sqlite, "immediate", deferred)),
    "synchronous=FULL": (every_commit_is_flushed, patched(sqlite_connection, "_configure", less_durable)),
    "the gate before affected SQLite versions": (
        affected_library_is_refused,
        patched(sqlite_gate, "has_wal_reset_bug", lambda version: False),
    ),
    "the gate before newer schemas": (
        newer_schema_is_refused,
        lambda patch: patch.setattr(
            sqlite, "_schema", lambda: replace(SCHEMA, migrations=(*SCHEMA.migrations, "SELECT 1"))
        ),
    ),
}  # fmt: skip

SCHEMA = sqlite._schema()


@pytest.mark.parametrize(("probe", "mutate"), SAFEGUARDS.values(), ids=SAFEGUARDS)
def test_removing_a_safeguard_is_noticed(tmp_path, probe, mutate):
    with_it, without_it = tmp_path / "with", tmp_path / "without"
    with_it.mkdir()
    without_it.mkdir()
    bench = Bench(with_it)
    probe(bench)
    bench.close()

    bench = Bench(without_it)
    with pytest.MonkeyPatch.context() as patch:
        mutate(patch)
        assert fails(probe, bench)
    bench.close()


def fails(probe: Callable[[Bench], None], bench: Bench) -> bool:
    try:
        probe(bench)
    except (Exception, pytest.fail.Exception):  # noqa: BLE001 - whatever way the missing safeguard shows
        return True
    return False
