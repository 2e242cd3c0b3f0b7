"""Rows that hold other kinds of values than were written end every command in one line, never in a traceback."""

import shutil
from contextlib import suppress

import pytest
from typer.testing import CliRunner

from tests.rows_of_another_kind import VALUES, columns, put
from tests.unit.trailforge.goals import make_goal, verify_adapter, work_adapter
from trailforge.authority import SqliteAuthority
from trailforge.cli import app
from trailforge.errors import TrailforgeError
from trailforge.harness import Decision, Harness

ADAPTERS = (work_adapter(), verify_adapter())
LOOKS = (("status",), ("verify",), ("doctor",), ("journal", "paused"), ("cancel", "held", "--by", "ann"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store with a run that is done, one that is held and one that is paused."""
    path = tmp_path_factory.mktemp("whole") / "runs.db"
    authority = SqliteAuthority(path)
    harness = Harness(authority, ADAPTERS)
    harness.run(make_goal(), "done")
    harness.run(make_goal(works=2), "paused", pause_after="work-1")
    Harness(authority, (work_adapter(lambda request: 1 / 0), verify_adapter())).run(make_goal(), "held")
    authority.close()
    return path


def every_column() -> list[tuple[str, str]]:
    authority = SqliteAuthority()
    found = columns(authority._connection)
    authority.close()
    return found


@pytest.mark.parametrize(("table", "column"), every_column())
def test_cell_of_another_kind_ends_in_a_typed_error(whole, tmp_path, table, column):
    path = tmp_path / "runs.db"
    for value in VALUES:
        shutil.copy(whole, path)
        if not put(path, table, column, value):
            continue
        for command in LOOKS:
            result = CliRunner().invoke(app, [*command, "--store", str(path)])
            assert result.exception is None or isinstance(result.exception, SystemExit), (value, command)
            assert "\x1b" not in result.output
        try:
            authority = SqliteAuthority(path)
        except TrailforgeError:
            continue
        harness = Harness(authority, ADAPTERS)
        for act in (
            lambda harness=harness: harness.resume(make_goal(works=2), "paused"),
            lambda harness=harness: harness.run(make_goal(), "new"),
            lambda harness=harness: harness.resolve("held", "work-1", Decision.RETRY, by="ann"),
            harness.audit,
        ):
            with suppress(TrailforgeError):
                act()
        authority.close()
