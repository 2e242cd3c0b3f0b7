"""Edited rows of a publication store: an error of ours or the stored truth, and nothing is sent a second time."""

import shutil
from dataclasses import replace

import apsw
import pytest

from tests.publishing_world import INTENT, ExternalSystem, Guard, time_out
from tests.rows_of_another_kind import VALUES, columns, put
from trailforge.errors import CorruptOperationError, TrailforgeError
from trailforge.publishing import GuardedPublisher, SqlitePublicationStore

LOST, WAITING = replace(INTENT, action="lost"), replace(INTENT, action="waiting")


class Whole:
    """A store with an operation that was accepted, one in doubt, and approvals of two intents that were not used."""

    def __init__(self, path) -> None:
        self.path = path
        store, system = SqlitePublicationStore(path), ExternalSystem()
        publisher = GuardedPublisher(store, Guard(), [system])

        def approve(intent) -> str:
            return publisher.approve(intent, by="ann").approval_id

        self.accepted = approve(INTENT)
        publisher.execute(INTENT, self.accepted, by="ann")
        system.answer = time_out
        self.again = replace(LOST, supersedes=publisher.execute(LOST, approve(LOST), by="ann").operation_id)
        self.waiting, self.repeated = approve(WAITING), approve(self.again)
        store.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return Whole(tmp_path_factory.mktemp("whole") / "publications.db")


def every_column() -> list[tuple[str, str]]:
    store = SqlitePublicationStore(":memory:")
    found = columns(store._connection)
    store.close()
    return found


@pytest.mark.parametrize(("table", "column"), every_column())
def test_cell_of_another_kind_ends_in_a_typed_error_and_nothing_is_sent_again(whole, tmp_path, table, column):
    path = tmp_path / "publications.db"
    for value in VALUES:
        shutil.copy(whole.path, path)
        if not put(path, table, column, value):
            continue
        try:
            store = SqlitePublicationStore(path)
        except TrailforgeError:
            continue
        system = ExternalSystem()
        publisher = GuardedPublisher(store, Guard(), [system])
        for act in (
            lambda publisher=publisher: publisher.execute(INTENT, whole.accepted, by="ann"),
            lambda publisher=publisher: publisher.reconcile(LOST, by="ann"),
            lambda publisher=publisher: publisher.revoke(WAITING, whole.waiting, by="ann"),
            lambda publisher=publisher: publisher.approve(replace(INTENT, action="new"), by="ann"),
            publisher.in_doubt,
        ):
            try:
                act()
            except TrailforgeError as error:
                str(error)
        assert system.sends == 0, value
        for intent, approval in ((WAITING, whole.waiting), (whole.again, whole.repeated)):
            try:
                publisher.execute(intent, approval, by="ann")
            except TrailforgeError as error:
                str(error)
        store.close()


def test_intent_that_was_edited_proves_nothing_about_whose_operation_it_was(whole, tmp_path):
    """Whose operation may be repeated is read from its intent, so the intent must be the one that was digested."""
    path = tmp_path / "publications.db"
    shutil.copy(whole.path, path)
    connection = apsw.Connection(str(path))
    connection.execute("""UPDATE intents SET body = replace(body, '"tenant":"acme"', '"tenant":"beta"')""")
    connection.close()
    store, system = SqlitePublicationStore(path), ExternalSystem()
    publisher = GuardedPublisher(store, Guard(), [system])
    theirs = replace(whole.again, tenant="beta")

    approval = publisher.approve(theirs, by="eve").approval_id
    with pytest.raises(CorruptOperationError, match="has lost its intent, or the intent was changed"):
        publisher.execute(theirs, approval, by="eve")

    assert system.sends == 0
    store.close()
