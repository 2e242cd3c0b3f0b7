"""The front door: run one world, or plan a study of many."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

from mast.errors import MechanismsError, PlanError, ScenarioError, nearest
from mast.experiments.catalog import CASES, TOPOLOGIES
from mast.experiments.outcome import RunOutcome
from mast.experiments.output import stored
from mast.experiments.plan import DEFAULT_BUSINESS, Plan, PlannedRun, WorldSource, planned_run, run_of
from mast.experiments.scoring import score
from mast.experiments.study import Rows
from mast.protocol.mechanisms import LAYERS, NAMED, Mechanisms, mechanisms_named
from mast.report.run_result import RunResult
from mast.report.study_result import Study, StudyResult
from mast.runtime import run_world
from mast.scenario import Fault, World
from trustrail.foundation import VerifyMode

FaultSpec = Fault | Mapping[str, Any]
"""A fault, as a value or as a scenario file writes it."""

FaultChoice = str | FaultSpec | Sequence[FaultSpec] | None
"""What goes wrong in a run: a case by name, faults, or nothing."""

Layer = str | Mechanisms
"""A protocol layer, ablation or arm by name, or any combination of mechanisms."""

_ALL: Final = "all"


def run(
    topology: str | PathLike[str] | World,
    *,
    fault: FaultChoice = None,
    layer: Layer = "L4",
    seed: int = 0,
    business: str = DEFAULT_BUSINESS,
    runtime: str = "virtual",
    verify: VerifyMode | str = VerifyMode.CACHED,
) -> RunResult:
    """Run one world once and return what it showed.

    Args:
        topology: name of a shipped topology, path of a scenario file (``.yaml``), or a world.
        fault: a case by name, a fault, several, or None; added to what a scenario file says itself.
        layer: name of a protocol layer or ablation, or a value of `Mechanisms`.
        seed: of keys, challenges and agents' draws.
        business: name of a shipped business.
        runtime: ``virtual`` or ``threads``; the result is the same.
        verify: ``always``, ``cached`` or ``mac`` (which proves nothing to a third party).

    Raises:
        ScenarioError: if a name is unknown or a file or fault is wrong; every problem is named.
        MechanismsError: if the layer is unknown.
        PlanError: if the seed is no whole number from 0 to 2**53 - 1.
        ScoringError: if the event log says something that cannot happen.
    """
    name, mechanisms = _layer(layer)
    mode = _mode(verify)
    if isinstance(topology, World):
        if fault is not None or business != DEFAULT_BUSINESS:
            raise ScenarioError(["a world has its faults and business already; use mast.scenario.with_faults"])
        planned, world = run_of(topology, None, name, mechanisms, seed), topology
    else:
        source = _source(topology, fault, business)
        world = source.load()
        added = _fault_label(fault, {}) if source.is_file else None
        planned = run_of(world, source, name, mechanisms, seed, case=f"{world.case}+{added}" if added else None)
    record = run_world(world, mechanisms, run_id=planned.name, seed=seed, runtime=runtime, verify=mode)
    result = score(world, record.lines, signatures=record.signatures, verifications=record.verifications)
    return RunResult(
        world,
        RunOutcome(
            planned=planned,
            verify=mode,
            digest=record.digest,
            lines=record.lines,
            metrics=result.metrics,
            tasks=result.tasks,
        ),
    )


def study(
    topologies: str | PathLike[str] | Sequence[str | PathLike[str]] = _ALL,
    faults: str | FaultSpec | Sequence[FaultChoice] = _ALL,
    layers: Layer | Sequence[Layer] = _ALL,
    *,
    seeds: int | Iterable[int] = 1,
    businesses: str | Sequence[str] = DEFAULT_BUSINESS,
    verify: VerifyMode | str = VerifyMode.CACHED,
    name: str = "study",
) -> Study:
    """Plan every combination of topologies, faults, businesses, layers and seeds.

    Args:
        topologies: ``all`` three of the reference, or names and scenario files.
        faults: ``all`` ten reference cases, or a list of what `run` takes as ``fault``.
        layers: ``all`` five layers, or a list of what `run` takes as ``layer``.
        seeds: how many, counted from 0, or which.
        businesses: one or several, by name.
        verify: ``always``, ``cached`` or ``mac``.
        name: of the plan, in its report.

    Raises:
        ScenarioError: if a name is unknown or a file or fault is wrong.
        MechanismsError: if a layer is unknown.
        PlanError: if there is no combination, two are the same, or a seed is no whole number from 0 to 2**53 - 1.
    """
    chosen_layers = [_layer(layer) for layer in _listed(layers, LAYERS)]
    if not isinstance(seeds, Iterable) and type(seeds) is not int:
        raise PlanError(f"seeds are {seeds!r:.40}, expected how many, or which")
    chosen_seeds = range(seeds) if isinstance(seeds, int) else tuple(seeds)
    taken: dict[str, int] = {}
    labelled = [(fault, _fault_label(fault, taken)) for fault in _listed(faults, CASES)]
    runs: list[PlannedRun] = []
    for topology in _listed(topologies, TOPOLOGIES):
        for fault, label in labelled:
            for business in _listed(businesses, ()):
                source = _source(topology, fault, business)
                case = f"{source.load().case}+{label}" if source.is_file and label else label
                runs += (
                    planned_run(source, layer, mechanisms, seed, case=case)
                    for layer, mechanisms in chosen_layers
                    for seed in chosen_seeds
                )
    return Study(Plan(name, tuple(runs), _mode(verify)))


def load_study(folder: str | PathLike[str]) -> StudyResult:
    """Return what the output directory of a study holds, also when the study was interrupted.

    Raises:
        PlanError: if *folder* holds no plan, or a changed one.
    """
    plan, runs, tasks = stored(Path(folder))
    return StudyResult(plan, Rows(runs=runs, tasks=tasks))


def _source(topology: str | PathLike[str], fault: FaultChoice, business: str) -> WorldSource:
    if not isinstance(topology, str | PathLike):
        raise ScenarioError([f"topology is {topology!r:.60}, expected a name, the path of a scenario file, or a world"])
    case = fault if isinstance(fault, str) else None
    faults = () if isinstance(fault, str) else tuple(map(_written, _faults(fault)))
    source = WorldSource(topology=fspath(topology), case=case, business=business, faults=faults)
    if source.is_file and (case is not None or business != DEFAULT_BUSINESS):
        wrong = f"case {case!r}" if case is not None else f"business {business!r}"
        raise ScenarioError([f"{source.topology}: a scenario file says itself what {wrong} would; leave it out"])
    return source


def _faults(fault: FaultSpec | Sequence[FaultSpec] | None) -> Sequence[FaultSpec]:
    if fault is None:
        return ()
    return fault if isinstance(fault, Sequence) else [fault]  # what is no fault is told by `_written`


def _written(fault: FaultSpec) -> Mapping[str, Any]:
    if isinstance(fault, Fault):
        return fault.model_dump(mode="json", exclude_none=True)
    if isinstance(fault, Mapping):
        return dict(fault)
    raise ScenarioError([f"a fault is {fault!r}, expected a fault or a mapping such as a scenario file holds"])


def _fault_label(fault: FaultChoice, taken: dict[str, int]) -> str | None:
    """Return the name of *fault* in tables; the second of the same kinds gets a number."""
    if isinstance(fault, str) or fault is None:
        return fault
    label = "+".join(str(_written(one).get("kind")) for one in _faults(fault))
    taken[label] = taken.get(label, 0) + 1
    return label if taken[label] == 1 else f"{label}#{taken[label]}"


def _layer(layer: Layer) -> tuple[str, Mechanisms]:
    """Return the name that *layer* has in tables, and its mechanisms."""
    if isinstance(layer, str):
        return layer, mechanisms_named(layer)
    if not isinstance(layer, Mechanisms):
        raise MechanismsError(f"a layer is {layer!r}, expected a name or mechanisms")
    known = next((name for name, mechanisms in NAMED.items() if mechanisms == layer), None)
    switches = [
        f"{switch.name}={getattr(layer, switch.name)}"
        for switch in fields(layer)
        if getattr(layer, switch.name) != switch.default
    ]
    return known or ",".join(switches), layer


def _mode(verify: VerifyMode | str) -> VerifyMode:
    try:
        return VerifyMode(verify)
    except ValueError:
        raise ScenarioError(
            [f"verify is {verify!r}{nearest(str(verify), [mode.value for mode in VerifyMode])}"]
        ) from None


def _listed(choice: Any, everything: Iterable[Any]) -> list[Any]:  # noqa: ANN401 - names, files, faults or layers
    if isinstance(choice, str) and choice == _ALL:
        return list(everything)
    one = isinstance(choice, str | PathLike | Mapping | Fault | Mechanisms) or not isinstance(choice, Iterable)
    return [choice] if one else list(choice)
