"""Which isolations this machine has, and the one to take: bubblewrap where it works, else a Docker engine.

Bubblewrap comes first since it needs no engine, no image and no root.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from trailforge.errors import IsolationUnavailableError
from trailforge.runner.bubblewrap import Bubblewrap, bubblewrap_version
from trailforge.runner.docker import Docker, docker_version
from trailforge.runner.isolation import Isolation

Probe = Callable[[], str]
"""Returns the version of an isolation; raises `IsolationUnavailableError` when it cannot be had."""

PROBES: Final[Mapping[str, Probe]] = MappingProxyType({"bubblewrap": bubblewrap_version, "docker": docker_version})
"""Every isolation, in the order in which they are taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What was found on this machine."""

    versions: Mapping[str, str]
    """Version of each isolation that works, by its name, the one to take first."""
    problems: Mapping[str, str]
    """Why each other one does not, and what to do about it."""


def survey_isolations(probes: Mapping[str, Probe] = PROBES) -> Survey:
    """Try each of *probes* and say what came of it."""
    versions, problems = {}, {}
    for name, probe in probes.items():
        try:
            versions[name] = probe()
        except IsolationUnavailableError as error:
            problems[name] = str(error)
    return Survey(versions=versions, problems=problems)


def available_isolation(image: str = "", *, probes: Mapping[str, Probe] = PROBES) -> Isolation:
    """Return the isolation to run commands in on this machine.

    Args:
        image: image with its digest, as ``name@sha256:…``; Docker is only taken when there is one.
        probes: what asks for each isolation.

    Raises:
        CommandError: if *image* has no digest.
        IsolationUnavailableError: if none can be had; a command must then not be run.
    """
    isolations: dict[str, Isolation] = {"bubblewrap": Bubblewrap()}
    if image:
        isolations["docker"] = Docker(image)
    survey = survey_isolations({name: probe for name, probe in probes.items() if name in isolations})
    for name in survey.versions:
        return isolations[name]
    raise IsolationUnavailableError("of commands", "; ".join(survey.problems.values()), "nothing was started")
