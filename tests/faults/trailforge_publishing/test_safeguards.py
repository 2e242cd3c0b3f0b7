"""Safeguards removed one by one: with each in place its harm does not happen, without it the harm is seen.

This keeps every safeguard from becoming a line that nothing depends on.
"""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from tests.publishing_world import INTENT, ExternalSystem, Guard, time_out
from trailforge.errors import PublicationError, TrailforgeError
from trailforge.publishing import GuardedAction, GuardedPublisher, OperationState, SqlitePublicationStore
from trailforge.publishing import dispatcher as dispatcher_module
from trailforge.publishing import publisher as publisher_module
from trailforge.publishing import sqlite as sqlite_module
from trailforge.publishing import store as store_module
from trailforge.review import Capture, Role, SourceFile
from trailforge.review import finding as finding_module
from trailforge.runner import Command, CommandRunner, Outcome, ProcessGroup, RunReceipt, judge
from trailforge.runner import process as process_module
from trailforge.work import Verdict
from trailforge.workspace import CandidateWorkspace, HeldRoot
from trailforge.workspace import descriptors as descriptors_module
from trailforge.workspace import paths as paths_module
from trustrail.foundation import FixedClock


@dataclass(frozen=True, slots=True, kw_only=True)
class Safeguard:
    """How to remove it, and whether the harm it prevents happens."""

    remove: Callable[[pytest.MonkeyPatch], None]
    harm: Callable[[Path], bool]


class Publishing:
    def __init__(self) -> None:
        self.clock = FixedClock(1_000_000.0)
        self.store = SqlitePublicationStore(":memory:", clock=self.clock)
        self.system = ExternalSystem()
        self.guard = Guard()
        self.publisher = GuardedPublisher(self.store, self.guard, [self.system])

    def approve(self) -> str:
        return self.publisher.approve(INTENT, by="ann").approval_id

    def execute(self, approval: str, intent: Any = INTENT) -> Any:
        with suppress(TrailforgeError):
            return self.publisher.execute(intent, approval, by="bob").state
        return None


def expired_approval_sends(_place: Path) -> bool:
    world = Publishing()
    approval = world.approve()
    world.clock.advance(3600)
    world.execute(approval)
    return world.system.sends > 0


def approval_sends_another_intent(_place: Path) -> bool:
    world = Publishing()
    world.execute(world.approve(), replace(INTENT, action="delete"))
    return world.system.sends > 0


def used_approval_is_not_spent(_place: Path) -> bool:
    world = Publishing()
    approval = world.approve()
    world.execute(approval)
    return world.store.approval_end(approval) != "CONSUMED"


def denied_execution_sends(_place: Path) -> bool:
    world = Publishing()
    approval = world.approve()
    world.guard.denied = {GuardedAction.EXECUTE}
    world.execute(approval)
    return world.system.sends > 0


def stale_policy_sends(_place: Path) -> bool:
    world = Publishing()
    approval = world.approve()
    world.guard.policy = "9" * 64
    world.execute(approval)
    return world.system.sends > 0


def foreign_acknowledgement_is_believed(_place: Path) -> bool:
    world = Publishing()
    world.system.answer = lambda acknowledgement: replace(acknowledgement, operation_id="op-other")
    return world.execute(world.approve()) is OperationState.ACCEPTED


def foreign_payload_is_believed(_place: Path) -> bool:
    world = Publishing()
    world.system.answer = time_out
    world.execute(world.approve())
    world.system.inspected = lambda inspection: replace(inspection, payload_digest="0" * 64)
    return world.publisher.reconcile(INTENT, by="ann").state is OperationState.ACCEPTED


def backward_clock_revives_an_approval(_place: Path) -> bool:
    world = Publishing()
    approval = world.approve()
    world.clock.advance(3600)
    world.publisher.approve(replace(INTENT, action="other"), by="ann")
    world.clock.advance(-3500)
    world.execute(approval)
    return world.system.sends > 0


def edited_trail_is_believed(_place: Path) -> bool:
    world = Publishing()
    world.system.answer = time_out
    world.execute(world.approve())
    world.store._connection.execute("UPDATE operations SET state = 'ACCEPTED'")
    with suppress(PublicationError):
        world.publisher.observe(INTENT)
        return True
    return False


def edited_approval_is_believed(_place: Path) -> bool:
    world = Publishing()
    approval = world.approve()
    world.store._connection.execute("UPDATE approvals SET body = replace(body, '1000300000', '9000300000')")
    world.clock.advance(3600)
    world.execute(approval)
    return world.system.sends > 0


def link_is_read(place: Path) -> bool:
    (place / "root").mkdir()
    (place / "secret").write_bytes(b"secret")
    (place / "root" / "a").symlink_to("../secret")
    with suppress(TrailforgeError), HeldRoot(place / "root", opener=descriptors_module.open_by_kernel) as root:
        return root.read("a", limit=10) == b"secret"
    return False


def hard_link_is_read(place: Path) -> bool:
    (place / "root").mkdir()
    (place / "secret").write_bytes(b"secret")
    (place / "root" / "a").hardlink_to(place / "secret")
    with suppress(TrailforgeError), HeldRoot(place / "root") as root:
        return root.read("a", limit=10) == b"secret"
    return False


def aliases_are_admitted(_place: Path) -> bool:
    with suppress(TrailforgeError):
        return len(paths_module.admit_paths(["A.txt", "a.txt"])) == 2
    return False


def unauthorized_change_passes(place: Path) -> bool:
    (place / "README").write_bytes(b"")
    with CandidateWorkspace(place, ["a"]) as workspace:
        before = workspace.tree()
        (place / "README").write_bytes(b"changed")
        with suppress(TrailforgeError):
            workspace.require_only_candidates_changed(before)
            return True
    return False


def candidate_below_the_root_of_its_checks_runs(place: Path) -> bool:
    (place / "candidate").mkdir()
    runner, command = CommandRunner(ProcessGroup()), Command(arguments=("/bin/true",), timeout_ms=20_000)
    with suppress(TrailforgeError):
        runner.run(command, goal="1" * 64, candidate=place / "candidate", checks=place)
        return True
    return False


def killed_command_leaves_a_grandchild(place: Path) -> bool:
    command = Command(arguments=("/bin/sh", "-c", "sleep 5 & wait"), timeout_ms=1000)
    return CommandRunner(ProcessGroup()).run(command, goal="1" * 64, candidate=place).receipt.left_over


def killed_command_passes(place: Path) -> bool:
    class Credulous:
        name = "credulous/1"

        def judge(self, criterion: str, result: Any) -> tuple[Verdict, str]:
            return Verdict.PASS, "why not"

    command = Command(arguments=("/bin/sleep", "3600"), timeout_ms=50)
    result = CommandRunner(ProcessGroup()).run(command, goal="1" * 64, candidate=place)
    assert result.receipt.outcome is Outcome.TIMED_OUT
    return judge(result, "criterion", Credulous()).verdict is Verdict.PASS


def invented_quote_is_kept(_place: Path) -> bool:
    file = SourceFile(path="a", revision="r", size=1, sha256="a" * 64, lines=("x",))
    item = {"path": "a", "receipt": file.receipt, "start_line": 1, "end_line": 1, "quote": "y"}
    answer = {role.value: [] for role in Role} | {"tests": [{**item, "severity": "low", "claim": "c"}]}
    return len(finding_module.validate_answer(answer, Capture(files=(file,), gaps=()))[0]) == 1


def sql_without(name: str, statement: str) -> Callable[[pytest.MonkeyPatch], None]:
    def remove(patch: pytest.MonkeyPatch) -> None:
        changed = MappingProxyType({**sqlite_module._queries(), name: statement})
        patch.setattr(sqlite_module, "_queries", lambda: changed)

    return remove


def patched(target: object, name: str, replacement: Any) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(target, name, replacement)


def nothing(*_arguments: object, **_keywords: object) -> None:
    return None


def no_problem(*_arguments: object) -> str:
    return ""


def kill_leader_only(group: int) -> None:
    os.kill(group, signal.SIGKILL)


def believe_the_row(operation_id: str, trail: list[Any]) -> Any:
    operation, _ = FOLD(operation_id, trail)
    return replace(operation, state=OperationState.ACCEPTED), BelievesAll(32)


class BelievesAll(bytes):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = bytes.__hash__


FOLD = store_module._fold
REQUIRE_USABLE = store_module.require_usable


def usable_whatever_the_intent(approval: Any, ended: str, *, intent_digest: str, now: int) -> None:
    REQUIRE_USABLE(approval, ended, intent_digest=approval.intent_digest, now=now)


def usable_whatever_the_time(approval: Any, ended: str, *, intent_digest: str, now: int) -> None:
    REQUIRE_USABLE(approval, ended, intent_digest=intent_digest, now=approval.approved_at)


SAFEGUARDS = {
    "approvals expire": Safeguard(
        remove=patched(store_module, "require_usable", usable_whatever_the_time), harm=expired_approval_sends
    ),
    "approvals cover one intent": Safeguard(
        remove=patched(store_module, "require_usable", usable_whatever_the_intent), harm=approval_sends_another_intent
    ),
    "approvals are consumed": Safeguard(
        remove=sql_without("end_approval", "SELECT :approval WHERE :how <> '' AND :ended_at > 0"),
        harm=used_approval_is_not_spent,
    ),
    "the guard is asked before sending": Safeguard(
        remove=patched(publisher_module, "require_permission", nothing), harm=denied_execution_sends
    ),
    "the guard's policy is compared": Safeguard(
        remove=lambda patch: patch.setattr("trailforge.publishing.guard._BOUND_TO_PRESENT", frozenset()),
        harm=stale_policy_sends,
    ),
    "acknowledgements are bound": Safeguard(
        remove=patched(dispatcher_module, "acknowledgement_problem", no_problem),
        harm=foreign_acknowledgement_is_believed,
    ),
    "inspections are bound": Safeguard(
        remove=patched(dispatcher_module, "inspection_problem", no_problem), harm=foreign_payload_is_believed
    ),
    "time never runs backwards": Safeguard(
        remove=sql_without("move_clock", "SELECT :now"), harm=backward_clock_revives_an_approval
    ),
    "trails are compared with their operation": Safeguard(
        remove=patched(store_module, "_fold", believe_the_row), harm=edited_trail_is_believed
    ),
    "approvals are compared with their name": Safeguard(
        remove=patched(store_module, "require_named", nothing),
        harm=edited_approval_is_believed,
    ),
    "no link is followed": Safeguard(remove=patched(descriptors_module, "_RESOLVE", 0), harm=link_is_read),
    "files have one name": Safeguard(
        remove=patched(descriptors_module, "require_single_regular", nothing), harm=hard_link_is_read
    ),
    "aliases are refused": Safeguard(
        remove=patched(paths_module, "alias_problems", lambda paths: []), harm=aliases_are_admitted
    ),
    "only candidates may change": Safeguard(
        remove=lambda patch: patch.setattr("trailforge.workspace.candidate.require_unchanged", nothing),
        harm=unauthorized_change_passes,
    ),
    "checks and candidate lie apart": Safeguard(
        remove=lambda patch: patch.setattr("trailforge.runner.runner._require_apart", nothing),
        harm=candidate_below_the_root_of_its_checks_runs,
    ),
    "the whole group is killed": Safeguard(
        remove=patched(process_module, "_kill_group", kill_leader_only), harm=killed_command_leaves_a_grandchild
    ),
    "doubtful executions cannot pass": Safeguard(
        remove=patched(RunReceipt, "doubts", lambda self: ()), harm=killed_command_passes
    ),
    "quotes are compared with the source": Safeguard(
        remove=patched(finding_module, "_place_problem", no_problem), harm=invented_quote_is_kept
    ),
}


@pytest.mark.parametrize("safeguard", SAFEGUARDS.values(), ids=SAFEGUARDS)
def test_removed_safeguard_is_noticed(safeguard: Safeguard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    assert not safeguard.harm(tmp_path / "with")
    safeguard.remove(monkeypatch)

    assert safeguard.harm(tmp_path / "without")
