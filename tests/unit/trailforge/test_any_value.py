"""Every argument a host gives may be anything: what it may not be is refused by an error of ours."""

from collections import OrderedDict, UserDict
from dataclasses import fields, replace
from pathlib import Path

import pytest

from tests.publishing_world import INTENT, ExternalSystem, Guard
from tests.unit.trailforge.goals import make_goal, verify_adapter, work_adapter
from trailforge.authority import Caps, SqliteAuthority
from trailforge.errors import TrailforgeError
from trailforge.errors.showing import shown
from trailforge.harness import Decision, Harness
from trailforge.publishing import GuardedPublisher, SqlitePublicationStore
from trailforge.review import MemoryReviewStore, OfflineController, review_scope
from trailforge.runner import Command, Docker
from trailforge.work import Adapter, Check, Effect, Goal, Limits, Task
from trailforge.workspace import CandidateWorkspace, LocalRetrieval


class Mute:
    """Cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("not shown")


class Text(str):
    __slots__ = ()


def nested(depth: int) -> dict:
    value: dict = {}
    for _ in range(depth):
        value = {"a": value}
    return value


CYCLE: dict = {}
CYCLE["itself"] = CYCLE

VALUES = {
    "nothing": None,
    "true": True,
    "a negative": -1,
    "a fraction": 1.5,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "minus zero": -0.0,
    "2**53": 2**53,
    "2**64": 2**64,
    "5,000 digits": 10**5_000,
    "an empty text": "",
    "a lone surrogate": "\ud800",
    "NUL": "a\x00b",
    "a terminal command": "\x1b[2J",
    "a long text": "x" * 100_000,
    "bytes": b"x",
    "a list": [],
    "a mapping": {},
    "a key that is no text": {1: 2},
    "a surrogate as key": {"\ud800": 1},
    "a long integer within": {"a": 10**5_000},
    "a cycle": CYCLE,
    "10,000 levels": nested(10_000),
    "a text of another class": Text("x"),
    "an ordered mapping": OrderedDict(a=1),
    "a user's mapping": UserDict(a=1),
    "a function": len,
    "a class": Task,
    "an enumeration": Effect.PURE,
    "an iterator": iter(()),
    "what cannot be shown": Mute(),
    "a tuple of it": (Mute(),),
}


@pytest.fixture(params=VALUES.values(), ids=VALUES)
def value(request):
    return request.param


def refused_or_done(act, *given, **named) -> None:
    """Run *act*; an error must be ours, and its text must exist."""
    try:
        act(*given, **named)
    except TrailforgeError as error:
        str(error)


GOAL = make_goal()


def odd_goals(value) -> list[Goal]:
    work, verify = GOAL.tasks
    (check,) = GOAL.checks
    return [
        value,
        *(replace(GOAL, **{field.name: value}) for field in fields(Goal)),
        *(replace(GOAL, tasks=(replace(work, **{field.name: value}), verify)) for field in fields(Task)),
        *(replace(GOAL, checks=(replace(check, **{field.name: value}),)) for field in fields(Check)),
        *(replace(GOAL, limits=replace(GOAL.limits, **{field.name: value})) for field in fields(Limits)),
        *(replace(GOAL, **{name: (value,)}) for name in ("tasks", "checks", "allowed_effects")),
        replace(GOAL, tasks=(work, replace(verify, depends_on=(value,)))),
        replace(GOAL, tasks=(replace(work, input={"odd": value}), verify)),
    ]


def test_goal(authority, value):
    harness = Harness(authority, (work_adapter(), verify_adapter()))
    for number, goal in enumerate(odd_goals(value)):
        for act in (harness.start, harness.resume, harness.advance):
            refused_or_done(act, goal, f"run-{number}")
    for run_id in harness.run_ids():
        assert harness.status(run_id).run_id == run_id
    assert harness.audit() == ()


def test_adapter_and_what_it_returns_or_raises(authority, value):
    class OddError(Exception):
        def __str__(self) -> str:
            return value

    def raises(request):
        raise OddError

    for number, field in enumerate(fields(Adapter)):
        odd = replace(work_adapter(), **{field.name: value})
        refused_or_done(
            lambda odd=odd, number=number: Harness(authority, (odd, verify_adapter())).run(GOAL, f"a-{number}")
        )
    for number, call in enumerate((lambda request: value, lambda request: {"odd": value}, raises)):
        Harness(authority, (work_adapter(call), verify_adapter())).run(GOAL, f"b-{number}")
    Harness(authority, (work_adapter(), verify_adapter(value))).run(GOAL, "c")
    harness = Harness(authority, ())
    for run_id in harness.run_ids():
        harness.status(run_id)
    assert harness.audit() == ()


def test_host_and_its_commands(authority, value):
    adapters = (work_adapter(lambda request: 1 / 0), verify_adapter())
    for name in ("tenant", "holder"):
        refused_or_done(lambda name=name: Harness(authority, adapters, **{name: value}).run(GOAL, "run-1"))
    refused_or_done(Harness, authority, (value,))
    harness = Harness(authority, adapters)
    refused_or_done(harness.run, GOAL, value)
    refused_or_done(harness.run, GOAL, "run-2", pause_after=value)
    for act in (harness.status, harness.journal):
        refused_or_done(act, value)
    harness.run(GOAL, "held")
    for given in (("held", "work-1", value), ("held", value, Decision.RETRY), (value, "work-1", Decision.RETRY)):
        refused_or_done(harness.resolve, *given, by="ann")
    for named in ({"by": value}, {"by": "ann", "note": value}):
        refused_or_done(harness.cancel, "held", **named)
    for name in Caps.__dataclass_fields__:
        refused_or_done(lambda name=name: SqliteAuthority(caps=Caps(**{name: value})).close())


def test_publication(value):
    store = SqlitePublicationStore(":memory:")
    publisher = GuardedPublisher(store, Guard(), [ExternalSystem()])
    for field in fields(INTENT):
        refused_or_done(lambda field=field: publisher.approve(replace(INTENT, **{field.name: value}), by="ann"))
    for named in ({"by": value}, {"by": "ann", "seconds": value}):
        refused_or_done(publisher.approve, INTENT, **named)
    for act in (publisher.execute, publisher.revoke):
        refused_or_done(act, INTENT, value, by="ann")
    refused_or_done(GuardedPublisher, store, Guard(), [], sending_seconds=value)
    store.close()


def test_review(tmp_path, value):
    (tmp_path / "a.py").write_text("x\n")
    names = {"tenant": "acme", "resource": "r", "revision": "1", "paths": ["a.py"]}
    for name in names:
        refused_or_done(lambda name=name: review_scope(**{**names, name: value}))
    finding = dict.fromkeys(("path", "receipt", "start_line", "end_line", "quote", "severity", "claim"), "x")
    answers = [value, {"security": value}, {"security": [value]}]
    answers += [{"security": [{**finding, name: value}]} for name in finding]
    answers += [{key: []} for key in value] if isinstance(value, dict) else []
    answers += [{"security": [{**finding, **value}]}] if isinstance(value, dict) else []
    for answer in answers:
        draft = OfflineController(tmp_path, lambda request, answer=answer: answer, MemoryReviewStore())
        assert draft.review(review_scope(**names)).record()["coverage"] == "INCOMPLETE"


def test_command(value):
    whole = {"arguments": ("true",), "timeout_ms": 5}
    for field in fields(Command):
        refused_or_done(lambda field=field: Command(**{**whole, field.name: value}).digest)
    refused_or_done(lambda: Command(arguments=("true", value), timeout_ms=5).digest)
    refused_or_done(lambda: Command(**whole, environment=(("NAME", value),)).digest)
    refused_or_done(Docker, value)


def test_files(tmp_path: Path, value):
    (tmp_path / "a.py").write_text("x\n")
    refused_or_done(CandidateWorkspace, tmp_path, value)
    refused_or_done(CandidateWorkspace, tmp_path, [value])
    with CandidateWorkspace(tmp_path, ["a.py"]) as workspace, LocalRetrieval(tmp_path, ["a.py"]) as retrieval:
        for act in (workspace.read, workspace.writer().remove):
            refused_or_done(act, value)
        refused_or_done(workspace.writer().write, value, b"")
        refused_or_done(workspace.writer().write, "a.py", value)
        refused_or_done(retrieval.search, value, revision=retrieval.revision())
        refused_or_done(retrieval.search, "x", revision=value)


def test_anything_can_be_shown_and_not_at_length(value):
    assert 0 < len(shown(value)) <= 80
