"""The expected values, and the runs that are held against them: each is run once for all tests here."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mast.experiments.scoring import Score, score
from mast.protocol.mechanisms import mechanisms_named
from mast.runtime import RunRecord, run_world
from mast.scenario import load_world
from mast.scenario.world import World
from trustrail.foundation import Verifier, VerifyMode

EXPECTED = json.loads((Path(__file__).parent / "layered_expected.json").read_text())


class Bench:
    """Runs worlds of the layered benchmark and scores them."""

    def __init__(self) -> None:
        self._verifier = Verifier(VerifyMode.CACHED)
        self.world = cache(load_world)
        self.cell = cache(self._cell)

    def run(self, world: World, mechanisms: str) -> tuple[RunRecord, Score]:
        """Run *world* under named mechanisms and score it."""
        record = run_world(
            world, mechanisms_named(mechanisms), run_id=f"expected/{mechanisms}", verifier=self._verifier
        )
        return record, score(world, record.lines, signatures=record.signatures, verifications=record.verifications)

    def _cell(self, topology: str, case: str, mechanisms: str) -> Score:
        return self.run(self.world(topology, case), mechanisms)[1]


@pytest.fixture(scope="session")
def bench() -> Bench:
    """One set of runs for the whole session."""
    return Bench()


@pytest.fixture(scope="session")
def expected() -> dict[str, Any]:
    """What is known about the earlier system."""
    return EXPECTED
