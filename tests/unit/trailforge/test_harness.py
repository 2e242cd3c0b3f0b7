"""The host's front door: start, run, pause, advance, resume, status; completed outputs are never computed again."""

from dataclasses import replace

import pytest

from tests.unit.trailforge.goals import make_goal, verify_adapter, work_adapter
from trailforge.authority import Caps, SqliteAuthority
from trailforge.errors import (
    AdmissionError,
    BindingChangedError,
    CapsRefusedError,
    CommandRefusedError,
    ScopeError,
    UnknownRunError,
)
from trailforge.harness import Decision, Harness, RunStatus
from trailforge.harness.events import events_from_text


def events(authority, run_id) -> list[str]:
    entries = authority.load(run_id).entries
    return [type(event).__name__ for entry in entries for event in events_from_text(entry.text)]


def test_start_records_a_ready_run_and_calls_nothing(make_harness, authority):
    harness = make_harness(lambda request: pytest.fail("called"))

    view = harness.start(make_goal())

    assert view.status is RunStatus.READY
    assert view.attempts_total == 0
    assert authority.units("acme").reserved == 0


def test_run_completes_when_the_required_check_passes(make_harness):
    view = make_harness().run(make_goal(works=2))

    assert view.status is RunStatus.COMPLETED
    assert (view.done, view.attempts_total, view.units_used) == (3, 3, 3)
    assert view.output("work-2") == {"done": "work-2"}


def test_each_transition_is_one_entry_and_intent_precedes_every_call(make_harness, authority):
    """A receipt and the next intent share an entry; the first intent and the last receipt stand alone."""
    view = make_harness().run(make_goal(works=1))

    assert events(authority, view.run_id) == [
        "RunAdmitted",
        "AttemptBegan",
        "AttemptSucceeded",
        "AttemptBegan",
        "AttemptSucceeded",
    ]
    assert view.version == 4


def test_intent_is_in_the_store_before_the_callback_runs(make_harness, authority):
    seen = []
    run_id = make_harness().start(make_goal()).run_id

    def look(request):
        seen.append((authority.runs()[0].status, authority.units("acme").reserved))
        return {}

    make_harness(look).resume(make_goal(), run_id)

    assert seen == [("RUNNING", 1)]


def test_callback_sees_detached_input_and_the_outputs_it_depends_on(make_harness):
    inputs = []

    def spoil(request):
        inputs.append((dict(request.input), dict(request.outputs)))
        request.input["n"] = "spoiled"
        request.outputs.clear()
        return {"n": len(inputs)}

    goal = make_goal(works=2)
    make_harness(spoil).run(goal)

    assert inputs == [({"n": 1}, {}), ({"n": 2}, {"work-1": {"n": 1}})]
    assert goal.tasks[0].input == {"n": 1}


def test_failed_required_check_ends_the_run_as_failed(make_harness):
    view = make_harness(verdict="FAIL").run(make_goal())

    assert view.status is RunStatus.FAILED
    assert (view.hold.reason, view.hold.detail) == ("CHECK_FAILED", "accepted")


def test_unknown_verdict_of_a_required_check_holds_the_run(make_harness):
    view = make_harness(verdict="UNKNOWN").run(make_goal())

    assert view.status is RunStatus.UNKNOWN
    assert (view.hold.task, view.hold.reason) == ("verify", "VERDICT_UNKNOWN")


def test_pause_records_the_result_and_resume_goes_on(make_harness):
    goal = make_goal(works=2)
    paused = make_harness().run(goal, pause_after="work-1")
    assert (paused.status, paused.done) == (RunStatus.PAUSED, 1)

    resumed = make_harness().resume(goal)

    assert (resumed.status, resumed.attempts_total) == (RunStatus.COMPLETED, 3)


def test_advance_runs_one_task_and_leaves_the_run_ready(make_harness):
    goal, harness = make_goal(works=2), make_harness()
    harness.start(goal)

    statuses = [harness.advance(goal).status.value for _ in range(3)]

    assert statuses == ["READY", "READY", "COMPLETED"]


def test_completed_outputs_are_reused_after_the_host_is_rebuilt(make_harness):
    calls = []
    goal = make_goal(works=2)
    first = make_harness(lambda request: calls.append(request.task_id) or {})
    first.run(goal, pause_after="work-1")

    make_harness(lambda request: calls.append(request.task_id) or {}).resume(goal)

    assert calls == ["work-1", "work-2"]


def test_same_goal_is_the_same_run(make_harness):
    """Row 22: the same id and the same plan find the run again."""
    calls = []
    harness = make_harness(lambda request: calls.append(1) or {})
    first = harness.run(make_goal())

    second = harness.run(make_goal())

    assert (second.run_id, second.head, calls) == (first.run_id, first.head, [1])


def test_same_id_with_another_goal_is_refused(make_harness):
    """Row 22: the same id and another plan are a conflict; the first run stays as it was."""
    harness = make_harness()
    before = harness.run(make_goal(), "run-1")

    with pytest.raises(BindingChangedError, match=r"admitted with goal\.objective"):
        harness.run(make_goal(objective="something else"), "run-1")

    assert harness.status("run-1").head == before.head


CHANGES = {
    "a limit": (make_goal(works=2, max_units=99), "1", "goal.limits.max_units"),
    "the adapter's version": (make_goal(works=2), "2", "adapters.work.version"),
    "the tenant": (make_goal(works=2, tenant="beta"), "1", "goal.tenant"),
    "a task's units": (make_goal(works=2, units=2), "1", "goal.tasks[0].units"),
    "the number of tasks": (make_goal(works=1), "1", "goal.tasks"),
}


@pytest.mark.parametrize(("goal", "version", "field"), CHANGES.values(), ids=CHANGES)
def test_resume_with_a_change_is_refused_naming_the_field(make_harness, authority, goal, version, field):
    """Row 19: limits, handler versions and task order are part of the binding."""
    make_harness().run(make_goal(works=2), "run-1", pause_after="work-1")
    before = authority.load("run-1")

    with pytest.raises(BindingChangedError) as caught:
        make_harness(version=version).resume(goal, "run-1")

    assert caught.value.field == field
    assert authority.load("run-1") == before


def test_key_order_of_an_input_changes_nothing(make_harness):
    """Row 19: the binding is over canonical bytes."""
    harness = make_harness()
    goals = []
    for pairs in ([("a", 1), ("b", 2)], [("b", 2), ("a", 1)]):
        goal = make_goal()
        object.__setattr__(goal.tasks[0], "input", dict(pairs))
        goals.append(goal)

    assert harness.start(goals[0]).run_id == harness.start(goals[1]).run_id


def test_run_of_another_store_is_not_found(make_harness, clock):
    view = make_harness().run(make_goal())
    elsewhere = SqliteAuthority(clock=clock, store_id="another-store")

    with pytest.raises(UnknownRunError, match=f"{view.run_id} is not in store another-store"):
        make_harness(store=elsewhere).resume(make_goal())
    elsewhere.close()


def test_host_of_one_tenant_touches_no_other_tenants_run(make_harness):
    run_id = make_harness().start(make_goal(tenant="beta")).run_id
    host = make_harness(tenant="acme")

    with pytest.raises(ScopeError, match="belongs to tenant 'beta', this host acts only for 'acme'"):
        host.status(run_id)
    with pytest.raises(ScopeError):
        host.start(make_goal(tenant="beta"))


def test_refused_goal_leaves_nothing_behind(make_harness, authority):
    with pytest.raises(AdmissionError):
        make_harness().run(make_goal(tenant=""))

    assert list(authority.runs()) == []


def test_two_adapters_of_one_name_are_refused(authority):
    with pytest.raises(AdmissionError, match=r"adapters\[1\]\.name: repeats 'work'; every adapter name is used once"):
        Harness(authority, (work_adapter(), work_adapter(version="2"), verify_adapter()))


def test_what_is_no_adapter_is_named_before_anything_runs(authority):
    nameless = replace(work_adapter(), name=["work"])

    with pytest.raises(AdmissionError) as caught:
        Harness(authority, (work_adapter(), nameless, "work"))

    assert [str(problem) for problem in caught.value.problems] == [
        "adapters[1].name: is a list, expected a str",
        "adapters[2]: is a str, expected an Adapter",
    ]


def test_adapter_without_a_callback_is_refused_before_it_costs_a_unit(authority):
    harness = Harness(authority, (replace(work_adapter(), call=None), verify_adapter()))

    with pytest.raises(AdmissionError, match=r"call: is a NoneType, expected a function of a Request"):
        harness.run(make_goal())

    assert list(authority.runs()) == []


def test_cancelled_run_takes_no_more_commands(make_harness):
    harness = make_harness()
    run_id = harness.start(make_goal()).run_id
    assert harness.cancel(run_id, by="operator").status is RunStatus.CANCELLED

    with pytest.raises(CommandRefusedError, match="has ended CANCELLED"):
        harness.cancel(run_id, by="operator")
    assert harness.resume(make_goal()).status is RunStatus.CANCELLED


def test_in_memory_host_with_its_own_holder_is_reproducible(clock):
    """The simulator's path: no randomness reaches the journal when holder, store and clock are given."""
    heads = set()
    for _ in range(2):
        store = SqliteAuthority(clock=clock, store_id="simulated")
        adapters = (work_adapter(), verify_adapter())
        heads.add(Harness(store, adapters, holder="organization-1").run(make_goal(works=3)).head)
        store.close()

    assert len(heads) == 1


def test_what_was_admitted_is_what_runs_whatever_the_host_changes_later(make_harness):
    """The receipt binds the input that was admitted, so that is the input the callback gets."""
    shared = {"n": 1.0}
    goal = replace(make_goal(works=2), tasks=tuple(replace(t, input=shared) for t in make_goal(works=2).tasks))
    seen = []

    def meddle(request):
        seen.append(request.input)
        shared["n"] = 999
        return {}

    make_harness(meddle).run(goal)

    assert seen == [{"n": 1}, {"n": 1}]


@pytest.mark.parametrize("run_id", ["../x", "a b", "a\ud800", "a\x00", 5], ids=repr)
def test_a_run_id_is_a_plain_name(make_harness, authority, run_id):
    for command in (lambda h: h.run(make_goal(), run_id), lambda h: h.status(run_id)):
        with pytest.raises(AdmissionError, match=r"run_id: is .*, expected 1 to 128 letters"):
            command(make_harness())
    assert authority.runs() == []


NOBODY = {
    "nobody": {"by": ""},
    "blanks": {"by": "  "},
    "no text": {"by": None},
    "a lone surrogate": {"by": "a\ud800"},
    "a note that is too long": {"by": "ann", "note": "x" * 2_001},
    "a note with NUL": {"by": "ann", "note": "a\x00"},
}


@pytest.mark.parametrize("given", NOBODY.values(), ids=NOBODY)
def test_a_decision_by_nobody_is_refused_and_changes_nothing(make_harness, given):
    harness = make_harness(lambda request: 1 / 0)
    held = harness.run(make_goal())

    with pytest.raises(CommandRefusedError):
        harness.resolve(held.run_id, "work-1", Decision.RETRY, **given)
    with pytest.raises(CommandRefusedError):
        harness.cancel(held.run_id, **given)
    assert harness.status(held.run_id).version == held.version


def test_a_decision_is_one_of_the_two(make_harness):
    harness = make_harness(lambda request: 1 / 0)
    held = harness.run(make_goal())

    with pytest.raises(CommandRefusedError, match="was given the decision 'RETRY', expected a Decision"):
        harness.resolve(held.run_id, "work-1", "RETRY", by="ann")


def test_a_pause_after_no_task_is_refused_before_anything_is_stored(make_harness, authority):
    with pytest.raises(AdmissionError, match=r"pause_after: is 'wrok-1', which is no task; did you mean 'work-1'\?"):
        make_harness().run(make_goal(), pause_after="wrok-1")
    assert authority.runs() == []


@pytest.mark.parametrize("output", [{"zero": -0.0}, "a\x00b", {"a\x00": 1}], ids=repr)
def test_an_output_that_would_come_back_changed_is_in_doubt(make_harness, output):
    """Row 17: refused at the boundary like NaN."""
    view = make_harness(lambda request: output).run(make_goal())

    assert (view.status, view.hold.reason) == (RunStatus.UNKNOWN, "OUTPUT_INVALID")


def test_the_audit_of_a_store_finds_nothing_wrong_with_what_a_harness_did(make_harness, authority):
    harness = make_harness(lambda request: 1 / 0)
    held = harness.run(make_goal(works=2))
    harness.resolve(held.run_id, "work-1", Decision.RETRY, by="ann")
    make_harness().resume(make_goal(works=2))
    make_harness(lambda request: 1 / 0).run(make_goal(tenant="other"))

    assert harness.audit() == ()


@pytest.mark.parametrize("cap", [-1, True, "5", 2**53, 1.0, float("nan"), None], ids=repr)
def test_a_cap_is_a_number_of_units(cap):
    with pytest.raises(CapsRefusedError, match="cap tenant_total is"):
        Caps(tenant_total=cap)
