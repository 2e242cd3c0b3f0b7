"""mast: simulate how claims, faults and repairs travel between organizations whose agents act for them.

`run` runs one world, `study` plans many; ``mast --help`` does the same from the shell. Names are imported when they
are first used, so that ``import mast`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mast.protocol.mechanisms import LAYERS, Mechanisms
    from mast.report.front import load_study, run, study
    from mast.report.run_result import RunResult
    from mast.report.study_result import Study, StudyResult
    from mast.scenario import World, load_scenario, load_world

__all__ = [
    "LAYERS",
    "Mechanisms",
    "RunResult",
    "Study",
    "StudyResult",
    "World",
    "load_scenario",
    "load_study",
    "load_world",
    "run",
    "study",
]

_HOMES: Final = {
    "LAYERS": "mast.protocol.mechanisms",
    "Mechanisms": "mast.protocol.mechanisms",
    "RunResult": "mast.report.run_result",
    "Study": "mast.report.study_result",
    "StudyResult": "mast.report.study_result",
    "World": "mast.scenario",
    "load_scenario": "mast.scenario",
    "load_study": "mast.report.front",
    "load_world": "mast.scenario",
    "run": "mast.report.front",
    "study": "mast.report.front",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the front door offers under this name
    if name not in _HOMES:
        raise AttributeError(f"module 'mast' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
