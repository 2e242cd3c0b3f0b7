"""OfflineController on real files, with both review stores."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from trailforge.errors import AuthorityUnavailableError, CorruptReviewError, StoreRefusedError, UnknownReviewError
from trailforge.review import (
    GapKind,
    MemoryReviewStore,
    MessageState,
    OfflineController,
    ReviewRequest,
    ReviewStore,
    fixture_reviewer,
    review_scope,
)
from trailforge.review.postgres import PostgresReviewStore
from trustrail.foundation import FixedClock

SCHEMA = "trailforge_review_tests"


@pytest.fixture(params=["memory", "postgres"])
def store(request: pytest.FixtureRequest) -> Iterator[ReviewStore]:
    if request.param == "memory":
        yield MemoryReviewStore(FixedClock(1_000_000.0))
        return
    dsn = request.getfixturevalue("postgres_dsn")
    made = PostgresReviewStore(dsn, schema=SCHEMA)
    yield made
    made.close()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_bytes(b"def f():\n    return 1\n")
    (tmp_path / "notes.md").write_bytes(b"# Notes\n")
    return tmp_path


def scope(**changes: Any) -> Any:
    usual = {"tenant": "acme", "resource": "app", "revision": "r7", "paths": ["app.py", "notes.md"]}
    return review_scope(**{**usual, **changes})


def about_line_two(request: ReviewRequest) -> dict[str, Any]:
    file = next(file for file in request.files if file.path == "app.py")
    found = {
        "path": "app.py",
        "receipt": file.receipt,
        "start_line": 2,
        "end_line": 2,
        "quote": file.lines[1],
        "severity": "low",
        "claim": "always one",
    }
    return {"security": [], "correctness": [found], "tests": [], "documentation": []}


def test_draft_is_stored_announced_once_and_needs_a_human(source: Path, store: ReviewStore) -> None:
    """Row 29 of the durable reference: exactly one durable announcement per draft, however often it is asked."""
    controller = OfflineController(source, about_line_two, store)
    draft = controller.review(scope())
    again = controller.review(scope())
    record = draft.record()
    (message,) = store.messages_in(MessageState.PENDING)

    assert again == draft == store.load(draft.review_id)
    assert record["coverage"] == "COMPLETE"
    assert record["needs_human"] is True
    assert [found["quote"] for found in record["findings"]] == ["    return 1"]
    assert draft.digest in message.message.body


def test_first_draft_of_a_review_stays(source: Path, store: ReviewStore) -> None:
    first = OfflineController(source, about_line_two, store).review(scope())
    second = OfflineController(source, fixture_reviewer({}), store).review(scope())
    other = OfflineController(source, fixture_reviewer({}), store).review(scope(number=2))

    assert second == first
    assert other.review_id != first.review_id
    assert len(store.messages_in(MessageState.PENDING)) == 2


def test_unknown_review_is_refused(store: ReviewStore) -> None:
    with pytest.raises(UnknownReviewError, match="review-none is not in this store"):
        store.load("review-none")


GAPS = {
    "missing file": ("gone.py", None, GapKind.UNREADABLE_FILE),
    "binary file": ("data.bin", b"\x00\x01", GapKind.UNSUPPORTED_FILE),
    "not UTF-8": ("latin.txt", b"caf\xe9\n", GapKind.UNSUPPORTED_FILE),
    "one byte over its bound": ("long.txt", b"x" * 101, GapKind.TRUNCATED),
}


@pytest.mark.parametrize(("path", "data", "kind"), GAPS.values(), ids=GAPS)
def test_file_that_is_not_covered_is_a_gap(source: Path, path: str, data: bytes | None, kind: GapKind) -> None:
    if data is not None:
        (source / path).write_bytes(data)
    store = MemoryReviewStore()
    wanted = scope(paths=["app.py", path], max_file_bytes=100)
    record = OfflineController(source, about_line_two, store).review(wanted).record()

    assert record["coverage"] == "INCOMPLETE"
    assert [(gap["kind"], gap["subject"]) for gap in record["gaps"]] == [(kind.value, path)]
    assert len(record["findings"]) == 1


def test_link_is_not_followed(source: Path) -> None:
    (source / "link.py").symlink_to("app.py")
    record = (
        OfflineController(source, about_line_two, MemoryReviewStore())
        .review(scope(paths=["app.py", "link.py"]))
        .record()
    )

    assert [gap["kind"] for gap in record["gaps"]] == ["UNREADABLE_FILE"]


def test_file_of_exactly_its_bound_is_captured(source: Path) -> None:
    (source / "long.txt").write_bytes(b"x" * 100)
    wanted = scope(paths=["app.py", "long.txt"], max_file_bytes=100)
    record = OfflineController(source, about_line_two, MemoryReviewStore()).review(wanted).record()

    assert record["gaps"] == []


@pytest.mark.parametrize(("took", "timed_out"), [(60.0, False), (60.001, True)])
def test_answer_after_the_time_limit_is_not_used(source: Path, took: float, timed_out: bool) -> None:
    clock = FixedClock(1_000_000.0)

    def slow(request: ReviewRequest) -> dict[str, Any]:
        clock.advance(took)
        return about_line_two(request)

    record = OfflineController(source, slow, MemoryReviewStore(), clock=clock).review(scope()).record()
    kinds = [gap["kind"] for gap in record["gaps"]]

    assert kinds == (["TIMED_OUT"] * 4 if timed_out else [])
    assert len(record["findings"]) == (0 if timed_out else 1)


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit])
def test_failing_callback_is_a_gap(source: Path, error: type[BaseException]) -> None:
    def failing(_request: ReviewRequest) -> None:
        raise error

    record = OfflineController(source, failing, MemoryReviewStore()).review(scope()).record()

    assert [(gap["kind"], gap["reason"]) for gap in record["gaps"]] == [("CALLBACK_FAILED", f"raised {error.__name__}")]


def test_source_that_changes_during_the_review_is_a_gap(source: Path) -> None:
    def meddling(request: ReviewRequest) -> dict[str, Any]:
        (source / "notes.md").write_bytes(b"# Other notes\n")
        return about_line_two(request)

    record = OfflineController(source, meddling, MemoryReviewStore()).review(scope()).record()

    assert [gap["kind"] for gap in record["gaps"]] == ["SOURCE_CHANGED"]


def test_lost_connection_is_named_and_the_store_recovers(source: Path, postgres_dsn: str) -> None:
    store = PostgresReviewStore(postgres_dsn, schema=SCHEMA)
    controller = OfflineController(source, about_line_two, store)
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        for attempt in ("in a transaction", "on its own"):
            connection.execute("SELECT pg_terminate_backend(%s)", [store._connection.info.backend_pid])
            with pytest.raises(AuthorityUnavailableError, match="read it again"):
                controller.review(scope()) if attempt == "in a transaction" else store.load("review-1")
            stored = controller.review(scope())
        store.close()
        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE")

    assert stored.record()["coverage"] == "COMPLETE"


def test_digests_survive_the_way_through_postgres(source: Path, postgres_dsn: str) -> None:
    """Row 21 of the durable reference: text and whole milliseconds come back as they went in."""
    store = PostgresReviewStore(postgres_dsn, schema=SCHEMA)
    (source / "app.py").write_bytes("def f():\n    return 'é\u2028\U0001f600'\n".encode())
    stored = OfflineController(source, about_line_two, store).review(scope())
    claimed = store.claim(1)
    store.close()
    reopened = PostgresReviewStore(postgres_dsn, schema=SCHEMA)

    assert reopened.load(stored.review_id).record() == stored.record()
    assert reopened.messages_in(MessageState.SENDING) == claimed
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(f"UPDATE {SCHEMA}.drafts SET body = replace(body, 'always one', 'always two')")
        with pytest.raises(CorruptReviewError, match="has the digest"):
            reopened.load(stored.review_id).record()
        connection.execute(f"INSERT INTO {SCHEMA}.schema_version (version) VALUES (99)")
        reopened.close()
        with pytest.raises(StoreRefusedError, match="use a newer trailforge"):
            PostgresReviewStore(postgres_dsn, schema=SCHEMA)
        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
