"""The plan of a study: which runs it has, fixed and hashed before the first one starts.

One rule: a plan never changes. Its digest covers every world, switch and seed, so results belong to one plan, and
what was planned stays in every denominator whether or not its run succeeds.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from mast.errors import PlanError, ScenarioError
from mast.experiments.fingerprint import world_digest
from mast.protocol.mechanisms import Mechanisms
from mast.scenario import World, load_scenario, load_world, with_faults
from trustrail.errors import CanonicalizationError
from trustrail.foundation import MAX_SAFE_INTEGER, VerifyMode, canonical_json, digest_hex, parse_json

SCHEMA_VERSION: Final = "mast.plan.v0.1"

DEFAULT_BUSINESS: Final = "default"

MAX_SEED: Final = MAX_SAFE_INTEGER
"""Largest seed: every reader of a table or a plan keeps it exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSource:
    """Where a world comes from: shipped parts by name, or a scenario file."""

    topology: str
    """Name of a shipped topology, or path of a scenario file (``.yaml``)."""
    case: str | None = None
    """Name of a shipped case; a scenario file has its own faults."""
    business: str = DEFAULT_BUSINESS
    faults: tuple[Mapping[str, Any], ...] = ()
    """Further faults, each as a scenario file writes it."""

    @property
    def is_file(self) -> bool:
        """Whether the topology is the path of a scenario file."""
        return self.topology.endswith((".yaml", ".yml"))

    def load(self) -> World:
        """Return the world; shipped parts are loaded once per process, a file whenever it has changed.

        Raises:
            ScenarioError: if a name is unknown or a file or fault is wrong.
        """
        try:
            written = canonical_json(asdict(self))
        except CanonicalizationError as error:
            raise ScenarioError([f"a world cannot be made of this: {error}"]) from error
        return _loaded(written, _content_digest(self.topology) if self.is_file else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """One run of a plan, with what is known of it before it starts."""

    name: str
    """``topology/case/business/layer/seed``; unique in the plan, and the workflow of the run's packets."""
    topology: str
    case: str
    business: str
    layer: str
    seed: int
    mechanisms: Mechanisms
    source: WorldSource | None
    """None when the caller made the world: such a run cannot be repeated from its plan."""
    world: str
    """Digest of the world as it was when the plan was made."""
    total_tasks: int
    affected_tasks: int


@dataclass(frozen=True)
class Plan:
    """The runs of a study, in order.

    Raises:
        PlanError: if there are none, or two of them are the same.
    """

    name: str
    runs: tuple[PlannedRun, ...]
    verify: VerifyMode = VerifyMode.CACHED
    """How signatures are made and checked; ``mac`` proves nothing to a third party."""

    def __post_init__(self) -> None:
        if not self.runs:
            raise PlanError(f"plan {self.name!r} has no runs; name at least one world, layer and seed")
        repeated = [name for name, count in Counter(run.name for run in self.runs).items() if count > 1]
        if repeated:
            raise PlanError(f"plan {self.name!r} has {len(repeated)} runs more than once, for example {repeated[0]}")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the plan's canonical JSON, 64 hex digits."""
        return digest_hex(canonical_json(self.to_dict()))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {
            "schema_version": SCHEMA_VERSION,
            "name": self.name,
            "verify": self.verify.value,
            "runs": [msgspec.to_builtins(run) for run in self.runs],
        }

    def to_json(self) -> str:
        """Return the text of ``plan.json``: the plan and its digest."""
        return json.dumps({"digest": self.digest, "plan": self.to_dict()}, indent=1) + "\n"


def plan_from_json(text: bytes, place: str) -> Plan:
    """Return the plan in *text*, read at *place*.

    Raises:
        PlanError: if it is not a plan, or not the plan that its digest stands for.
    """
    try:
        stored = parse_json(text)
        written, body = stored["digest"], stored["plan"]
        found = digest_hex(canonical_json(body))
        version = body["schema_version"]
        plan = msgspec.convert({key: value for key, value in body.items() if key != "schema_version"}, Plan)
    except (CanonicalizationError, msgspec.ValidationError, KeyError, TypeError, AttributeError) as error:
        raise PlanError(f"{place} is not a plan: {error}") from error
    if version != SCHEMA_VERSION:
        raise PlanError(f"{place} has schema_version {version!r}, expected {SCHEMA_VERSION!r}")
    if written != found:
        raise PlanError(f"{place} was changed: its digest is {found}, expected {written}; restore it or plan anew")
    return plan


def load_plan(path: Path) -> Plan:
    """Return the plan stored at *path*, verified against its digest.

    Raises:
        PlanError: if it cannot be read, is not a plan, or was changed.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise PlanError(f"{path} cannot be read: {error.strerror}") from error
    return plan_from_json(text, str(path))


def planned_run(
    source: WorldSource, layer: str, mechanisms: Mechanisms, seed: int, *, case: str | None = None
) -> PlannedRun:
    """Return the run of the world of *source*.

    Args:
        source: where the world comes from.
        layer: name of the mechanisms in tables.
        mechanisms: the protocol's switches.
        seed: of keys, challenges and agents' draws.
        case: name of the case in tables; by default the world's own.

    Raises:
        ScenarioError: if the world cannot be loaded.
        PlanError: if *seed* is no whole number from 0 to `MAX_SEED`.
    """
    return run_of(source.load(), source, layer, mechanisms, seed, case=case)


def run_of(
    world: World, source: WorldSource | None, layer: str, mechanisms: Mechanisms, seed: int, *, case: str | None = None
) -> PlannedRun:
    """Return the run of *world*, which comes from *source*, or from the caller when that is None.

    Raises:
        PlanError: if *seed* is no whole number from 0 to `MAX_SEED`.
    """
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise PlanError(f"seed is {seed!r:.40}, expected a whole number from 0 to {MAX_SEED}")
    case = case or world.case
    return PlannedRun(
        name=f"{world.topology}/{case}/{world.variant}/{layer}/{seed}",
        topology=world.topology,
        case=case,
        business=world.variant,
        layer=layer,
        seed=seed,
        mechanisms=mechanisms,
        source=source,
        world=world_digest(world),
        total_tasks=len(world.tasks),
        affected_tasks=sum(task.name in world.truth.affected for task in world.tasks),
    )


def _content_digest(path: str) -> str:
    """Return the digest of what the file at *path* holds now; empty when it cannot be read, which loading tells."""
    try:
        return digest_hex(Path(path).read_bytes())
    except (OSError, ValueError):
        return ""


@lru_cache(maxsize=256)
def _loaded(source: bytes, _content: str) -> World:
    given = msgspec.json.decode(source, type=WorldSource)
    if not given.is_file:
        return load_world(given.topology, given.case, business=given.business, faults=given.faults)
    world = load_scenario(given.topology)
    return with_faults(world, given.faults) if given.faults else world
