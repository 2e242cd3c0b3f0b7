"""Bits flip in the file of a store: what is read is what was written, or a typed error says that it is not."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from trailforge.authority import SqliteAuthority
from trailforge.errors import TrailforgeError
from trailforge.harness import Decision, Harness, RunStatus
from trailforge.testing import SAMPLE_ADAPTERS, sample_goal
from trailforge.work import Request

GOAL = sample_goal()
IDS = ("run-1", "run-2", "run-3")
FILES = 400


def read(path: Path) -> dict[str, object]:
    """Read each run, the list, notices and units of the store at *path*; what is refused is left out."""
    found: dict[str, object] = {}
    try:
        authority = SqliteAuthority(path)
    except TrailforgeError:
        return found
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    questions = {
        **{run_id: lambda run_id=run_id: harness.status(run_id) for run_id in IDS},
        "audit": harness.audit,
        "damage": lambda: authority.diagnose().damage,
        "runs": authority.runs,
        "notices": authority.notices,
        "units": authority.units,
        "delete": lambda: authority.forget("run-1", found["run-1"].version),
        "begin": lambda: harness.start(GOAL, "run-4").status,
        "resolve": lambda: harness.resolve("run-3", "echo-1", Decision.CANCEL, by="operator").status,
    }
    for name, ask in questions.items():
        try:
            found[name] = ask()
        except TrailforgeError:
            continue
        except KeyError:
            assert name == "delete"
    authority.close()
    return found


def fail(request: Request) -> None:
    raise TimeoutError(request.task_id)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> bytes:
    """The bytes of a store with two runs that completed and one that is held."""
    path = tmp_path_factory.mktemp("flips") / "runs.db"
    authority = SqliteAuthority(path, store_id="store-flips")
    harness = Harness(authority, SAMPLE_ADAPTERS.values())
    for run_id in IDS[:2]:
        harness.run(GOAL, run_id)
    Harness(authority, [replace(each, call=fail) for each in SAMPLE_ADAPTERS.values()]).run(GOAL, IDS[2])
    authority.close()
    return path.read_bytes()


@pytest.mark.slow
def test_a_store_with_flipped_bits_never_says_what_was_not_written(tmp_path, written):
    """One to eight flipped bits anywhere in the file, the same ones in every run of this test."""
    path = tmp_path / "runs.db"
    path.write_bytes(written)
    before = read(path)
    assert before["audit"] == ()
    assert (before["begin"], before["resolve"]) == (RunStatus.READY, RunStatus.CANCELLED)
    assert len(before["notices"]) == 1
    noticed = 0

    for seed in range(FILES):
        chance = random.Random(seed)
        damaged = bytearray(written)
        for _ in range(chance.choice((1, 3, 8))):
            bit = chance.randrange(len(damaged) * 8)
            damaged[bit // 8] ^= 1 << bit % 8
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        path.write_bytes(damaged)

        after = read(path)

        for run_id in IDS:
            assert after.get(run_id, before[run_id]) == before[run_id], f"seed {seed}, {run_id}"
        noticed += not (all(run_id in after for run_id in IDS) and after.get("audit") == ())
    # Most of a small file is free space, where a flip changes nothing that was written.
    assert noticed > FILES // 4
