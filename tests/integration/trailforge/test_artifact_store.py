"""LocalArtifactStore on real files."""

from pathlib import Path

import pytest

from trailforge.errors import (
    CorruptArtifactError,
    MissingArtifactError,
    NotBytesError,
    TooManyBytesError,
    WorkspaceBusyError,
)
from trailforge.workspace import ArtifactReceipt, ArtifactScope, LocalArtifactStore

ACME = ArtifactScope(tenant="acme", resource="site")
OTHER = ArtifactScope(tenant="other", resource="site")


def file_of(root: Path, receipt: ArtifactReceipt) -> Path:
    return root / receipt.scope / receipt.sha256[:2] / receipt.sha256


def test_kept_bytes_come_back_for_their_receipt_and_after_reopening(tmp_path: Path) -> None:
    with LocalArtifactStore(tmp_path) as store:
        receipt = store.put(ACME, b"abc")
    with LocalArtifactStore(tmp_path) as store:
        assert store.get(ACME, receipt) == b"abc"

    # FIPS 180-4, example "abc"
    assert receipt.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert receipt.size == 3


def test_receipt_of_one_scope_opens_nothing_in_another(tmp_path: Path) -> None:
    with LocalArtifactStore(tmp_path) as store:
        receipt = store.put(ACME, b"abc")
        forged = ArtifactReceipt(scope=OTHER.digest, sha256=receipt.sha256, size=receipt.size)
        with pytest.raises(MissingArtifactError, match="is not kept for other/site"):
            store.get(OTHER, receipt)
        with pytest.raises(MissingArtifactError, match="is not kept for other/site"):
            store.get(OTHER, forged)


def test_scopes_whose_names_run_together_are_different() -> None:
    joined = ArtifactScope(tenant="ab", resource="c")
    split = ArtifactScope(tenant="a", resource="bc")

    assert joined.digest != split.digest


@pytest.mark.parametrize("damage", [b"abd", b"", b"abcd", b"x" * 50])
def test_bytes_changed_on_disk_are_not_handed_out(tmp_path: Path, damage: bytes) -> None:
    """Row 27 of the durable reference: the digest is checked on read."""
    with LocalArtifactStore(tmp_path, max_artifact_bytes=10) as store:
        receipt = store.put(ACME, b"abc")
        file_of(tmp_path, receipt).write_bytes(damage)
        with pytest.raises(CorruptArtifactError):
            store.get(ACME, receipt)


def test_bounds_hold_for_one_artifact_and_for_a_scope(tmp_path: Path) -> None:
    with LocalArtifactStore(tmp_path, max_artifact_bytes=4, max_scope_bytes=6) as store:
        with pytest.raises(TooManyBytesError, match="has 5 bytes, expected at most 4"):
            store.put(ACME, b"12345")
        store.put(ACME, b"1234")
        with pytest.raises(TooManyBytesError, match="has 7 bytes, expected at most 6"):
            store.put(ACME, b"567")
        store.put(ACME, b"1234")
        store.put(ACME, b"56")
        store.put(OTHER, b"567")

        assert store.used_bytes(ACME) == 6
        assert store.used_bytes(OTHER) == 3


def test_bytes_no_row_names_are_collected_and_the_rest_stays(tmp_path: Path) -> None:
    """Row 27 of the durable reference: a stray file without a row is removed."""
    with LocalArtifactStore(tmp_path) as store:
        kept = store.put(ACME, b"kept")
        stray = store.put(ACME, b"stray")
        other = store.put(OTHER, b"stray")

        assert store.collect(ACME, [kept]) == (stray.sha256,)
        assert store.get(ACME, kept) == b"kept"
        assert store.get(OTHER, other) == b"stray"
        with pytest.raises(MissingArtifactError):
            store.get(ACME, stray)


def test_128_results_of_200_kb_are_kept_by_digest(tmp_path: Path) -> None:
    """Row 30 of the durable reference: large results live here, the rows hold only a receipt."""
    with LocalArtifactStore(tmp_path) as store:
        receipts = [store.put(ACME, bytes([number]) * 200_000) for number in range(128)]

        assert store.used_bytes(ACME) == 25_600_000
        assert len({receipt.sha256 for receipt in receipts}) == 128


def test_one_store_holds_a_directory_at_a_time(tmp_path: Path) -> None:
    with LocalArtifactStore(tmp_path), pytest.raises(WorkspaceBusyError):
        LocalArtifactStore(tmp_path)


@pytest.mark.parametrize("damage", [lambda file: file.write_bytes(b"other"), lambda file: file.unlink()])
def test_bytes_that_were_damaged_or_removed_are_written_again(tmp_path, damage):
    """Row 27: a receipt never names bytes that are not on disk."""
    scope = ArtifactScope(tenant="acme", resource="app@1")
    with LocalArtifactStore(tmp_path) as store:
        receipt = store.put(scope, b"twelve bytes")
        damage(next(file for file in tmp_path.rglob("*") if file.is_file()))

        assert store.put(scope, b"twelve bytes") == receipt
        assert store.get(scope, receipt) == b"twelve bytes"
        assert store.used_bytes(scope) == 12


NO_BYTES = {"text": "text", "bytearray": bytearray(b"x"), "wide view": memoryview(b"12345678").cast("I")}


@pytest.mark.parametrize("data", NO_BYTES.values(), ids=NO_BYTES)
def test_only_bytes_are_kept(tmp_path, data):
    with LocalArtifactStore(tmp_path) as store, pytest.raises(NotBytesError, match="expected bytes"):
        store.put(ArtifactScope(tenant="acme", resource="app@1"), data)
