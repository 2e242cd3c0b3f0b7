"""The Develop profile on real files, with a harness on SQLite and commands in bubblewrap."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trailforge.authority import SqliteAuthority
from trailforge.errors import (
    HandoffRefusedError,
    LinkedFileError,
    PathRefusedError,
    TreeChangedError,
    WriteEndedError,
)
from trailforge.harness import Decision, Harness, RunStatus, RunView
from trailforge.profiles.develop import DevelopProfile, Evidence, Handoff, HostPhase, Phase, PhaseContext, hand_off
from trailforge.runner import Bubblewrap, Command, CommandRunner, judge
from trailforge.work import Adapter, AdapterKind, Check, Effect, Goal, Task, Verdict, goal_digest
from trailforge.workspace import CandidateWorkspace, LocalArtifactStore
from trustrail.foundation import FixedClock


class Development:
    """One development in a folder; `phases` may be replaced before it is opened."""

    def __init__(self, place: Path) -> None:
        self.place = place
        for name in ("candidate", "checks", "artifacts"):
            (place / name).mkdir(exist_ok=True)
        (place / "candidate" / "README").write_bytes(b"fixed\n")
        (place / "checks" / "expected.txt").write_bytes(b"42\n")
        self.seen: list[PhaseContext] = []
        self.phases = {
            Phase.PLAN: HostPhase(call=self.note({"steps": 1}), version="1"),
            Phase.RESEARCH: HostPhase(call=self.note({}), version="1", effect=Effect.SCOPED_READ),
            Phase.BUILD: HostPhase(call=self.build, version="1"),
            Phase.DEBUG: HostPhase(call=self.note({}), version="1", effect=Effect.SCOPED_READ),
            Phase.VERIFY: HostPhase(call=self.verify, version="1", effect=Effect.SCOPED_READ),
        }
        self.content = b"42\n"
        self.clock = FixedClock(1_000_000.0)

    def note(self, result: dict[str, Any]) -> Callable[[PhaseContext], Any]:
        def call(context: PhaseContext) -> Any:
            self.seen.append(context)
            return result

        return call

    def build(self, context: PhaseContext) -> Any:
        self.seen.append(context)
        receipt = context.writer.write("answer.txt", self.content)
        return {"sha256": receipt.sha256}

    def verify(self, context: PhaseContext) -> Evidence:
        self.seen.append(context)
        right = context.candidate.read("answer.txt") == (context.checks / "expected.txt").read_bytes()
        return Evidence(verdict=Verdict.PASS if right else Verdict.FAIL, details={"compared": True})

    def open(self) -> None:
        self.workspace = CandidateWorkspace(self.place / "candidate", ["answer.txt", "notes.txt"])
        self.artifacts = LocalArtifactStore(self.place / "artifacts")
        self.profile = DevelopProfile(self.workspace, self.place / "checks", self.artifacts, self.phases)
        self.authority = SqliteAuthority(self.place / "runs.db", clock=self.clock)
        self.harness = Harness(self.authority, self.profile.adapters())

    def close(self) -> None:
        self.profile.close()
        self.artifacts.close()
        self.workspace.root.close()
        self.authority.close()

    def goal(self, rounds: int = 1) -> Goal:
        return self.profile.goal(tenant="acme", resource="app@1", objective="print 42", rounds=rounds)

    def run(self, rounds: int = 1) -> RunView:
        return self.harness.run(self.goal(rounds), "run")

    def hand_off(self, view: RunView, **other: str) -> Handoff:
        expected = {"tenant": "acme", "resource": "app@1", "store": self.authority.store_id, **other}
        return hand_off(self.profile, view, **expected)


@pytest.fixture
def development(tmp_path: Path) -> Iterator[Development]:
    made = Development(tmp_path)
    made.open()
    yield made
    made.close()


def reopened(development: Development, phase: Phase, call: Callable[[PhaseContext], Any]) -> None:
    """Let *phase* do *call* instead."""
    development.close()
    development.phases[phase] = replace(development.phases[phase], call=call)
    development.open()


def test_one_round_completes_and_is_handed_off(development: Development) -> None:
    view = development.run()
    handoff = development.hand_off(view)

    assert view.status is RunStatus.COMPLETED
    assert [file.path for file in handoff.files] == ["README", "answer.txt"]
    assert handoff.journal_head == view.head
    assert (development.place / "candidate" / "answer.txt").read_bytes() == b"42\n"


def test_only_build_gets_a_writer_and_only_verify_sees_the_checks(development: Development) -> None:
    development.run()

    assert [context.phase for context in development.seen if context.writer is not None] == [Phase.BUILD]
    assert [context.phase for context in development.seen if context.checks is not None] == [Phase.VERIFY]


def test_evidence_is_bound_to_candidate_checks_round_and_goal(development: Development) -> None:
    view = development.run()
    output = view.output("round-1-verify")
    trees = development.profile.continuity.trees().digests()

    assert (output["candidate"], output["checks"]) == (trees.candidate, trees.checks)
    assert output["round"] == 1
    assert output["goal"] == development.seen[0].goal_digest


def test_failed_verification_of_the_last_round_is_no_success(development: Development) -> None:
    development.content = b"41\n"
    view = development.run()

    assert view.status is RunStatus.FAILED
    with pytest.raises(HandoffRefusedError, match="is FAILED, only one that COMPLETED"):
        development.hand_off(view)


def test_second_round_sees_the_failure_of_the_first_and_may_repair_it(development: Development) -> None:
    def build(context: PhaseContext) -> Any:
        development.seen.append(context)
        context.writer.write("answer.txt", b"41\n" if context.round == 1 else b"42\n")
        return {}

    reopened(development, Phase.BUILD, build)
    view = development.run(rounds=2)
    plans = [context for context in development.seen if context.phase is Phase.PLAN]

    assert view.status is RunStatus.COMPLETED
    assert view.output("round-1-verify")["verdict"] == "FAIL"
    assert plans[1].earlier["round-1-verify"] == {"compared": True}
    assert development.hand_off(view).trees.candidate == view.output("round-2-health")["candidate"]


def test_unknown_verification_holds_the_run(development: Development) -> None:
    reopened(development, Phase.VERIFY, lambda context: Evidence(verdict=Verdict.UNKNOWN, details={}))

    assert development.run().status is RunStatus.UNKNOWN


@pytest.mark.parametrize("returned", [True, {"verdict": "PASS"}, None])
def test_verification_without_evidence_holds_the_run(development: Development, returned: object) -> None:
    reopened(development, Phase.VERIFY, lambda context: returned)

    assert development.run().status is RunStatus.UNKNOWN


MEDDLING = {
    "PLAN writes a candidate": (Phase.PLAN, "candidate/answer.txt"),
    "RESEARCH adds a file": (Phase.RESEARCH, "candidate/extra.txt"),
    "BUILD changes a file that is no candidate": (Phase.BUILD, "candidate/README"),
    "BUILD changes the checks": (Phase.BUILD, "checks/expected.txt"),
    "DEBUG writes a candidate": (Phase.DEBUG, "candidate/answer.txt"),
    "VERIFY adds a check": (Phase.VERIFY, "checks/new.txt"),
    "VERIFY writes a candidate": (Phase.VERIFY, "candidate/notes.txt"),
}


@pytest.mark.parametrize(("phase", "path"), MEDDLING.values(), ids=MEDDLING)
def test_unauthorized_change_holds_the_run(development: Development, phase: Phase, path: str) -> None:
    usual = development.phases[phase].call

    def meddle(context: PhaseContext) -> Any:
        result = usual(context)
        (development.place / path).write_bytes(b"meddled\n")
        return result

    reopened(development, phase, meddle)
    view = development.run()

    assert view.status is RunStatus.UNKNOWN
    assert "was changed without permission" in view.hold.detail
    assert path.partition("/")[2] in view.hold.detail


def test_change_between_two_phases_holds_the_run(development: Development) -> None:
    goal = development.goal()
    development.harness.run(goal, "run", pause_after="round-1-build")
    (development.place / "candidate" / "answer.txt").write_bytes(b"42\n#\n")
    view = development.harness.resume(goal, "run")

    assert view.status is RunStatus.UNKNOWN
    assert "the last phase left" in view.hold.detail


@pytest.mark.parametrize("path", ["candidate/answer.txt", "checks/expected.txt"])
def test_health_fails_when_a_tree_changed_after_verify(development: Development, path: str) -> None:
    goal = development.goal()
    development.harness.run(goal, "run", pause_after="round-1-verify")
    (development.place / path).write_bytes(b"43\n")
    view = development.harness.resume(goal, "run")

    assert view.status is RunStatus.FAILED


@pytest.mark.parametrize("path", ["candidate/answer.txt", "candidate/README", "checks/expected.txt"])
def test_handoff_is_refused_when_a_tree_changed_afterwards(development: Development, path: str) -> None:
    view = development.run()
    (development.place / path).write_bytes(b"43\n")
    with pytest.raises(TreeChangedError, match="changed after it was verified"):
        development.hand_off(view)


def test_handoff_names_the_run_its_goal_its_journal_and_every_file(development: Development) -> None:
    view = development.run()
    handoff = development.hand_off(view)

    assert handoff.goal == development.seen[0].goal_digest
    assert replace(handoff, journal_head="0" * 64).digest != handoff.digest
    assert replace(handoff, files=handoff.files[:1]).digest != handoff.digest


def test_handoff_says_whose_it_is_and_where_its_run_is_kept(development: Development) -> None:
    handoff = development.hand_off(development.run())

    record = handoff.to_record()
    assert (record["tenant"], record["resource"]) == ("acme", "app@1")
    assert record["store"] == development.authority.store_id
    for name in ("tenant", "resource", "store"):
        assert replace(handoff, **{name: "another"}).digest != handoff.digest


@pytest.mark.parametrize("name", ["tenant", "resource", "store"])
def test_development_of_another_is_not_handed_off(development: Development, name: str) -> None:
    view = development.run()
    with pytest.raises(HandoffRefusedError, match=rf"its (goal\.)?{name} is .*, expected \"another\""):
        development.hand_off(view, **{name: "another"})


def forged_health(development: Development) -> Adapter:
    """An adapter that calls itself the built-in HEALTH and finds every tree healthy."""
    trees = development.profile.continuity.trees().digests().to_record()
    name = development.profile.adapters()[-1].name
    return Adapter(name=name, version="1", kind=AdapterKind.VERIFY, call=lambda request: {**trees, "verdict": "PASS"})


def test_run_that_is_no_development_is_not_handed_off(development: Development) -> None:
    health = forged_health(development)
    goal = Goal(
        tenant="acme",
        resource="app@1",
        objective="something else",
        tasks=(Task(id="v", adapter=health.name),),
        checks=(Check(name="v", task="v"),),
    )
    view = Harness(development.authority, [health]).run(goal, "other")
    with pytest.raises(HandoffRefusedError, match=r"tasks: are 1, expected 6 for each of 1 to 3 rounds"):
        development.hand_off(view)


OTHER_DEVELOPMENTS = {
    "another phase": ("build", {"version": "2"}, "adapters.develop.build.version"),
    "a phase with another model": ("verify", {"settings": {"model": "x"}}, "adapters.develop.verify.settings"),
    "a HEALTH that is not the built-in one": ("health", {"version": "0"}, "adapters.develop.health.version"),
}


@pytest.mark.parametrize(("phase", "changes", "field"), OTHER_DEVELOPMENTS.values(), ids=OTHER_DEVELOPMENTS)
def test_development_by_other_adapters_is_not_handed_off(
    development: Development, phase: str, changes: dict[str, Any], field: str
) -> None:
    adapters = [
        replace(each, **changes) if each.name == f"develop.{phase}" else each for each in development.profile.adapters()
    ]
    view = Harness(development.authority, adapters).run(development.goal(), "other")

    assert view.status is RunStatus.COMPLETED
    with pytest.raises(HandoffRefusedError, match=f"its {field}"):
        development.hand_off(view)


OTHER_GOALS = {
    "one that requires no VERIFY": lambda goal: replace(goal, checks=goal.checks[1:]),
    "one whose HEALTH depends on nothing else": lambda goal: replace(
        goal, tasks=(*goal.tasks[:-1], replace(goal.tasks[-1], depends_on=goal.tasks[-1].depends_on[-2:]))
    ),
    "one without a baseline": lambda goal: replace(goal, tasks=(replace(goal.tasks[0], input={}), *goal.tasks[1:])),
}


@pytest.mark.parametrize("change", OTHER_GOALS.values(), ids=OTHER_GOALS)
def test_goal_the_profile_did_not_declare_is_not_handed_off(development: Development, change: Callable) -> None:
    """All tasks run by stand-ins of the right identity, so that the goal alone differs."""
    trees = development.profile.continuity.trees().digests().to_record()
    answers = {**trees, "verdict": "PASS", "goal": "", "round": 1}
    adapters = [replace(each, call=lambda request: answers) for each in development.profile.adapters()]
    view = Harness(development.authority, adapters).run(change(development.goal()), "other")

    assert view.status is RunStatus.COMPLETED
    with pytest.raises(HandoffRefusedError, match=r"no development|not the development"):
        development.hand_off(view)


STAND_INS = {
    "judged another goal": {"goal": "0" * 64},
    "judged another round": {"round": 2},
    "names no trees": {"candidate": None, "checks": None},
}


@pytest.mark.parametrize("told", STAND_INS.values(), ids=STAND_INS)
def test_verification_of_something_else_is_not_handed_off(development: Development, told: dict[str, Any]) -> None:
    """Stand-ins of the right identity say PASS, but not of what was asked."""
    goal = development.goal()
    trees = development.profile.continuity.trees().digests().to_record()
    answers = {**trees, "verdict": "PASS", "goal": goal_digest(goal), "round": 1, **told}
    adapters = [replace(each, call=lambda request: answers) for each in development.profile.adapters()]
    view = Harness(development.authority, adapters).run(goal, "other")

    assert view.status is RunStatus.COMPLETED
    with pytest.raises(HandoffRefusedError, match="run other contradicts itself"):
        development.hand_off(view)


def test_handoff_is_refused_when_a_candidate_became_a_link(development: Development) -> None:
    view = development.run()
    (development.place / "candidate" / "answer.txt").unlink()
    (development.place / "candidate" / "answer.txt").symlink_to("README")
    with pytest.raises(LinkedFileError):
        development.hand_off(view)


def test_failed_build_is_repeated_from_the_candidates_it_started_with(development: Development) -> None:
    (development.place / "candidate" / "answer.txt").write_bytes(b"old\n")
    attempts: list[dict[str, bytes]] = []

    def build(context: PhaseContext) -> Any:
        found = {path: context.candidate.read(path) for path in ("answer.txt",)}
        attempts.append(found)
        context.writer.write("answer.txt", b"42\n")
        if context.attempt == 1:
            context.writer.write("notes.txt", b"half done\n")
            raise RuntimeError("crashed halfway")
        return {}

    reopened(development, Phase.BUILD, build)
    goal = development.goal()
    assert development.harness.run(goal, "run").status is RunStatus.UNKNOWN
    development.harness.resolve("run", "round-1-build", Decision.RETRY, by="ann")
    view = development.harness.resume(goal, "run")

    assert view.status is RunStatus.COMPLETED
    assert attempts == [{"answer.txt": b"old\n"}, {"answer.txt": b"old\n"}]
    assert not (development.place / "candidate" / "notes.txt").exists()


def test_killed_build_is_held_and_repeated_from_the_candidates_it_started_with(tmp_path: Path) -> None:
    """Row 1 of the durable reference, for a candidate write: the process dies right after the effect."""
    child = os.fork()
    if child == 0:
        try:
            dying = Development(tmp_path)

            def die(context: PhaseContext) -> Any:
                context.writer.write("answer.txt", b"half\n")
                os.kill(os.getpid(), signal.SIGKILL)

            dying.phases[Phase.BUILD] = replace(dying.phases[Phase.BUILD], call=die)
            dying.open()
            dying.run()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)

    development = Development(tmp_path)
    development.open()
    goal = development.harness.status("run").record.state.goal
    held = development.harness.resume(goal, "run", fence=True)
    assert held.status is RunStatus.UNKNOWN
    assert held.task == "round-1-build"
    development.harness.resolve("run", "round-1-build", Decision.RETRY, by="ann")
    view = development.harness.resume(goal, "run")
    development.close()

    assert view.status is RunStatus.COMPLETED
    assert development.seen[0].attempt == 2


def test_writer_kept_beyond_its_phase_writes_nothing(development: Development) -> None:
    kept = []

    def build(context: PhaseContext) -> Any:
        kept.append(context.writer)
        return development.build(context)

    reopened(development, Phase.BUILD, build)
    development.run()
    with pytest.raises(WriteEndedError):
        kept[0].write("answer.txt", b"late\n")

    assert (development.place / "candidate" / "answer.txt").read_bytes() == b"42\n"


def test_candidate_is_not_written_once_the_lease_is_lost(development: Development) -> None:
    """Row 6 of the durable reference: the write asks for the lease first."""

    def slow(context: PhaseContext) -> Any:
        development.clock.advance(301)
        return development.build(context)

    reopened(development, Phase.BUILD, slow)
    view = development.run()

    assert view.status is RunStatus.UNKNOWN
    assert not (development.place / "candidate" / "answer.txt").exists()


def test_checks_within_the_candidate_tree_are_refused(development: Development) -> None:
    inner = development.place / "candidate" / "checks"
    inner.mkdir()
    with pytest.raises(PathRefusedError, match="lies within the candidate root"):
        DevelopProfile(development.workspace, inner, development.artifacts, development.phases)


def test_verification_by_a_command_in_bubblewrap(development: Development, boxed: Bubblewrap) -> None:
    class ExitCode:
        name = "exit-code/1"

        def judge(self, criterion: str, result: Any) -> tuple[Verdict, str]:
            return (Verdict.PASS if result.receipt.code == 0 else Verdict.FAIL), "compared by cmp"

    def verify(context: PhaseContext) -> Evidence:
        command = Command(arguments=("/usr/bin/cmp", "answer.txt", "/checks/expected.txt"), timeout_ms=20_000)
        result = CommandRunner(boxed).run(
            command, goal=context.goal_digest, candidate=context.candidate.root, checks=context.checks
        )
        judgement = judge(result, "answer", ExitCode())
        return Evidence(verdict=judgement.verdict, details=judgement.to_record())

    reopened(development, Phase.VERIFY, verify)
    view = development.run()

    assert view.status is RunStatus.COMPLETED
    assert view.output("round-1-verify")["result"]["verifier"] == "exit-code/1"


def swap(folder: Path, content: dict[str, bytes]) -> None:
    """Put another directory under the name of *folder*."""
    folder.rename(folder.with_name(f"{folder.name}.old"))
    folder.mkdir()
    for name, data in content.items():
        (folder / name).write_bytes(data)


@pytest.mark.parametrize("tree", ["checks", "candidate"])
def test_a_tree_swapped_under_its_name_is_never_judged(development: Development, tree: str) -> None:
    """VERIFY goes by the name, so what the name leads to must be what is watched."""

    def build(context: PhaseContext) -> Any:
        context.writer.write("answer.txt", b"41\n")
        swap(development.place / tree, {"expected.txt": b"41\n", "answer.txt": b"41\n"})
        return {}

    reopened(development, Phase.BUILD, build)

    view = development.run()

    assert view.status is RunStatus.UNKNOWN
    assert "leads to another directory than the one that is held" in view.hold.detail
