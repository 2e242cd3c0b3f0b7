"""A store whose file is renamed, removed or replaced while it is in use takes no more writes; nothing is dispatched."""

import os
import shutil
import time
from pathlib import Path

import pytest

from tests.publishing_world import INTENT, ExternalSystem, Guard
from tests.unit.trailforge.goals import make_goal, verify_adapter, work_adapter
from trailforge.authority import SqliteAuthority, sqlite_connection
from trailforge.errors import AuthorityUnavailableError
from trailforge.harness import Harness, RunStatus
from trailforge.publishing import GuardedPublisher, SqlitePublicationStore


def rename(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink()


def restore_a_copy(path: Path) -> None:
    """As a backup is put back: the name leads to another file from then on."""
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    os.replace(copy, path)  # noqa: PTH105 - the system call by its name


def remove_the_log(path: Path) -> None:
    path.with_name(f"{path.name}-wal").unlink()


@pytest.fixture(autouse=True)
def no_belief(monkeypatch):
    """These callbacks are done within the time for which a file is believed to be in its place."""
    monkeypatch.setattr(sqlite_connection, "LOOK_AGAIN_SECONDS", 0.0)


WAYS = [rename, remove, restore_a_copy, remove_the_log]


@pytest.mark.parametrize("way", WAYS)
def test_run_is_not_reported_complete_from_a_file_that_nobody_will_find(tmp_path, way):
    """The callback ran; where its receipt would be written nobody looks, so the run has not completed."""
    path, called = tmp_path / "runs.db", []

    def moves(request):
        called.append(request.task_id)
        way(path)
        return {}

    authority = SqliteAuthority(path)
    harness = Harness(authority, (work_adapter(moves), verify_adapter()))

    with pytest.raises(AuthorityUnavailableError, match="was moved, removed or replaced while it was in use"):
        harness.run(make_goal(works=2))

    assert called == ["work-1"]
    authority.close()


def test_run_goes_on_once_the_file_is_put_back(tmp_path):
    path, elsewhere = tmp_path / "runs.db", tmp_path / "elsewhere.db"
    authority = SqliteAuthority(path)
    harness = Harness(authority, (work_adapter(), verify_adapter()))
    harness.start(make_goal(), "run-1")
    path.rename(elsewhere)
    with pytest.raises(AuthorityUnavailableError):
        harness.run(make_goal(), "run-1")
    elsewhere.rename(path)

    assert harness.run(make_goal(), "run-1").status is RunStatus.COMPLETED
    authority.close()


def test_callback_that_takes_its_time_is_noticed_without_help(tmp_path, monkeypatch):
    monkeypatch.undo()
    path = tmp_path / "runs.db"

    def moves(request):
        rename(path)
        time.sleep(sqlite_connection.LOOK_AGAIN_SECONDS)
        return {}

    authority = SqliteAuthority(path)
    with pytest.raises(AuthorityUnavailableError):
        Harness(authority, (work_adapter(moves), verify_adapter())).run(make_goal())
    authority.close()


def test_working_directory_may_change(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    authority = SqliteAuthority("runs.db")
    monkeypatch.chdir("/")

    assert Harness(authority, (work_adapter(), verify_adapter())).run(make_goal()).status is RunStatus.COMPLETED
    authority.close()


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_sent_whose_sending_would_be_stored_where_nobody_looks(tmp_path, way):
    path, system = tmp_path / "publications.db", ExternalSystem()
    store = SqlitePublicationStore(path)
    publisher = GuardedPublisher(store, Guard(), [system])
    approval = publisher.approve(INTENT, by="ann").approval_id
    way(path)

    with pytest.raises(AuthorityUnavailableError, match="was moved, removed or replaced"):
        publisher.execute(INTENT, approval, by="ann")

    assert system.sends == 0
    store.close()
