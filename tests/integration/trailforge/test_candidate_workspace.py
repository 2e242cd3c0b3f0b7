"""CandidateWorkspace on real files, with both ways of opening below a directory."""

import errno
import os
import signal
import threading
from pathlib import Path

import pytest

from trailforge.errors import (
    BoundRefusedError,
    LinkedFileError,
    NotBytesError,
    PathListError,
    PathRefusedError,
    TooManyBytesError,
    TreeChangedError,
    WorkspaceBusyError,
    WriteEndedError,
)
from trailforge.workspace import CandidateFile, CandidateWorkspace, HeldRoot, descriptors, tree
from trailforge.workspace.descriptors import OpenBeneath, choose_opener, open_by_kernel, open_by_walk

OPENERS = {"openat2": open_by_kernel, "walk": open_by_walk}


@pytest.fixture(params=OPENERS.values(), ids=OPENERS)
def opener(request: pytest.FixtureRequest) -> OpenBeneath:
    return request.param


@pytest.fixture
def root(tmp_path: Path) -> Path:
    inside = tmp_path / "candidate"
    inside.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_bytes(b"outside")
    return inside


def outside(root: Path) -> Path:
    return root.parent / "outside" / "secret.txt"


def test_written_candidate_can_be_read_and_names_its_digest(root: Path, opener: OpenBeneath) -> None:
    with CandidateWorkspace(root, ["src/app.py"], opener=opener) as workspace:
        receipt = workspace.writer().write("src/app.py", b"abc")

        assert workspace.read("src/app.py") == b"abc"
        # FIPS 180-4, example "abc"
        assert receipt.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        assert receipt.size == 3


def test_path_outside_the_list_is_refused(root: Path, opener: OpenBeneath) -> None:
    with (
        CandidateWorkspace(root, ["a.txt"], opener=opener) as workspace,
        pytest.raises(PathRefusedError, match="not one of the 1 candidates"),
    ):
        workspace.writer().write("b.txt", b"x")

    assert list(root.iterdir()) == []


@pytest.mark.parametrize("target", ["../outside/secret.txt", "../outside/absent.txt", "/proc/self/environ"])
def test_symbolic_link_is_neither_read_nor_written(root: Path, opener: OpenBeneath, target: str) -> None:
    """Row 23 of the durable reference: links out of the root, dangling leaves, magic links."""
    with CandidateWorkspace(root, ["a.txt"], opener=opener) as workspace:
        (root / "a.txt").symlink_to(target)
        with pytest.raises(LinkedFileError):
            workspace.read("a.txt")
        with pytest.raises(LinkedFileError):
            workspace.writer().write("a.txt", b"x")
        with pytest.raises(LinkedFileError):
            workspace.tree()

    assert outside(root).read_bytes() == b"outside"
    assert not (root.parent / "outside" / "absent.txt").exists()
    assert (root / "a.txt").is_symlink()


def test_linked_folder_is_neither_read_nor_written(root: Path, opener: OpenBeneath) -> None:
    """Row 23 of the durable reference."""
    with CandidateWorkspace(root, ["folder/secret.txt"], opener=opener) as workspace:
        (root / "folder").symlink_to("../outside")
        with pytest.raises(LinkedFileError):
            workspace.read("folder/secret.txt")
        with pytest.raises(LinkedFileError):
            workspace.writer().write("folder/secret.txt", b"x")
        with pytest.raises(LinkedFileError):
            workspace.writer().remove("folder/secret.txt")

    assert outside(root).read_bytes() == b"outside"


def test_hard_link_to_an_outside_file_is_refused_and_the_file_keeps_its_bytes(root: Path, opener: OpenBeneath) -> None:
    """Row 24 of the durable reference: refused before anything is truncated."""
    with CandidateWorkspace(root, ["a.txt"], opener=opener) as workspace:
        (root / "a.txt").hardlink_to(outside(root))
        with pytest.raises(LinkedFileError, match="has 2 names"):
            workspace.writer().write("a.txt", b"x")
        with pytest.raises(LinkedFileError, match="has 2 names"):
            workspace.read("a.txt")

    assert outside(root).read_bytes() == b"outside"


def test_every_write_makes_a_new_inode(root: Path, opener: OpenBeneath) -> None:
    """Row 24 of the durable reference: a name made between the check and the write keeps the old bytes."""
    with CandidateWorkspace(root, ["a.txt"], opener=opener) as workspace:
        workspace.writer().write("a.txt", b"old")
        before = (root / "a.txt").stat().st_ino
        held = os.open(root / "a.txt", os.O_RDONLY)
        workspace.writer().write("a.txt", b"new")

        assert (root / "a.txt").stat().st_ino != before
        assert os.read(held, 10) == b"old"
        os.close(held)


def test_folder_swapped_for_a_link_10000_times_lets_nothing_out(root: Path, opener: OpenBeneath) -> None:
    """Row 23 of the durable reference: the swap races with the open; no outside byte is read."""
    (root / "folder").mkdir()
    (root / "folder" / "secret.txt").write_bytes(b"inside")
    (root.parent / "link").symlink_to("outside")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (root / "folder").rename(root.parent / "kept")
            (root.parent / "link").rename(root / "folder")
            (root / "folder").rename(root.parent / "link")
            (root.parent / "kept").rename(root / "folder")

    held = HeldRoot(root, opener=opener)
    swapping = threading.Thread(target=swap)
    swapping.start()
    seen: set[bytes] = set()
    try:
        for _ in range(10_000):
            try:
                seen.add(held.read("folder/secret.txt", limit=10))
            except PathRefusedError:
                seen.add(b"refused")
    finally:
        stop.set()
        swapping.join()
        held.close()

    assert seen <= {b"inside", b"refused"}


def test_named_pipe_is_refused_without_waiting(root: Path, opener: OpenBeneath) -> None:
    with CandidateWorkspace(root, ["pipe"], opener=opener) as workspace:
        os.mkfifo(root / "pipe")
        with pytest.raises(PathRefusedError, match="is not a regular file"):
            workspace.read("pipe")
        with pytest.raises(PathRefusedError, match="is not a regular file"):
            workspace.writer().write("pipe", b"x")


def test_walk_refuses_what_lies_above(root: Path) -> None:
    directory = os.open(root, os.O_RDONLY)
    try:
        for path in ("../outside/secret.txt", "/etc/passwd", ".."):
            with pytest.raises(OSError, match="leaves the directory"):
                open_by_walk(directory, path, os.O_RDONLY, 0)
    finally:
        os.close(directory)


def test_kernel_opener_is_chosen_where_there_is_one(root: Path) -> None:
    directory = os.open(root, os.O_RDONLY)
    try:
        chosen = choose_opener(directory)
    finally:
        os.close(directory)

    assert chosen in (open_by_kernel, open_by_walk)


def test_walk_is_chosen_where_the_kernel_has_no_openat2(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_arguments: object) -> int:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(descriptors, "open_by_kernel", missing)
    with CandidateWorkspace(root, ["a"]) as workspace:
        workspace.writer().write("a", b"x")
        (root / "b").symlink_to("a")
        with pytest.raises(LinkedFileError):
            workspace.tree()


def test_tree_beyond_its_bounds_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        (root / name).write_bytes(b"12")
    monkeypatch.setattr(tree, "MAX_TREE_FILES", 2)
    with pytest.raises(PathListError, match="has more than 2 files"):
        CandidateWorkspace(root, ["a"])
    monkeypatch.setattr(tree, "MAX_TREE_FILES", 3)
    monkeypatch.setattr(tree, "MAX_TREE_BYTES", 5)
    with pytest.raises(TooManyBytesError, match="has 6 bytes, expected at most 5"):
        CandidateWorkspace(root, ["a"])


@pytest.mark.parametrize("name", [b"caf\xe9", b"a\\b", b"trailing "])
def test_file_on_disk_without_a_canonical_name_is_refused(root: Path, name: bytes) -> None:
    with open(os.path.join(os.fsencode(root), name), "wb"):  # noqa: PTH118, PTH123 - pathlib takes no bytes
        pass
    with pytest.raises(PathRefusedError):
        CandidateWorkspace(root, ["a"])


def test_limit_is_accepted_and_one_byte_more_is_refused(root: Path) -> None:
    with CandidateWorkspace(root, ["a.txt"], max_file_bytes=4) as workspace:
        workspace.writer().write("a.txt", b"1234")
        with pytest.raises(TooManyBytesError, match="has 5 bytes, expected at most 4"):
            workspace.writer().write("a.txt", b"12345")

        assert workspace.read("a.txt") == b"1234"
        (root / "a.txt").write_bytes(b"12345")
        with pytest.raises(TooManyBytesError, match="has 5 bytes"):
            workspace.read("a.txt")
        with pytest.raises(TooManyBytesError, match="has 5 bytes"):
            workspace.tree()


def test_only_candidates_may_change(root: Path) -> None:
    (root / "README").write_bytes(b"fixed")
    with CandidateWorkspace(root, ["a.txt"]) as workspace:
        before = workspace.tree()
        workspace.writer().write("a.txt", b"x")
        after = workspace.require_only_candidates_changed(before)

        assert before.changed(after) == ("a.txt",)
        (root / "README").write_bytes(b"altered")
        (root / "extra").write_bytes(b"")
        with pytest.raises(TreeChangedError, match="candidate tree was changed without permission") as caught:
            workspace.require_only_candidates_changed(before)

    assert caught.value.paths == ("README", "extra")


@pytest.mark.parametrize("found", ["A.TXT", "a.txt/inner", "Src/other"])
def test_file_on_disk_that_is_an_alias_of_a_candidate_is_refused(root: Path, found: str) -> None:
    """Row 25 of the durable reference: the tree is compared with the list, not only the list with itself."""
    (root / found).parent.mkdir(exist_ok=True)
    (root / found).write_bytes(b"")
    with pytest.raises(PathListError, match=r"is an alias of|is also the folder|spells the folder"):
        CandidateWorkspace(root, ["a.txt", "src/b"])


@pytest.mark.parametrize("found", ["a.txt", "A.TXT", "src/b", "Src", "SRC/b"])
def test_empty_folder_where_a_candidate_belongs_is_refused(root: Path, found: str) -> None:
    """Row 25 of the durable reference: what stands there is no file, on some disk or on this one."""
    with CandidateWorkspace(root, ["a.txt", "src/b"]) as workspace:
        (root / found).mkdir(parents=True)
        with pytest.raises(PathListError, match=r"is where the path|is an alias of"):
            workspace.tree()


def test_executable_bit_is_part_of_the_tree(root: Path) -> None:
    (root / "run").write_bytes(b"#!/bin/sh\n")
    with CandidateWorkspace(root, ["run"]) as workspace:
        before = workspace.tree()
        (root / "run").chmod(0o755)

        assert before.changed(workspace.tree()) == ("run",)


def test_tree_is_its_files_as_a_copy_of_them_has_them(root: Path) -> None:
    """The documented limit: empty folders, and mode bits beside the owner's executable bit, are no part of a tree."""
    (root / "run").write_bytes(b"#!/bin/sh\n")
    (root / "run").chmod(0o644)
    with CandidateWorkspace(root, ["run"]) as workspace:
        before = workspace.tree()
        (root / "empty" / "inner").mkdir(parents=True)
        (root / "run").chmod(0o2606)
        assert workspace.tree() == before

        (root / "empty" / "inner" / "file").write_bytes(b"")
        assert before.changed(workspace.tree()) == ("empty/inner/file",)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o177, 0o777])
def test_executable_bit_does_not_depend_on_the_umask_of_the_process(root: Path, umask: int) -> None:
    """A candidate that is restored or built under another umask is still the one that was accepted."""
    before = os.umask(umask)
    try:
        with CandidateWorkspace(root, ["run", "read"]) as workspace:
            workspace.writer().write("run", b"1", executable=True)
            workspace.writer().write("read", b"2")
            states = [(entry.path, entry.executable) for entry in workspace.tree().entries]
    finally:
        os.umask(before)

    assert states == [("read", False), ("run", True)]


def test_tree_digest_does_not_depend_on_the_order_files_were_made(tmp_path: Path) -> None:
    digests = set()
    for order in (["a", "b/c", "d"], ["d", "b/c", "a"]):
        place = tmp_path / order[0]
        place.mkdir()
        with CandidateWorkspace(place, order) as workspace:
            for path in order:
                workspace.writer().write(path, path.encode())
            digests.add(workspace.tree().digest)

    assert len(digests) == 1


def test_restore_makes_the_candidates_hold_exactly_the_snapshot(root: Path) -> None:
    with CandidateWorkspace(root, ["a", "b", "c"]) as workspace:
        writer = workspace.writer()
        writer.write("a", b"1", executable=True)
        writer.write("b", b"2")
        snapshot = workspace.snapshot()
        writer.write("a", b"changed")
        writer.remove("b")
        writer.write("c", b"new")
        workspace.restore(snapshot)

        assert workspace.snapshot() == snapshot
        assert snapshot == {"a": CandidateFile(data=b"1", executable=True), "b": CandidateFile(data=b"2")}


def test_ended_writer_writes_nothing(root: Path) -> None:
    with CandidateWorkspace(root, ["a"]) as workspace:
        writer = workspace.writer()
        writer.end()
        with pytest.raises(WriteEndedError, match="'a' may not be written"):
            writer.write("a", b"x")

    assert list(root.iterdir()) == []


def test_writer_whose_lease_is_lost_writes_nothing(root: Path) -> None:
    """Row 6 of the durable reference: the permission is asked for before each write."""

    def lost() -> None:
        raise WriteEndedError("lease")

    with CandidateWorkspace(root, ["a"]) as workspace, pytest.raises(WriteEndedError):
        workspace.writer(lost).write("a", b"x")

    assert list(root.iterdir()) == []


def test_second_holder_is_refused_and_a_closed_one_leaves_no_lock_behind(root: Path) -> None:
    """Row 28 of the durable reference: the lock is the kernel's and lies in no file."""
    with CandidateWorkspace(root, ["a"]), pytest.raises(WorkspaceBusyError, match="held by another"):
        CandidateWorkspace(root, ["a"])
    with CandidateWorkspace(root, ["a"]):
        assert list(root.iterdir()) == []


def test_part_of_an_interrupted_write_is_removed_on_opening(root: Path) -> None:
    (root / ".trailforge-0123456789abcdef.part").write_bytes(b"half")
    (root / ".trailforge-notes").write_bytes(b"mine")
    with CandidateWorkspace(root, ["a"]) as workspace:
        assert [entry.path for entry in workspace.tree().entries] == [".trailforge-notes"]


STEPS = {"os.open": 1, "os.write": 1, "os.fsync": 2, "os.rename": 1}


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize(("call", "occurrence"), [(name, n + 1) for name, times in STEPS.items() for n in range(times)])
def test_death_at_any_step_of_a_write_leaves_the_old_file_or_the_new_one(
    root: Path, call: str, occurrence: int, moment: str
) -> None:
    """Row 27 of the durable reference: the process dies before or after each system call of one write."""
    with CandidateWorkspace(root, ["a"]) as workspace:
        workspace.writer().write("a", b"old")
    child = os.fork()
    if child == 0:
        try:
            workspace = CandidateWorkspace(root, ["a"], opener=open_by_walk)
            die_at(call.removeprefix("os."), occurrence, moment)
            workspace.writer().write("a", b"new")
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    with CandidateWorkspace(root, ["a"]) as workspace:
        found = workspace.read("a")

    assert os.WIFSIGNALED(status)
    assert found in (b"old", b"new")
    assert [path.name for path in root.iterdir()] == ["a"]


def die_at(name: str, occurrence: int, moment: str) -> None:
    """Replace ``os.<name>`` by one that kills this process around its n-th call."""
    usual, calls = getattr(os, name), iter(range(1, 100))

    def dying(*arguments: object, **keywords: object) -> object:
        due = next(calls) == occurrence
        if due and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = usual(*arguments, **keywords)
        if due:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(os, name, dying)


def test_failed_rename_leaves_the_old_file_and_no_other(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with CandidateWorkspace(root, ["a"]) as workspace:
        workspace.writer().write("a", b"old")

        def fail(*_arguments: object, **_keywords: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "rename", fail)
        with pytest.raises(OSError, match="No space left"):
            workspace.writer().write("a", b"new")

    assert [path.name for path in root.iterdir()] == ["a"]
    assert (root / "a").read_bytes() == b"old"


def test_file_is_on_disk_before_its_name_and_its_name_before_the_call_returns(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 27 of the durable reference: fsync of the file, rename, fsync of the folder, in this order."""
    calls: list[str] = []
    fsync, rename = os.fsync, os.rename

    def watched_fsync(descriptor: int) -> None:
        calls.append("fsync folder" if Path(f"/proc/self/fd/{descriptor}").is_dir() else "fsync file")
        fsync(descriptor)

    def watched_rename(*arguments: str, **keywords: int) -> None:
        calls.append("rename")
        rename(*arguments, **keywords)

    with CandidateWorkspace(root, ["a"]) as workspace:
        monkeypatch.setattr(os, "fsync", watched_fsync)
        monkeypatch.setattr(os, "rename", watched_rename)
        workspace.writer().write("a", b"x")

    assert calls == ["fsync file", "rename", "fsync folder"]


def test_root_that_is_a_link_or_missing_is_refused(root: Path) -> None:
    (root.parent / "alias").symlink_to("candidate")
    with pytest.raises(PathRefusedError):
        CandidateWorkspace(root.parent / "alias", ["a"])
    with pytest.raises(PathRefusedError, match="does not exist"):
        CandidateWorkspace(root.parent / "absent", ["a"])
    with pytest.raises(PathListError):
        CandidateWorkspace(root, ["../a"])


def test_a_root_contains_itself_and_what_lies_below_it_under_any_name(root: Path) -> None:
    (root / "inner").mkdir()
    with HeldRoot(root) as outer, HeldRoot(root / "inner") as inner, HeldRoot(root.parent) as above:
        assert outer.contains(inner)
        assert outer.contains(outer)
        assert not outer.contains(above)
        assert not inner.contains(outer)


def test_a_folder_that_cannot_be_listed_is_refused_and_not_skipped(tmp_path):
    """Whoever may not look into a folder cannot say that nothing in it changed."""
    tree = tmp_path / "tree"
    (tree / "hidden").mkdir(parents=True)
    with CandidateWorkspace(tree, ["a.txt"]) as workspace:
        (tree / "hidden").chmod(0)
        child = os.fork()
        if child == 0:  # the tests may run as root, whom nothing is hidden from
            if os.getuid() == 0:
                os.setuid(65_534)
            try:
                workspace.tree()
            except PathRefusedError:
                os._exit(7)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        (tree / "hidden").chmod(0o755)
    assert os.waitstatus_to_exitcode(status) == 7


def test_folders_nested_deeper_than_64_are_refused(tmp_path):
    deep = tmp_path.joinpath(*["d"] * 66)
    deep.mkdir(parents=True)
    with pytest.raises(PathRefusedError, match="nested deeper than 64 folders"):
        CandidateWorkspace(tmp_path, ["a.txt"])


NO_BYTES = {"text": "text", "bytearray": bytearray(b"x"), "wide view": memoryview(b"12345678").cast("I")}


@pytest.mark.parametrize("data", NO_BYTES.values(), ids=NO_BYTES)
def test_only_bytes_are_written(tmp_path, data):
    with CandidateWorkspace(tmp_path, ["a.txt"], max_file_bytes=4) as workspace:
        with pytest.raises(NotBytesError, match="expected bytes"):
            workspace.writer().write("a.txt", data)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bound", [0, -1, True, None, 1.5], ids=repr)
def test_a_bound_is_a_number_of_bytes(tmp_path, bound):
    with pytest.raises(BoundRefusedError, match="max_file_bytes is"):
        CandidateWorkspace(tmp_path, ["a.txt"], max_file_bytes=bound)
