"""Eight controls over the canonical stream, one file each; they read events and objects, nothing else.

A new control is one new file beside its siblings, with a ``CONTROL_ID`` and an ``evaluate(run)``, and its line here.
"""

from types import ModuleType
from typing import Final

from trustrail.controls import (
    tr_action_001,
    tr_action_002,
    tr_auth_001,
    tr_data_002,
    tr_entity_001,
    tr_entity_002,
    tr_result_001,
    tr_retry_001,
)
from trustrail.controls.action_call import ActionCall
from trustrail.controls.verdict import ActionVerdict, ControlReport, Verdict
from trustrail.controls.view import RunView

_MODULES: Final[tuple[ModuleType, ...]] = (
    tr_auth_001,
    tr_entity_001,
    tr_entity_002,
    tr_action_001,
    tr_action_002,
    tr_data_002,
    tr_result_001,
    tr_retry_001,
)

CONTROLS: Final[dict[str, ModuleType]] = {module.CONTROL_ID: module for module in _MODULES}
"""Each control's module by its id, in the order of a journey; ``evaluate(run)`` judges one run."""

__all__ = [
    "CONTROLS",
    "ActionCall",
    "ActionVerdict",
    "ControlReport",
    "RunView",
    "Verdict",
]
