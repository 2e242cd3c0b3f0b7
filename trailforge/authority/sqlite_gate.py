"""The gate before a SQLite file is opened: a library without the WAL-reset bug, and a local file system.

SQLite 3.7.0 to 3.51.2 can lose or corrupt pages when two connections write and checkpoint at the same moment
(fixed in 3.51.3, with backports 3.44.6 and 3.50.7: https://sqlite.org/wal.html). WAL also needs shared memory,
which network file systems do not give (https://sqlite.org/wal.html, "Overview", and https://sqlite.org/faq.html#q5).
"""

from pathlib import Path
from typing import Final

from trailforge.errors import StoreRefusedError

_FIXED: Final = ((3, 44, 6), (3, 50, 7))
_FIRST_FIXED: Final = (3, 51, 3)

_NETWORK: Final = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs"}
    | {"lustre", "ncpfs", "nfs", "nfs4", "orangefs", "smb3", "smbfs", "virtiofs"}
)
"""File system types, as /proc/self/mountinfo names them, whose locks or shared memory cannot be relied on."""

MOUNTS: Final = Path("/proc/self/mountinfo")


def has_wal_reset_bug(version: str) -> bool:
    """Whether SQLite *version* can corrupt a WAL file that two connections reset at once."""
    number = tuple(int(part) for part in version.split(".")[:3])
    backported = any(number[:2] == fixed[:2] and number >= fixed for fixed in _FIXED)
    return number >= (3, 7, 0) and number < _FIRST_FIXED and not backported


def refuse_unsafe_library(version: str) -> None:
    """Return when SQLite *version* may share a WAL file between processes.

    Raises:
        StoreRefusedError: if it has the WAL-reset bug.
    """
    if has_wal_reset_bug(version):
        raise StoreRefusedError(
            f"SQLite {version} has the WAL-reset corruption bug, expected 3.51.3 or later (or 3.44.6, 3.50.7); "
            "install apsw from PyPI, which brings its own SQLite"
        )


def file_system_type(path: Path, mountinfo: str) -> str:
    """Return the type of the file system that holds the absolute *path*, by the text of /proc/self/mountinfo."""
    best, kind = "", "unknown"
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        mount = left.split()[4].replace("\\040", " ")
        if (path == Path(mount) or Path(mount) in path.parents) and len(mount) >= len(best):
            best, kind = mount, right.split()[0]
    return kind


def refuse_network_file_system(path: Path, mounts: Path = MOUNTS) -> str:
    """Return the type of the file system of *path* when it is a local one; ``unknown`` where *mounts* is absent.

    Raises:
        StoreRefusedError: if it is a network file system.
    """
    if not mounts.exists():
        return "unknown"
    kind = file_system_type(path.resolve(), mounts.read_text(encoding="utf-8", errors="replace"))
    if kind in _NETWORK:
        raise StoreRefusedError(
            f"{path} is on {kind}, a network file system, where WAL cannot work; put the store on a local disk"
        )
    return kind
