"""An external system on disk, so that its effects outlive the process that made them."""

from pathlib import Path

import pytest

from tests.publishing_world import ExternalSystem
from trailforge.publishing import Acknowledgement, Dispatch, Finding, Inspection


class SystemOnDisk(ExternalSystem):
    """Writes one line per send, with one O_APPEND write."""

    def __init__(self, log: Path) -> None:
        super().__init__()
        self.log = log

    def send(self, dispatch: Dispatch) -> Acknowledgement:
        with self.log.open("a", encoding="utf-8") as file:
            file.write(f"{dispatch.operation_id} {dispatch.payload_digest}\n")
        return super().send(dispatch)

    def inspect(self, dispatch: Dispatch) -> Inspection:
        lines = dict(line.split() for line in self.lines())
        digest = lines.get(dispatch.operation_id, "")
        return Inspection(
            operation_id=dispatch.operation_id,
            finding=Finding.FOUND if digest else Finding.NOT_FOUND,
            payload_digest=digest,
            evidence={},
        )

    def lines(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


@pytest.fixture
def system(tmp_path: Path) -> SystemOnDisk:
    return SystemOnDisk(tmp_path / "effects.log")
