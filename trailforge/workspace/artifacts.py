"""LocalArtifactStore: bounded bytes, named by their digest, inside one scope.

A receipt says which scope the bytes belong to, how many there are and what their digest is; a receipt of
one scope opens nothing in another. Bytes are on disk before `put` returns, so a row that names them may be
written afterwards; bytes no row names are removed by `collect`. Every read checks the digest again.
"""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from trailforge.errors import (
    CorruptArtifactError,
    LinkedFileError,
    MissingArtifactError,
    PathRefusedError,
    TooManyBytesError,
)
from trailforge.errors.showing import shown
from trailforge.workspace.bounds import require_bound, require_bytes
from trailforge.workspace.root import HeldRoot
from trustrail.foundation import canonical_json, digest_hex

DEFAULT_ARTIFACT_BYTES: Final = 16 * 1024 * 1024
"""Bound of one artifact in bytes unless the host sets another; ours."""

DEFAULT_SCOPE_BYTES: Final = 256 * 1024 * 1024
"""Bound of all artifacts of one scope in bytes unless the host sets another; ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactScope:
    """Whose artifacts they are."""

    tenant: str
    resource: str

    @property
    def digest(self) -> str:
        """64 hex digits over both names."""
        return digest_hex(canonical_json(["artifact-scope", self.tenant, self.resource]))


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactReceipt:
    """Proof of what was kept, and the only way to ask for it."""

    scope: str
    """Digest of the scope, 64 hex digits."""
    sha256: str
    """Digest of the bytes, 64 hex digits."""
    size: int
    """Bytes."""

    def to_record(self) -> dict[str, Any]:
        """Return the receipt as a JSON object."""
        return {"scope": self.scope, "sha256": self.sha256, "size": self.size}

    @property
    def digest(self) -> str:
        """64 hex digits over the canonical record."""
        return digest_hex(canonical_json(self.to_record()))


class LocalArtifactStore:
    """Artifacts in a directory of their own.

    Attributes:
        max_artifact_bytes: bound of one artifact.
        max_scope_bytes: bound of all artifacts of one scope together.
    """

    def __init__(
        self,
        root: Path,
        *,
        max_artifact_bytes: int = DEFAULT_ARTIFACT_BYTES,
        max_scope_bytes: int = DEFAULT_SCOPE_BYTES,
    ) -> None:
        """Open the store below the existing directory *root*; bounds are in bytes.

        Raises:
            PathRefusedError: if *root* is not a directory.
            WorkspaceBusyError: if another store holds *root*.
        """
        require_bound("max_artifact_bytes", max_artifact_bytes)
        require_bound("max_scope_bytes", max_scope_bytes)
        self.max_artifact_bytes = max_artifact_bytes
        self.max_scope_bytes = max_scope_bytes
        self._root = HeldRoot(root, exclusive=True)
        self._root.clean()
        self._sizes: dict[str, int] = {path: status.st_size for path, status in self._root.entries()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the directory."""
        self._root.close()

    def put(self, scope: ArtifactScope, data: bytes) -> ArtifactReceipt:
        """Keep *data* in *scope* and return its receipt; the same bytes are kept once.

        Raises:
            NotBytesError: if *data* is not ``bytes``.
            TooManyBytesError: if *data* is larger than one artifact may be, or does not fit into the scope.
            LinkedFileError: if a link, or a file with another name, is where it belongs.
        """
        require_bytes("an artifact", data)
        receipt = ArtifactReceipt(scope=scope.digest, sha256=digest_hex(data), size=len(data))
        if len(data) > self.max_artifact_bytes:
            subject = f"artifact {receipt.sha256[:12]}…"
            raise TooManyBytesError(subject, actual=len(data), limit=self.max_artifact_bytes)
        path = _path(receipt)
        if not self._is_kept(path, data):
            used = self.used_bytes(scope) - self._sizes.get(path, 0)
            if used + len(data) > self.max_scope_bytes:
                subject = f"scope {scope.tenant}/{scope.resource} with one more artifact"
                raise TooManyBytesError(subject, actual=used + len(data), limit=self.max_scope_bytes)
            self._root.replace(path, data)
            self._sizes[path] = len(data)
        return receipt

    def _is_kept(self, path: str, data: bytes) -> bool:
        """Whether *data* is on disk at *path* as it should be; what was damaged or removed is to be written again."""
        if path not in self._sizes:
            return False
        try:
            return self._root.read(path, limit=len(data)) == data
        except LinkedFileError:
            raise
        except (PathRefusedError, TooManyBytesError):
            return False

    def get(self, scope: ArtifactScope, receipt: ArtifactReceipt) -> bytes:
        """Return the bytes *receipt* names.

        Raises:
            MissingArtifactError: if they are not kept, or *receipt* is not of *scope*.
            CorruptArtifactError: if the bytes on disk are not those.
        """
        if not _is_whole(receipt):
            raise MissingArtifactError(shown(receipt, 80), "is no receipt of this store")
        if receipt.scope != scope.digest:
            raise MissingArtifactError(receipt.sha256, f"is not kept for {scope.tenant}/{scope.resource}")
        try:
            data = self._root.read(_path(receipt), limit=self.max_artifact_bytes)
        except PathRefusedError as error:
            problem = f"is not kept for {scope.tenant}/{scope.resource}: {error.problem}"
            raise MissingArtifactError(receipt.sha256, problem) from error
        except TooManyBytesError as error:
            problem = f"has {error.actual} bytes on disk, expected {receipt.size}"
            raise CorruptArtifactError(receipt.sha256, problem) from error
        if len(data) != receipt.size or digest_hex(data) != receipt.sha256:
            problem = f"has {len(data)} bytes with the digest {digest_hex(data)[:12]}…, expected {receipt.size}"
            raise CorruptArtifactError(receipt.sha256, problem)
        return data

    def used_bytes(self, scope: ArtifactScope) -> int:
        """Return how many bytes are kept in *scope*."""
        prefix = f"{scope.digest}/"
        return sum(size for path, size in self._sizes.items() if path.startswith(prefix))

    def collect(self, scope: ArtifactScope, keep: Collection[ArtifactReceipt]) -> tuple[str, ...]:
        """Remove every artifact of *scope* that no receipt in *keep* names; return their digests, sorted."""
        kept = {_path(receipt) for receipt in keep}
        prefix = f"{scope.digest}/"
        strays = [path for path in self._sizes if path.startswith(prefix) and path not in kept]
        for path in strays:
            self._root.remove(path)
            del self._sizes[path]
        return tuple(sorted(path.rpartition("/")[2] for path in strays))


def _is_whole(receipt: object) -> bool:
    """Whether *receipt* is one whose parts are of their kinds: it may come from a record that somebody edited."""
    if type(receipt) is not ArtifactReceipt:
        return False
    return (type(receipt.scope), type(receipt.sha256), type(receipt.size)) == (str, str, int)


def _path(receipt: ArtifactReceipt) -> str:
    return f"{receipt.scope}/{receipt.sha256[:2]}/{receipt.sha256}"
