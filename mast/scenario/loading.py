"""From files to worlds: read, check everything, report every problem at once, assemble, apply the faults.

`load_world` combines a shipped topology, case and business; `load_scenario` reads one file that says it all.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import BaseModel, Field

from mast.errors import ScenarioError, nearest
from mast.scenario.assembly import (
    assembled,
    authorization_name,
    claim_value_problems,
    template_problems,
    to_agents,
    to_network,
)
from mast.scenario.derivations import derivation_problems
from mast.scenario.document import Document, read_document
from mast.scenario.entry import Entry, Problem
from mast.scenario.faults import AnyFault, Fault
from mast.scenario.faults.fault import unknown_name
from mast.scenario.files import Business, BusinessFile, CaseFile, ScenarioFile, Topology, TopologyFile
from mast.scenario.generators import AnyGenerator
from mast.scenario.parameters import with_parameters
from mast.scenario.references import agent_problems, business_problems, schedule_problems, topology_problems
from mast.scenario.shape import Draft, shaped
from mast.scenario.shipped import FOLDERS, shipped_document, shipped_name_of, shipped_names
from mast.scenario.world import World

Part = TypeVar("Part", bound=BaseModel)

_NOT_FROM_A_FILE: Final = Document("")


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a part of a scenario was written, so that what its names get wrong can be placed."""

    document: Document
    draft: Draft | None = None
    prefix: tuple[str | int, ...] = ()

    def placed(self, problems: Collection[Problem]) -> list[str]:
        """Return *problems* of this part as ``file:line: place is …``."""
        whole = [(*self.prefix, *problem.path) for problem in problems]
        written = [path if self.draft is None else self.draft.written_at(path) for path in whole]
        return self.document.placed(
            Problem(path, problem.text) for path, problem in zip(written, problems, strict=True)
        )

    def names_in(self, key: str) -> set[str]:
        """Return the names that the mapping under *key* of this part had in the file."""
        here = self.document.value
        for step in (*self.prefix, key):
            here = here[step] if isinstance(here, dict) and step in here else {}
        return set(here) if isinstance(here, dict) else set()

    def within(self, *steps: str | int) -> "_Origin":
        """Return the origin of a part of this part."""
        return replace(self, prefix=(*self.prefix, *steps))


@dataclass(frozen=True, slots=True)
class _Loaded(Generic[Part]):
    """A part of a scenario, its name and where it was written."""

    name: str
    body: Part
    origin: _Origin


class _Faults(Entry):
    faults: Annotated[tuple[AnyFault, ...], Field(strict=False)]


class _Generated(Entry):
    generator: AnyGenerator


def load_world(
    topology: str,
    case: str | None = None,
    *,
    business: str = "default",
    faults: Sequence[Fault | Mapping[str, Any]] = (),
) -> World:
    """Return the world of a shipped *topology*, *case* and *business*.

    *faults* come after those of the case; each is a `Fault` or a mapping such as a file holds. A world without
    case or faults is called ``active``, one with faults alone by their kinds.

    Raises:
        ScenarioError: if a name is unknown or a file or fault is wrong; every problem is named.
    """
    topology_part = _shipped("topologies", topology, TopologyFile)
    business_part = _shipped("business", business, BusinessFile)
    parameters = business_part.body.parameters
    listed, misshapen = _given_faults(faults, parameters)
    name = case or "+".join(fault.kind for fault, _ in listed) or "active"
    if case is not None:
        case_part = _shipped("cases", case, CaseFile, parameters)
        listed = [*_numbered(case_part.body.faults, case_part.origin), *listed]
    world, problems = _combined(topology_part, business_part, sound=True)
    if world is not None:
        world, more = _with_faults(world, listed)
        problems += more
    if world is None or problems or misshapen:
        raise ScenarioError([*misshapen, *problems])
    return replace(world, case=name)


def generated_world(name: str, **settings: object) -> World:
    """Return the world that the generator called *name* makes from *settings*.

    Raises:
        ScenarioError: if there is no such generator or a setting is wrong; every problem is named.
    """
    made, _, problems = _read(Document("", {"generator": {**settings, "name": name}}), _Generated, {})
    if made is None or problems:
        raise ScenarioError(problems)
    return made.generator.world()


def with_faults(world: World, faults: Sequence[Fault | Mapping[str, Any]]) -> World:
    """Return *world* with *faults* in it, one after the other; each is a `Fault` or a mapping such as a file holds.

    Raises:
        ScenarioError: if one is no fault or does not fit the world; every problem is named.
    """
    listed, misshapen = _given_faults(faults, {})
    world, problems = _with_faults(world, listed)
    if misshapen or problems:
        raise ScenarioError([*misshapen, *problems])
    return world


def load_scenario(path: str | Path) -> World:
    """Return the world that the scenario file at *path* describes.

    Raises:
        ScenarioError: if the file cannot be read or is wrong; every problem is named, with its line.
    """
    if "\0" in str(path):
        raise ScenarioError([f"{str(path)!r}: cannot be read: no file is called that"])
    path = Path(path)
    document = read_document(path, shipped_name_of(path))
    scenario, origin, problems = _read(document, ScenarioFile, _business_parameters(document.value))
    world = None
    if scenario is not None:
        world, more = _scenario_world(scenario, _Loaded(path.stem, scenario, origin), sound=not problems)
        problems += more
    if scenario is None or world is None or problems:
        raise ScenarioError(sorted(problems, key=document.line_in))
    return replace(world, case=path.stem, network=to_network(scenario.network), agents=to_agents(scenario.agents))


def _scenario_world(
    scenario: ScenarioFile, loaded: _Loaded[ScenarioFile], *, sound: bool
) -> tuple[World | None, list[str]]:
    """Return the world of *scenario* with its faults, and the problems that are left to find.

    What claims derive is only looked at in a *sound* file, since a part that was cut out may be what is missing.
    """
    origin = loaded.origin
    if scenario.generator is not None:
        problems = origin.placed(
            [
                Problem((key,), "is given beside a generator, which makes its own; leave one of them out")
                for key in ("topology", "business")
                if key in scenario.model_fields_set
            ]
        )
        world: World | None = scenario.generator.world()
    elif scenario.topology is None:
        if any(origin.document.value.get(key) is not None for key in ("topology", "generator")):
            return None, []  # it was there, but wrong, and that has been told
        return None, origin.placed([Problem((), "names neither a topology nor a generator; expected one of them")])
    else:
        world, problems = _written_world(scenario, scenario.topology, loaded, sound=sound)
    problems += origin.placed(list(agent_problems(scenario.agents)))
    if world is None:
        return None, problems + _fault_names(scenario, origin)
    if scenario.schedule is not None:
        world = replace(world, schedule=scenario.schedule.moved(world.schedule))
        problems += origin.placed(list(schedule_problems(world.schedule)))
    world, more = _with_faults(world, _numbered(scenario.faults, origin))
    return world, [*problems, *more]


def _written_world(
    scenario: ScenarioFile, topology: str | Topology, loaded: _Loaded[ScenarioFile], *, sound: bool
) -> tuple[World | None, list[str]]:
    """Return the world of the topology and business of *scenario*, and the problems of both."""
    problems: list[str] = []
    found: _Loaded[Topology] | None = None
    business: _Loaded[Business] | None = None
    try:
        found = _topology_of(topology, loaded)
    except ScenarioError as error:
        problems += error.problems
    try:
        if "business" in scenario.model_fields_set or "business" not in loaded.origin.document.value:
            business = _business_of(scenario, loaded)  # else it was there, but wrong, and that has been told
    except ScenarioError as error:
        problems += error.problems
    if found is not None and business is not None:
        return _combined(found, business, sound=sound)
    if found is not None:
        problems += found.origin.placed(list(topology_problems(found.body, _misshapen(found))))
    return None, problems


def _fault_names(scenario: ScenarioFile, origin: _Origin) -> list[str]:
    """Return what is wrong with the names of claims in the faults of a *scenario* whose world cannot be made."""
    if not isinstance(scenario.topology, Topology):
        return []
    known = {*scenario.topology.claims, *origin.within("topology").names_in("claims")}
    orders = {claim.order for claim in scenario.topology.claims.values() if claim.order is not None}
    known |= {authorization_name(order) for order in orders}
    return [
        text
        for index, fault in enumerate(scenario.faults)
        for text in origin.within("faults", index).placed(list(unknown_name(getattr(fault, "claim", None), known)))
    ]


def _misshapen(topology: _Loaded[Topology] | _Loaded[TopologyFile]) -> set[str]:
    return topology.origin.names_in("claims") - topology.body.claims.keys()


def _topology_of(topology: str | Topology, loaded: _Loaded[ScenarioFile]) -> _Loaded[Topology]:
    if isinstance(topology, Topology):
        return _Loaded(loaded.name, topology, loaded.origin.within("topology"))
    found = _shipped("topologies", topology, TopologyFile, at=loaded.origin.within("topology"))
    return _Loaded(found.name, found.body, found.origin)


def _business_of(scenario: ScenarioFile, loaded: _Loaded[ScenarioFile]) -> _Loaded[Business]:
    if isinstance(scenario.business, Business):
        return _Loaded(loaded.name, scenario.business, loaded.origin.within("business"))
    found = _shipped("business", scenario.business, BusinessFile, at=loaded.origin.within("business"))
    return _Loaded(found.name, found.body, found.origin)


def _shipped(
    folder: str,
    name: str,
    model: type[Part],
    parameters: Mapping[str, int] | None = None,
    at: _Origin | None = None,
) -> _Loaded[Part]:
    """Return the shipped file called *name*; a name that is not there is a problem *at* where it was written.

    Raises:
        ScenarioError: if there is none, or it is wrong.
    """
    known = shipped_names(folder)
    if name not in known:
        text = f"is {name!r}, and nothing in scenarios/{folder} is called so{nearest(name, known)}"
        place = at or _Origin(_NOT_FROM_A_FILE, prefix=(FOLDERS[folder],))
        raise ScenarioError(place.placed([Problem((), text)]))
    body, origin, problems = _read(shipped_document(folder, name), model, parameters or {})
    if body is None or problems:
        raise ScenarioError(problems)
    return _Loaded(name, body, origin)


def _read(
    document: Document, model: type[Part], parameters: Mapping[str, int]
) -> tuple[Part | None, _Origin, list[str]]:
    """Return what *document* holds as *model*, as far as it is right, and what is wrong with its shape."""
    value, unknown = with_parameters(document.value, parameters)
    body, found, draft = shaped(model, value)
    in_text = [*document.problems, *unknown]
    told = {problem.path for problem in in_text}
    problems = document.placed([*in_text, *(problem for problem in found if problem.path not in told)])
    return body, _Origin(document, draft), problems


def _combined(
    topology: _Loaded[Topology] | _Loaded[TopologyFile],
    business: _Loaded[Business] | _Loaded[BusinessFile],
    *,
    sound: bool,
) -> tuple[World | None, list[str]]:
    """Return the world of *topology* and *business* and all their problems.

    The world is None when a fault cannot even be checked against it.
    """
    misshapen = _misshapen(topology)
    in_topology = [
        *topology_problems(topology.body, misshapen),
        *claim_value_problems(topology.body, business.body),
    ]
    in_business = [*business_problems(business.body, topology.body), *template_problems(business.body, topology.body)]
    problems = [*topology.origin.placed(in_topology), *business.origin.placed(in_business)]
    if in_topology or in_business or misshapen:
        return None, problems
    world = assembled(topology.body, business.body, topology_name=topology.name, variant=business.name)
    return world, topology.origin.placed(list(derivation_problems(world))) if sound else []


def _numbered(faults: Sequence[Fault], origin: _Origin) -> list[tuple[Fault, _Origin]]:
    return [(fault, origin.within("faults", index)) for index, fault in enumerate(faults)]


def _given_faults(
    faults: Sequence[Fault | Mapping[str, Any]], parameters: Mapping[str, int]
) -> tuple[list[tuple[Fault, _Origin]], list[str]]:
    """Return faults given in a program, those given as mappings made into faults, and their misshapen parts."""
    raw = [fault.model_dump() if isinstance(fault, Fault) else dict(fault) for fault in faults]
    listed, origin, problems = _read(Document("", {"faults": raw}), _Faults, parameters)
    return _numbered(listed.faults if listed is not None else (), origin), problems


def _with_faults(world: World, faults: Iterable[tuple[Fault, _Origin]]) -> tuple[World, list[str]]:
    """Return *world* with those of *faults* in it that fit, and the problems of the others."""
    problems: list[str] = []
    for fault, origin in faults:
        found = origin.placed(list(fault.problems(world)))
        problems += found
        if not found:
            world = fault.applied(world)
    return world, problems


def _business_parameters(value: object) -> Mapping[str, int]:
    """Return the parameters of the business that a raw scenario file names or holds, as far as they are right."""
    business = value.get("business", "default") if isinstance(value, dict) else "default"
    if isinstance(business, str):
        known = business in shipped_names("business")
        return _shipped("business", business, BusinessFile).body.parameters if known else {}
    parameters = business.get("parameters") if isinstance(business, dict) else None
    return parameters if isinstance(parameters, dict) else {}
